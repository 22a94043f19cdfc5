//! The similarity of the distributions before and after a step.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Number of values that are drawn from everything so far, after each step.
const SAMPLE: usize = 1000;

/// Number of points at which the densities are compared.
const POINTS: usize = 1000;

/// Distance in bandwidths beyond which the kernel counts as zero.
const REACH: f64 = 5.0;

/// With fewer grid steps per bandwidth, the exact positions of values matter.
const FINE: f64 = 4.0;

/// Similarity of everything measured up to a step with everything up to the step before it. Laaber et al.
/// 2020 (ESEC/FSE), after He et al. 2019: a sample of 1000 is drawn from each. With Gaussian kernel densities
/// P and Q the similarity is 2^-KL(P‖Q) · 2^-KL(Q‖P).
///
/// This is the most expensive rule: sorting 1000 values and computing two densities at 1000 points takes
/// about half a millisecond per step. A step is one second of measurements.
#[derive(Debug, Clone)]
pub(crate) struct Divergence {
    everything: Vec<f64>,
    previous: Vec<f64>,
    generator: Xoshiro256PlusPlus,
}

impl Divergence {
    /// With the seed of the draws.
    pub(crate) fn new(seed: u64) -> Self {
        Divergence {
            everything: Vec::new(),
            previous: Vec::new(),
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Adds a step of positive numbers. Returns the similarity, from the second step on.
    pub(crate) fn take(&mut self, values: &[f64]) -> Option<f64> {
        self.everything.extend_from_slice(values);
        if self.everything.is_empty() {
            return None;
        }
        let n = self.everything.len() as u128;
        let mut sample: Vec<f64> = (0..SAMPLE)
            .map(|_| {
                let place = (u128::from(self.generator.next_u64()) * n) >> 64;
                self.everything[place as usize]
            })
            .collect();
        sample.sort_by(f64::total_cmp);
        let similarity = (!self.previous.is_empty()).then(|| similarity(&sample, &self.previous));
        self.previous = sample;
        similarity
    }
}

/// Similarity of two ascending samples: 1 for equal ones, 0 for samples that do not overlap.
fn similarity(p: &[f64], q: &[f64]) -> f64 {
    let (p_fences, q_fences) = (fences(p), fences(q));
    let lo = p_fences.0.min(q_fences.0).max(0.0);
    let hi = p_fences.1.max(q_fences.1);
    let step = (hi - lo) / (POINTS - 1) as f64;
    if step <= 0.0 || !step.is_finite() {
        return 1.0;
    }
    let (p_density, q_density) = (density(p, lo, step), density(q, lo, step));
    let (mut forth, mut back, mut is_common) = (0.0, 0.0, false);
    for (p, q) in p_density.iter().zip(&q_density).filter(|(p, q)| **p > 0.0 && **q > 0.0) {
        let log_ratio = (p / q).ln();
        forth += p * log_ratio;
        back -= q * log_ratio;
        is_common = true;
    }
    // As published, the divergences are in nats although the base of the power is 2.
    if is_common { (-(forth + back) * step).exp2() } else { 0.0 }
}

/// Quartiles plus and minus one and a half times their distance.
fn fences(ascending: &[f64]) -> (f64, f64) {
    let (q1, q3) = (quantile(ascending, 0.25), quantile(ascending, 0.75));
    let reach = 1.5 * (q3 - q1);
    (q1 - reach, q3 + reach)
}

fn quantile(ascending: &[f64], p: f64) -> f64 {
    let position = (ascending.len() - 1) as f64 * p;
    let below = position.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    ascending[below] + (position - below as f64) * (ascending[above] - ascending[below])
}

/// The Gaussian kernel density at the points lo, lo + step, ..., with bandwidth 1.06 min(s, IQR / 1.34)
/// n^(-1/5) (Silverman 1986), or with s alone if the quartiles are equal. It is zero everywhere for a
/// constant sample.
fn density(ascending: &[f64], lo: f64, step: f64) -> Vec<f64> {
    let n = ascending.len() as f64;
    let mean = ascending.iter().sum::<f64>() / n;
    let squares: f64 = ascending.iter().map(|value| (value - mean).powi(2)).sum();
    let spread = (squares / (n - 1.0)).sqrt();
    let quartiles = (quantile(ascending, 0.75) - quantile(ascending, 0.25)) / 1.34;
    let width = if quartiles > 0.0 { spread.min(quartiles) } else { spread };
    let h = 1.06 * width * n.powf(-0.2);
    let mut points = vec![0.0; POINTS];
    if h <= 0.0 {
        return points;
    }
    let height = 1.0 / (n * h * (2.0 * std::f64::consts::PI).sqrt());
    if h < FINE * step {
        add_exactly(ascending, lo, step, h, &mut points);
    } else {
        add_binned(ascending, lo, step, h, &mut points);
    }
    points.iter_mut().for_each(|point| *point *= height);
    points
}

/// Adds every value's kernel at the points it reaches.
fn add_exactly(ascending: &[f64], lo: f64, step: f64, h: f64, points: &mut [f64]) {
    for value in ascending {
        let first = ((value - REACH * h - lo) / step).ceil().max(0.0);
        let last = ((value + REACH * h - lo) / step).floor().min((POINTS - 1) as f64);
        let mut at = first;
        while at <= last {
            let distance = (lo + at * step - value) / h;
            points[at as usize] += (-0.5 * distance * distance).exp();
            at += 1.0;
        }
    }
}

/// Splits every value between the two points next to it and convolves with the kernel. For a wide kernel the
/// result is accurate to a ten thousandth, without an exponential per value and point.
fn add_binned(ascending: &[f64], lo: f64, step: f64, h: f64, points: &mut [f64]) {
    let reach = (REACH * h / step).floor() as usize;
    let kernel: Vec<f64> = (0..=reach).map(|i| (-0.5 * (i as f64 * step / h).powi(2)).exp()).collect();
    // Values beyond the ends contribute, so there are bins for them.
    let mut bins = vec![0.0; POINTS + 2 * reach + 1];
    for value in ascending {
        let place = (value - lo) / step + reach as f64;
        if place >= 0.0 && place < (bins.len() - 1) as f64 {
            let below = place.floor();
            bins[below as usize] += 1.0 - (place - below);
            bins[below as usize + 1] += place - below;
        }
    }
    for (at, bin) in bins.iter().enumerate().filter(|(_, bin)| **bin > 0.0) {
        // The point i is in bin i + reach.
        let (first, last) = (at.saturating_sub(2 * reach), at.min(POINTS - 1));
        for (i, point) in points.iter_mut().enumerate().take(last + 1).skip(first) {
            *point += bin * kernel[(i + reach).abs_diff(at)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(from: f64, to: f64) -> Vec<f64> {
        (0..SAMPLE).map(|i| from + (to - from) * i as f64 / (SAMPLE - 1) as f64).collect()
    }

    #[test]
    fn equal_samples_are_alike_and_distant_ones_are_not() {
        let sample = uniform(1.0, 2.0);
        assert!((similarity(&sample, &sample) - 1.0).abs() < 1e-12);
        assert_eq!(similarity(&uniform(1.0, 1.001), &uniform(50.0, 50.001)), 0.0);
        let near = similarity(&sample, &uniform(1.1, 2.1));
        let far = similarity(&sample, &uniform(1.5, 2.5));
        assert!(0.0 < far && far < near && near < 1.0, "{far} {near}");
    }

    #[test]
    fn constant_samples_have_defined_answers() {
        assert_eq!(similarity(&[3.0; SAMPLE], &[3.0; SAMPLE]), 1.0);
        assert_eq!(similarity(&[3.0; SAMPLE], &[4.0; SAMPLE]), 0.0);
        assert_eq!(similarity(&[3.0; SAMPLE], &uniform(2.0, 4.0)), 0.0);
    }

    #[test]
    fn bins_give_what_every_kernel_gives() {
        let sample = uniform(1.0, 2.0);
        let (lo, step) = (0.4, 2.2 / 999.0);
        let (mut exact, mut binned) = (vec![0.0; POINTS], vec![0.0; POINTS]);
        for h in [4.0 * step, 30.0 * step, 120.0 * step] {
            exact.fill(0.0);
            binned.fill(0.0);
            add_exactly(&sample, lo, step, h, &mut exact);
            add_binned(&sample, lo, step, h, &mut binned);
            let most = exact.iter().copied().fold(0.0, f64::max);
            for (exact, binned) in exact.iter().zip(&binned) {
                assert!((exact - binned).abs() < 0.01 * most, "{h}: {exact} {binned}");
            }
        }
    }

    #[test]
    fn densities_add_up_to_one() {
        // Wide enough to contain everything.
        let (lo, step) = (0.0, 4.0 / 999.0);
        let total: f64 = density(&uniform(1.0, 3.0), lo, step).iter().sum();
        assert!((total * step - 1.0).abs() < 1e-3, "{total}");
    }

    #[test]
    fn steps_of_one_distribution_become_alike() {
        let mut divergence = Divergence::new(1);
        let mut seed = 1_u64;
        let mut step = |shift: f64| -> Vec<f64> {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 11) as f64 / (1_u64 << 53) as f64
            };
            (0..100).map(|_| shift + next() + next() + next()).collect()
        };
        assert_eq!(divergence.take(&step(5.0)), None);
        let similarities: Vec<f64> = (0..20).filter_map(|_| divergence.take(&step(5.0))).collect();
        assert!(similarities[15..].iter().all(|s| *s > 0.95), "{similarities:?}");
        let jump: Vec<f64> = (0..30).flat_map(|_| step(7.0)).collect();
        let after_a_jump = divergence.take(&jump).expect("a second step");
        assert!(after_a_jump < 0.8, "{after_a_jump}");
    }
}
