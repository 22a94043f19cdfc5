//! One layer: convolutions over 100 positions, with negative results replaced by 0.

use super::scaling::WINDOW;
use super::vectors;
use crate::bytes::WeightsError;

/// Number of zeros before the first position of a row. The longest kernel reaches 11 back.
pub(crate) const MARGIN: usize = 16;

/// Length of a row: the margin, 100 positions, and enough zeros for the last block of the widest vectors and
/// the longest kernel.
pub(crate) const ROW: usize = 144;

/// Number of outputs that are computed together, with one register each.
pub(crate) const TOGETHER: usize = 8;

/// Up to [`TOGETHER`] outputs whose kernels have the same length.
#[derive(Debug, Clone)]
pub(crate) struct Bundle {
    /// The first output.
    first: usize,
    /// Number of outputs.
    outputs: usize,
    /// The index in a row that the first tap reads for the first position.
    pub(crate) start: usize,
    /// Length of the kernels.
    pub(crate) taps: usize,
    /// Weights for each input and tap, of all outputs.
    pub(crate) weights: Vec<[f32; TOGETHER]>,
    bias: [f32; TOGETHER],
}

/// A layer.
#[derive(Debug, Clone)]
pub(crate) struct Convolution {
    inputs: usize,
    outputs: usize,
    bundles: Vec<Bundle>,
}

impl Convolution {
    /// A layer without kernels yet.
    pub(crate) fn new(inputs: usize) -> Self {
        Convolution { inputs, outputs: 0, bundles: Vec::new() }
    }

    /// Number of output rows.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Adds kernels of one length, `[output][input][tap]`. The first tap reads `back` positions before the
    /// output's own position.
    pub(crate) fn add(&mut self, taps: usize, back: usize, weights: &[f32], bias: &[f32]) {
        let per_output = self.inputs * taps;
        for (kernels, biases) in weights.chunks(per_output * TOGETHER).zip(bias.chunks(TOGETHER)) {
            let mut packed = vec![[0.0; TOGETHER]; per_output];
            for (output, kernel) in kernels.chunks(per_output).enumerate() {
                packed.iter_mut().zip(kernel).for_each(|(all, weight)| all[output] = *weight);
            }
            let mut bias = [0.0; TOGETHER];
            bias.iter_mut().zip(biases).for_each(|(to, from)| *to = *from);
            self.bundles.push(Bundle {
                first: self.outputs,
                outputs: biases.len(),
                start: MARGIN - back,
                taps,
                weights: packed,
                bias,
            });
            self.outputs += biases.len();
        }
    }

    /// Fails unless the number of outputs is as expected.
    pub(crate) fn with_outputs(self, outputs: usize) -> Result<Self, WeightsError> {
        if self.outputs == outputs {
            Ok(self)
        } else {
            Err(WeightsError::Content("a layer has other outputs"))
        }
    }

    /// Computes output rows from input rows. Only the 100 positions of the rows of `output` are written;
    /// their margins must be 0.
    pub(crate) fn run(&self, input: &[f32], output: &mut [f32]) {
        let input = &input[..self.inputs * ROW];
        for bundle in &self.bundles {
            vectors::run(bundle, input, &mut output[bundle.first * ROW..][..bundle.outputs * ROW]);
        }
    }
}

/// Adds up one bundle, `WIDTH` positions at a time: as many as a register holds. It is inlined into a
/// function for each kind of vector unit.
#[inline(always)]
pub(crate) fn run_bundle<const WIDTH: usize, const FUSED: bool>(
    bundle: &Bundle,
    input: &[f32],
    output: &mut [f32],
) {
    for position in (0..WINDOW).step_by(WIDTH) {
        let sums = sums::<WIDTH, FUSED>(bundle, input, bundle.start + position);
        let kept = WIDTH.min(WINDOW - position);
        for ((row, sum), bias) in output.chunks_exact_mut(ROW).zip(&sums).zip(bundle.bias) {
            let to = &mut row[MARGIN + position..][..kept];
            to.iter_mut().zip(sum).for_each(|(to, sum)| *to = (sum + bias).max(0.0));
        }
    }
}

#[inline(always)]
fn sums<const WIDTH: usize, const FUSED: bool>(
    bundle: &Bundle,
    input: &[f32],
    start: usize,
) -> [[f32; WIDTH]; TOGETHER] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = [[0.0; WIDTH]; TOGETHER];
    for (row, kernels) in input.chunks_exact(ROW).zip(bundle.weights.chunks_exact(bundle.taps)) {
        for (tap, weights) in kernels.iter().enumerate() {
            let Some(values) = row[start + tap..].first_chunk::<WIDTH>() else { continue };
            // Written out so that each sum stays in a register.
            add::<WIDTH, FUSED>(&mut a, weights[0], values);
            add::<WIDTH, FUSED>(&mut b, weights[1], values);
            add::<WIDTH, FUSED>(&mut c, weights[2], values);
            add::<WIDTH, FUSED>(&mut d, weights[3], values);
            add::<WIDTH, FUSED>(&mut e, weights[4], values);
            add::<WIDTH, FUSED>(&mut f, weights[5], values);
            add::<WIDTH, FUSED>(&mut g, weights[6], values);
            add::<WIDTH, FUSED>(&mut h, weights[7], values);
        }
    }
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
fn add<const WIDTH: usize, const FUSED: bool>(sum: &mut [f32; WIDTH], weight: f32, values: &[f32; WIDTH]) {
    for i in 0..WIDTH {
        // Without hardware support a fused operation is a slow call.
        sum[i] = if FUSED { weight.mul_add(values[i], sum[i]) } else { weight * values[i] + sum[i] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, in double precision.
    fn plain(inputs: &[Vec<f64>], kernels: &[Vec<Vec<f64>>], bias: &[f64], back: usize) -> Vec<Vec<f64>> {
        let at = |row: &[f64], place: isize| {
            usize::try_from(place).ok().and_then(|place| row.get(place)).copied().unwrap_or(0.0)
        };
        let value = |kernel: &Vec<Vec<f64>>, position: usize| -> f64 {
            kernel
                .iter()
                .zip(inputs)
                .flat_map(|(taps, row)| taps.iter().enumerate().map(move |(tap, weight)| (tap, weight, row)))
                .map(|(tap, weight, row)| weight * at(row, position as isize + tap as isize - back as isize))
                .sum()
        };
        let row = |kernel, bias: f64| (0..WINDOW).map(|i| (value(kernel, i) + bias).max(0.0)).collect();
        kernels.iter().zip(bias).map(|(kernel, bias)| row(kernel, *bias)).collect()
    }

    fn number(seed: usize) -> f64 {
        ((seed * 7919 + 13) % 1009) as f64 / 504.5 - 1.0
    }

    fn check(inputs: usize, outputs: usize, taps: usize, back: usize) {
        let rows: Vec<Vec<f64>> =
            (0..inputs).map(|c| (0..WINDOW).map(|i| number(c * 1000 + i)).collect()).collect();
        let kernel =
            |o: usize, c: usize| (0..taps).map(|k| number(o * 31 + c * 17 + k)).collect::<Vec<f64>>();
        let kernels: Vec<Vec<Vec<f64>>> =
            (0..outputs).map(|o| (0..inputs).map(|c| kernel(o, c)).collect()).collect();
        let bias: Vec<f64> = (0..outputs).map(number).collect();
        let narrow = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
        let mut layer = Convolution::new(inputs);
        layer.add(taps, back, &narrow(&kernels.concat().concat()), &narrow(&bias));
        let mut input = vec![0.0; inputs * ROW];
        for (to, from) in input.chunks_mut(ROW).zip(&rows) {
            to[MARGIN..MARGIN + WINDOW].copy_from_slice(&narrow(from));
        }
        let mut output = vec![0.0; outputs * ROW];
        layer.run(&input, &mut output);
        for (ours, expected) in output.chunks(ROW).zip(plain(&rows, &kernels, &bias, back)) {
            assert!(ours[..MARGIN].iter().chain(&ours[MARGIN + WINDOW..]).all(|value| *value == 0.0));
            for (a, b) in ours[MARGIN..].iter().zip(expected) {
                assert!((f64::from(*a) - b).abs() < 1e-4, "{inputs} {outputs} {taps}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_layer_is_its_definition() {
        check(1, 1, 1, 0);
        check(1, 10, 23, 11);
        check(3, 8, 5, 2);
        check(7, 22, 8, 3);
        check(20, 9, 2, 0);
    }
}
