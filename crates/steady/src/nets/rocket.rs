//! Random kernels with weighted results.

use super::scaling::WINDOW;
use super::weights::Weights;
use crate::bytes::WeightsError;

/// Number of zeros on both sides of the window. No padding is wider.
const MARGIN: usize = 50;

/// Dempster et al. 2020 (DMKD): for each kernel the largest result and the share of positive ones, with a
/// ridge regression on these.
#[derive(Debug)]
pub(crate) struct Rocket {
    kernels: Vec<Kernel>,
    intercept: f64,
}

#[derive(Debug)]
struct Kernel {
    weights: Vec<f64>,
    bias: f64,
    dilation: usize,
    padding: usize,
    /// Coefficients of the largest result and of the share of positive ones.
    coefficients: [f64; 2],
}

impl Rocket {
    /// Reads a trained one.
    pub(crate) fn read(bytes: &[u8]) -> Result<Rocket, WeightsError> {
        let mut weights = Weights::read(3, bytes)?;
        let lengths = weights.any()?;
        let n = lengths.len();
        let (dilations, paddings, biases) = (weights.next(n)?, weights.next(n)?, weights.next(n)?);
        let (taps, coefficients, intercept) = (weights.any()?, weights.next(2 * n)?, weights.next(1)?);
        let mut rest = taps.as_slice();
        let mut kernels = Vec::with_capacity(n);
        for (i, length) in lengths.iter().enumerate() {
            let (taps, after) =
                rest.split_at_checked(*length as usize).ok_or(WeightsError::Length("too short"))?;
            rest = after;
            let (dilation, padding) = (dilations[i] as usize, paddings[i] as usize);
            let reach = taps.len().saturating_sub(1) * dilation;
            if padding > MARGIN || reach >= WINDOW + 2 * padding {
                return Err(WeightsError::Content("a kernel is longer than the window"));
            }
            kernels.push(Kernel {
                weights: taps.iter().copied().map(f64::from).collect(),
                bias: f64::from(biases[i]),
                dilation,
                padding,
                coefficients: [f64::from(coefficients[2 * i]), f64::from(coefficients[2 * i + 1])],
            });
        }
        Ok(Rocket { kernels, intercept: f64::from(intercept[0]) })
    }

    /// Steady if above 0. It uses double precision, because a result near 0 counts as either positive or not.
    pub(crate) fn score(&self, window: &[f32; WINDOW]) -> f64 {
        let mut padded = [0.0; WINDOW + 2 * MARGIN];
        padded[MARGIN..].iter_mut().zip(window).for_each(|(to, from)| *to = f64::from(*from));
        self.intercept + self.kernels.iter().map(|kernel| kernel.vote(&padded)).sum::<f64>()
    }
}

impl Kernel {
    fn vote(&self, padded: &[f64; WINDOW + 2 * MARGIN]) -> f64 {
        let positions = WINDOW + 2 * self.padding - (self.weights.len() - 1) * self.dilation;
        let mut answers = [self.bias; WINDOW + 2 * MARGIN];
        let answers = &mut answers[..positions];
        for (tap, weight) in self.weights.iter().enumerate() {
            let values = &padded[MARGIN - self.padding + tap * self.dilation..][..positions];
            answers.iter_mut().zip(values).for_each(|(answer, value)| *answer += weight * value);
        }
        let most = answers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let positive = answers.iter().filter(|answer| **answer > 0.0).count() as f64 / positions as f64;
        self.coefficients[0] * most + self.coefficients[1] * positive
    }
}
