//! Layers of convolutions, their averages, and one number computed from these.

use super::convolution::{Convolution, MARGIN, ROW};
use super::scaling::WINDOW;
use super::weights::Weights;
use crate::bytes::WeightsError;

/// A network: OSCNN or FCN.
#[derive(Debug)]
pub(crate) struct Network {
    layers: Vec<Convolution>,
    head: Vec<f32>,
    bias: f32,
    /// Scores of at least this are steady.
    pub(crate) threshold: f32,
}

/// Rows between layers. They are allocated once for each process, so that a decision allocates nothing.
#[derive(Debug, Clone)]
pub(crate) struct Scratch {
    from: Vec<f32>,
    to: Vec<f32>,
}

/// Kernel lengths of the first two layers of OSCNN: 1 and the primes up to a quarter of the window.
const SCALES: [usize; 10] = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23];

/// Kernel lengths of its last layer.
const LAST_SCALES: [usize; 2] = [1, 2];

impl Network {
    /// Tang et al. 2022 (ICLR): three Omni-Scale layers. Each has kernels of several lengths, all centred on
    /// the longest one.
    pub(crate) fn oscnn(bytes: &[u8]) -> Result<Network, WeightsError> {
        let mut weights = Weights::read(1, bytes)?;
        let layers = vec![
            scales(&mut weights, 1, 10, &SCALES)?,
            scales(&mut weights, 100, 22, &SCALES)?,
            scales(&mut weights, 220, 100, &LAST_SCALES)?,
        ];
        // The network has two outputs, for unsteady and steady. As in the authors' code, only the second is
        // used for the score.
        let (head, bias) = (weights.next(2 * 200)?, weights.next(2)?);
        Ok(Network { layers, head: head[200..].to_vec(), bias: bias[1], threshold: weights.threshold })
    }

    /// Wang et al. 2017 (IJCNN): 128 kernels of 8, 256 of 5, 128 of 3.
    pub(crate) fn fcn(bytes: &[u8]) -> Result<Network, WeightsError> {
        let mut weights = Weights::read(2, bytes)?;
        let mut layers = Vec::new();
        for (inputs, outputs, taps) in [(1, 128, 8), (128, 256, 5), (256, 128, 3)] {
            let (kernels, bias) = (weights.next(outputs * inputs * taps)?, weights.next(outputs)?);
            let mut layer = Convolution::new(inputs);
            layer.add(taps, (taps - 1) / 2, &kernels, &bias);
            layers.push(layer.with_outputs(outputs)?);
        }
        let (head, bias) = (weights.next(128)?, weights.next(1)?);
        Ok(Network { layers, head, bias: bias[0], threshold: weights.threshold })
    }

    /// Room for the rows between layers.
    pub(crate) fn scratch(&self) -> Scratch {
        let rows = self.layers.iter().map(Convolution::outputs).max().unwrap_or(1);
        Scratch { from: vec![0.0; rows * ROW], to: vec![0.0; rows * ROW] }
    }

    /// The probability, according to the network, that the scaled window is steady.
    pub(crate) fn score(&self, window: &[f32; WINDOW], scratch: &mut Scratch) -> f32 {
        scratch.from[MARGIN..MARGIN + WINDOW].copy_from_slice(window);
        for layer in &self.layers {
            layer.run(&scratch.from, &mut scratch.to);
            std::mem::swap(&mut scratch.from, &mut scratch.to);
        }
        let average = |row: &[f32]| row[MARGIN..MARGIN + WINDOW].iter().sum::<f32>() / WINDOW as f32;
        let rows = scratch.from.chunks_exact(ROW);
        let logit = rows.zip(&self.head).map(|(row, weight)| average(row) * weight).sum::<f32>() + self.bias;
        1.0 / (1.0 + (-logit).exp())
    }
}

fn scales(
    weights: &mut Weights,
    inputs: usize,
    each: usize,
    scales: &[usize],
) -> Result<Convolution, WeightsError> {
    let kernels: Vec<Vec<f32>> =
        scales.iter().map(|taps| weights.next(each * inputs * taps)).collect::<Result<_, _>>()?;
    let bias = weights.next(each * scales.len())?;
    let longest = scales.iter().copied().max().unwrap_or(1);
    let mut layer = Convolution::new(inputs);
    for ((taps, kernels), bias) in scales.iter().zip(&kernels).zip(bias.chunks(each)) {
        // The longest kernel reaches (longest - 1) / 2 back. A shorter one is placed so that there are zeros
        // on both sides of it.
        let right = (longest - 1).div_ceil(2) - (taps - 1).div_ceil(2);
        let left = longest - taps - right;
        layer.add(*taps, (longest - 1) / 2 - left, kernels, bias);
    }
    layer.with_outputs(each * scales.len())
}
