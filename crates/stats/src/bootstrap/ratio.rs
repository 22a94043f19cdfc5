//! Bootstrap intervals of the ratio of two means.

use super::Resampling;
use super::mean::{check, resample_means};
use super::tails::quantile_pair;
use crate::Interval;
use crate::sample::open_share;

/// By which factor do the means of two independent samples differ? The middle part of mean(numerator*) /
/// mean(denominator*) over resamples of both.
///
/// Kalibera & Jones 2013 (ISMM), for one level. `None` for an empty sample, fewer than 2 resamples,
/// `confidence` outside (0, 1), or if the mean of some resample of the denominator is 0. Samples of one value
/// or without spread give a point. O((n + m) resamples).
pub fn percentile(
    numerator: &[f64],
    denominator: &[f64],
    confidence: f64,
    resampling: Resampling,
) -> Option<Interval> {
    open_share(confidence)?;
    let mut ratios = resampled(numerator, denominator, resampling)?;
    let tail = (1.0 - confidence) / 2.0;
    Some(quantile_pair(&mut ratios, tail, 1.0 - tail))
}

/// mean(numerator*) / mean(denominator*) of every resample, in the order drawn; `None` as for [`percentile`].
pub fn resampled(numerator: &[f64], denominator: &[f64], resampling: Resampling) -> Option<Vec<f64>> {
    /// Separates the two streams of draws.
    const OTHER: u64 = 0x9e37_79b9_7f4a_7c15;
    /// Any valid share, because no interval is computed here.
    const HALF: f64 = 0.5;
    check(numerator, HALF, resampling)?;
    check(denominator, HALF, resampling)?;
    let above = resample_means(numerator, resampling);
    let below = resample_means(denominator, Resampling { seed: resampling.seed ^ OTHER, ..resampling });
    let ratios: Vec<f64> = above.iter().zip(&below).map(|(above, below)| above / below).collect();
    ratios.iter().all(|ratio| ratio.is_finite()).then_some(ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: Resampling = Resampling { resamples: 100_000, seed: 5 };

    fn sample(n: usize, level: f64) -> Vec<f64> {
        (0..n).map(|i| level * (1.0 + ((i * 7919) % 101) as f64 / 1000.0)).collect()
    }

    /// The delta method: the ratio's relative variance is the sum of those of the means.
    #[test]
    fn large_samples_give_the_normal_interval() {
        let (a, b) = (sample(400, 2.0), sample(300, 1.0));
        let relative = |values: &[f64]| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
            (mean, variance / n / (mean * mean))
        };
        let ((a_mean, a_variance), (b_mean, b_variance)) = (relative(&a), relative(&b));
        let half = 1.959_964 * (a_variance + b_variance).sqrt() * a_mean / b_mean;
        let found = percentile(&a, &b, 0.95, DRAWS).expect("defined");
        assert!((found.lo - (a_mean / b_mean - half)).abs() < 0.02 * half, "{found:?} {half}");
        assert!((found.hi - (a_mean / b_mean + half)).abs() < 0.02 * half, "{found:?} {half}");
    }

    #[test]
    fn the_two_sides_are_drawn_independently() {
        // The sample is divided by itself. With shared draws every ratio would be 1.
        let values = sample(50, 1.0);
        let found = percentile(&values, &values, 0.95, DRAWS).expect("defined");
        assert!(found.lo < 0.999 && found.hi > 1.001, "{found:?}");
    }

    #[test]
    fn edges() {
        let point = Some(Interval { lo: 1.5, hi: 1.5 });
        assert_eq!(percentile(&[3.0; 4], &[2.0; 7], 0.95, DRAWS), point);
        assert_eq!(percentile(&[3.0], &[2.0], 0.95, DRAWS), point);
        assert_eq!(percentile(&[], &[2.0], 0.95, DRAWS), None);
        assert_eq!(percentile(&[1.0], &[], 0.95, DRAWS), None);
        assert_eq!(percentile(&[1.0], &[0.0], 0.95, DRAWS), None);
        assert_eq!(percentile(&[1.0], &[f64::NAN], 0.95, DRAWS), None);
        assert_eq!(percentile(&[1.0], &[1.0], 1.0, DRAWS), None);
    }
}
