//! Bootstrap intervals of the median.
//!
//! The bootstrap distribution of the median is known in closed form, see [`MedianDistribution`]. The
//! percentile and BCa intervals are computed from it exactly, need no seed and have no Monte Carlo error.
//! Only the studentised interval needs resampling.

use super::{MedianDistribution, Resampling, statistic, tails};
use crate::Interval;
use crate::reference_distribution::binomial_at_least;
use crate::sample::{finite, open_share, sorted, sorted_median};

/// Where does the median lie? The exact limit of the percentile bootstrap for infinitely many resamples.
///
/// Assumes independent values. The quantiles (1 ∓ confidence) / 2 of the bootstrap distribution, each the
/// smallest value whose cumulative probability reaches the share. Efron 1979 (Ann. Stat. 7). `None` for n = 0
/// or `confidence` outside (0, 1); n = 1 and no spread give a point. O(n log n) for odd n; for even n see
/// [`MedianDistribution::quantile`].
pub fn percentile(values: &[f64], confidence: f64) -> Option<Interval> {
    open_share(confidence)?;
    let distribution = MedianDistribution::new(values)?;
    let tail = (1.0 - confidence) / 2.0;
    Some(Interval { lo: distribution.quantile(tail)?, hi: distribution.quantile(1.0 - tail)? })
}

/// Where does the median lie, allowing for bias and skew? The exact limit of the BCa interval.
///
/// As [`percentile`], with the corrected shares of Efron 1987 (JASA 82) and the acceleration from leaving out
/// one value at a time. `None` also for n < 2.
pub fn bca(values: &[f64], confidence: f64) -> Option<Interval> {
    open_share(confidence)?;
    if values.len() < 2 {
        return None;
    }
    let distribution = MedianDistribution::new(values)?;
    let ascending = sorted(values);
    let left_out: Vec<f64> = (0..ascending.len())
        .map(|i| sorted_median(&[&ascending[..i], &ascending[i + 1..]].concat()))
        .collect();
    let below = distribution.share_below(sorted_median(&ascending));
    let (lo, hi) = tails::bca_shares(below, tails::acceleration(&left_out), confidence)?;
    Some(Interval { lo: distribution.quantile(lo)?, hi: distribution.quantile(hi)? })
}

/// Where does the median lie, if its uncertainty varies from resample to resample?
///
/// The studentised interval with the Maritz-Jarrett standard error of each resample. `None` for n < 2, or if
/// the standard error of the sample is 0. O(resamples n log n).
pub fn studentised(values: &[f64], confidence: f64, resampling: Resampling) -> Option<Interval> {
    finite(values)?;
    let weights = maritz_jarrett_weights(values.len());
    statistic::studentised(values, confidence, resampling, |resample| {
        resample.sort_unstable_by(f64::total_cmp);
        (sorted_median(resample), weighted_spread(resample, &weights))
    })
}

/// How uncertain is the median? The Maritz-Jarrett estimate of its standard error.
///
/// With m = ⌊n/2 + 1/2⌋ and W_i = I(i/n; m, n-m+1) - I((i-1)/n; m, n-m+1) of the incomplete beta function,
/// and y the sorted values: se² = Σ W_i y_i² - (Σ W_i y_i)². For odd n it is the exact standard deviation of
/// the bootstrap distribution. Maritz & Jarrett 1978 (JASA 73). `None` for n = 0; 0 for n = 1 and without
/// spread. O(n log n).
pub fn standard_error(values: &[f64]) -> Option<f64> {
    finite(values)?;
    (!values.is_empty()).then(|| weighted_spread(&sorted(values), &maritz_jarrett_weights(values.len())))
}

fn maritz_jarrett_weights(n: usize) -> Vec<f64> {
    let middle = n.div_ceil(2);
    let cumulative = |i: usize| binomial_at_least(middle, n, i as f64 / n as f64);
    (1..=n).map(|i| cumulative(i) - cumulative(i - 1)).collect()
}

fn weighted_spread(ascending: &[f64], weights: &[f64]) -> f64 {
    // Deviations from a value of the sample: without spread all are exactly 0, and squares do not cancel.
    let origin = ascending[ascending.len() / 2];
    let terms = || ascending.iter().zip(weights).map(|(y, w)| (y - origin, w));
    let centre: f64 = terms().map(|(d, w)| w * d).sum();
    let variance: f64 = terms().map(|(d, w)| w * (d - centre).powi(2)).sum();
    variance.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_values_by_hand() {
        // P(median* <= first) = P(Bin(3, 1/3) >= 2) = 7/27 = 0.259; the 20 % tails end at the outer values,
        // the 30 % tails at the middle.
        assert_eq!(percentile(&[5.0, 1.0, 2.0], 0.6), Some(Interval { lo: 1.0, hi: 5.0 }));
        assert_eq!(percentile(&[5.0, 1.0, 2.0], 0.4), Some(Interval { lo: 2.0, hi: 2.0 }));
        // Weights 7/27, 13/27, 7/27 of -1, 0, 1: variance 14/27.
        assert!(
            (standard_error(&[-1.0, 0.0, 1.0]).expect("defined") - (14.0_f64 / 27.0).sqrt()).abs() < 1e-12
        );
    }

    #[test]
    fn a_symmetric_sample_has_a_symmetric_interval() {
        for n in [15, 16, 75, 76] {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i) - f64::from(n - 1) / 2.0).collect();
            for method in [percentile, bca] {
                let found = method(&values, 0.95).expect("defined");
                assert!((found.lo + found.hi).abs() < 1e-9, "n {n}: {found:?}");
            }
        }
    }

    #[test]
    fn edges() {
        let point = Some(Interval { lo: 3.0, hi: 3.0 });
        assert_eq!(percentile(&[], 0.95), None);
        assert_eq!(percentile(&[3.0], 0.95), point);
        assert_eq!(percentile(&[3.0; 8], 0.95), point);
        assert_eq!(bca(&[3.0], 0.95), None);
        assert_eq!(bca(&[3.0; 8], 0.95), point);
        assert_eq!(percentile(&[1.0, 2.0], 1.0), None);
        assert_eq!(percentile(&[1.0, f64::NAN], 0.9), None);
        let draws = Resampling { resamples: 1000, seed: 1 };
        assert_eq!(studentised(&[], 0.95, draws), None);
        assert_eq!(studentised(&[3.0; 8], 0.95, draws), None);
        assert!(studentised(&[1.0, 2.0, 4.0, 3.0, 9.0], 0.9, draws).expect("defined").contains(3.0));
        assert_eq!(standard_error(&[]), None);
        assert_eq!(standard_error(&[2.0]), Some(0.0));
    }
}
