//! Bootstrap intervals of any function of a sample.
//!
//! The function gets each resample in a scratch slice that it may reorder, and must return the same value for
//! any order. If it returns a value that is not finite for the sample or for one resample, there is no
//! interval.

use super::Resampling;
use super::draw::for_each_resample;
use super::tails::{acceleration, bca_shares, quantile_pair, share_below};
use crate::Interval;
use crate::sample::{finite, open_share};

/// The statistic of every resample, in the order drawn. O(resamples × cost of the statistic).
///
/// `None` for an empty sample, fewer than 2 resamples, or a result that is not finite.
pub fn distribution(
    values: &[f64],
    resampling: Resampling,
    mut statistic: impl FnMut(&mut [f64]) -> f64,
) -> Option<Vec<f64>> {
    finite(values)?;
    if values.is_empty() || values.len() >= u32::MAX as usize || resampling.resamples < 2 {
        return None;
    }
    let mut scratch = vec![0.0; values.len()];
    let mut results = Vec::with_capacity(resampling.resamples);
    for_each_resample(values.len(), resampling, |positions| {
        for (place, &position) in scratch.iter_mut().zip(positions) {
            *place = values[position as usize];
        }
        results.push(statistic(&mut scratch));
    });
    finite(&results)?;
    Some(results)
}

/// The middle part of the statistic over all resamples; assumptions as for [`super::mean::percentile`]. Efron
/// 1979 (Ann. Stat. 7).
///
/// `None` as for [`distribution`], and for `confidence` outside (0, 1).
pub fn percentile(
    values: &[f64],
    confidence: f64,
    resampling: Resampling,
    statistic: impl FnMut(&mut [f64]) -> f64,
) -> Option<Interval> {
    open_share(confidence)?;
    let mut results = distribution(values, resampling, statistic)?;
    let tail = (1.0 - confidence) / 2.0;
    Some(quantile_pair(&mut results, tail, 1.0 - tail))
}

/// The bias-corrected and accelerated interval, with the acceleration from leaving out one value at a time.
/// Efron 1987 (JASA 82).
///
/// `None` as for [`percentile`], for n < 2, and if all resamples fall on one side of the estimate.
/// O((resamples + n) × cost of the statistic).
pub fn bca(
    values: &[f64],
    confidence: f64,
    resampling: Resampling,
    mut statistic: impl FnMut(&mut [f64]) -> f64,
) -> Option<Interval> {
    open_share(confidence)?;
    if values.len() < 2 {
        return None;
    }
    let mut results = distribution(values, resampling, &mut statistic)?;
    let estimate = statistic(&mut values.to_vec());
    let left_out: Vec<f64> =
        (0..values.len()).map(|i| statistic(&mut [&values[..i], &values[i + 1..]].concat())).collect();
    let (lo, hi) = bca_shares(share_below(&results, estimate), acceleration(&left_out), confidence)?;
    Some(quantile_pair(&mut results, lo, hi))
}

/// The studentised interval: `statistic` returns the estimate and its standard error, and the quantiles q of
/// (estimate* - estimate) / se* over the resamples give \[estimate - q_hi se, estimate - q_lo se\]. Hall 1988
/// (Ann. Stat. 16).
///
/// A resample whose standard error is 0 is left out. `None` as for [`percentile`], if the sample's own
/// standard error is not positive, or if fewer than 2 resamples are left.
pub fn studentised(
    values: &[f64],
    confidence: f64,
    resampling: Resampling,
    mut statistic: impl FnMut(&mut [f64]) -> (f64, f64),
) -> Option<Interval> {
    open_share(confidence)?;
    finite(values)?;
    if values.is_empty() {
        return None;
    }
    let (estimate, se) = statistic(&mut values.to_vec());
    if !(se > 0.0 && se.is_finite() && estimate.is_finite()) {
        return None;
    }
    let mut ratios = Vec::with_capacity(resampling.resamples);
    distribution(values, resampling, |resample| {
        let (centre, spread) = statistic(resample);
        if spread > 0.0 {
            ratios.push((centre - estimate) / spread);
        }
        centre
    })?;
    finite(&ratios)?;
    if ratios.len() < 2 {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let q = quantile_pair(&mut ratios, tail, 1.0 - tail);
    Some(Interval { lo: estimate - q.hi * se, hi: estimate - q.lo * se })
}

#[cfg(test)]
mod tests {
    use super::super::{mean, median};
    use super::*;
    use crate::sample::{median_in_place, plain_mean};

    const DRAWS: Resampling = Resampling { resamples: 100_000, seed: 5 };
    const VALUES: [f64; 12] = [3.1, 2.9, 3.4, 8.0, 3.0, 3.3, 2.7, 3.2, 3.6, 4.1, 2.8, 3.5];

    fn close(found: Option<Interval>, expected: Option<Interval>, tolerance: f64) {
        let (found, expected) = (found.expect("defined"), expected.expect("defined"));
        assert!((found.lo - expected.lo).abs() < tolerance, "{found:?} instead of {expected:?}");
        assert!((found.hi - expected.hi).abs() < tolerance, "{found:?} instead of {expected:?}");
    }

    #[test]
    fn the_mean_as_a_statistic_agrees_with_the_special_case() {
        let statistic = |sample: &mut [f64]| plain_mean(sample);
        close(percentile(&VALUES, 0.9, DRAWS, statistic), mean::percentile(&VALUES, 0.9, DRAWS), 0.02);
        close(bca(&VALUES, 0.9, DRAWS, statistic), mean::bca(&VALUES, 0.9, DRAWS), 0.02);
        let with_error = |sample: &mut [f64]| {
            let centre = plain_mean(sample);
            let n = sample.len() as f64;
            let variance = crate::sample::squared_deviations(sample, centre) / (n - 1.0);
            (centre, (variance / n).sqrt())
        };
        close(studentised(&VALUES, 0.9, DRAWS, with_error), mean::studentised(&VALUES, 0.9, DRAWS), 0.1);
    }

    #[test]
    fn the_median_as_a_statistic_agrees_with_the_exact_distribution() {
        let statistic = |sample: &mut [f64]| median_in_place(sample);
        close(percentile(&VALUES, 0.9, DRAWS, statistic), median::percentile(&VALUES, 0.9), 1e-12);
        close(bca(&VALUES, 0.9, DRAWS, statistic), median::bca(&VALUES, 0.9), 0.051);
    }

    #[test]
    fn edges() {
        assert_eq!(percentile(&[], 0.9, DRAWS, |_| 0.0), None);
        assert_eq!(percentile(&[1.0], 0.9, DRAWS, |_| f64::NAN), None);
        assert_eq!(bca(&[1.0], 0.9, DRAWS, |sample| sample[0]), None);
        assert_eq!(bca(&[1.0, 2.0], 0.9, DRAWS, |_| 0.0).map(|found| found.width()), Some(0.0));
        assert_eq!(studentised(&[1.0, 2.0], 0.9, DRAWS, |_| (1.0, 0.0)), None);
    }
}
