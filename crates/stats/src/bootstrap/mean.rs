//! Bootstrap intervals of the mean.

use super::draw::resample_sums;
use super::tails::{acceleration, bca_shares, quantile_pair, share_below};
use super::{MeanResamples, Resampling};
use crate::Interval;
use crate::sample::{finite, open_share, plain_mean};

/// Where does the mean lie? The middle part of the means of all resamples.
///
/// Assumes independent values and a distribution of the mean that is symmetric and of constant width. Efron
/// 1979 (Ann. Stat. 7). `None` for n = 0, fewer than 2 resamples or `confidence` outside (0, 1); n = 1 and no
/// spread give a point. O(n resamples).
pub fn percentile(values: &[f64], confidence: f64, resampling: Resampling) -> Option<Interval> {
    check(values, confidence, resampling)?;
    let mut means = resample_means(values, resampling);
    let tail = (1.0 - confidence) / 2.0;
    Some(quantile_pair(&mut means, tail, 1.0 - tail))
}

/// Where does the mean lie, allowing for skew and bias of its distribution?
///
/// As [`percentile`], with shares corrected by the share of resamples below the estimate and by the skewness
/// of the sample, which is the result of leaving out one value at a time. Efron 1987 (JASA 82). `None` also
/// for n = 1 and without spread.
pub fn bca(values: &[f64], confidence: f64, resampling: Resampling) -> Option<Interval> {
    check(values, confidence, resampling)?;
    let mut means = resample_means(values, resampling);
    // The mean without x_i is an affine, falling function of x_i. The formula does not depend on scale and
    // offset.
    let left_out: Vec<f64> = values.iter().map(|value| -value).collect();
    let (lo, hi) = bca_shares(share_below(&means, plain_mean(values)), acceleration(&left_out), confidence)?;
    Some(quantile_pair(&mut means, lo, hi))
}

/// Where does the mean lie, if its uncertainty varies from resample to resample?
///
/// The quantiles q of t* = (mean* - mean) / (s* / √n) over the resamples give \[mean - q_hi s/√n, mean - q_lo
/// s/√n\], s with n - 1. Hall 1988 (Ann. Stat. 16). A resample without spread has no t* and is left out.
/// `None` also for n < 2, without spread, or if fewer than 2 resamples are left.
pub fn studentised(values: &[f64], confidence: f64, resampling: Resampling) -> Option<Interval> {
    MeanResamples::draw(values, resampling)?.studentised(confidence)
}

/// As [`studentised`], but a resample without spread gets the spread `floor`, which makes its t* very large.
/// This is what the prototype of Japke et al. 2025 does. Below five values nearly every interval is then
/// useless. `None` also for n < 2.
pub fn studentised_with_floor(
    values: &[f64],
    confidence: f64,
    resampling: Resampling,
    floor: f64,
) -> Option<Interval> {
    MeanResamples::draw(values, resampling)?.studentised_with_floor(confidence, floor)
}

pub(super) fn check(values: &[f64], confidence: f64, resampling: Resampling) -> Option<()> {
    finite(values)?;
    open_share(confidence)?;
    (!values.is_empty() && values.len() < u32::MAX as usize && resampling.resamples >= 2).then_some(())
}

pub(super) fn resample_means(values: &[f64], resampling: Resampling) -> Vec<f64> {
    // Deviations from the mean preserve the digits of small spreads around large values.
    let centre = plain_mean(values);
    let rows: Vec<[f64; 1]> = values.iter().map(|value| [value - centre]).collect();
    let n = values.len() as f64;
    resample_sums(&rows, resampling).into_iter().map(|[sum]| centre + sum / n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::squared_deviations;

    const DRAWS: Resampling = Resampling { resamples: 200_000, seed: 11 };

    #[test]
    fn two_values_by_hand() {
        // Means of resamples of 0, 1: 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4.
        assert_eq!(percentile(&[0.0, 1.0], 0.6, DRAWS), Some(Interval { lo: 0.0, hi: 1.0 }));
        assert_eq!(percentile(&[0.0, 1.0], 0.4, DRAWS), Some(Interval { lo: 0.5, hi: 0.5 }));
    }

    #[test]
    fn large_samples_agree_with_the_normal_interval() {
        let values: Vec<f64> = (0..400).map(|i| f64::from((i * 7919) % 401)).collect();
        let mean = plain_mean(&values);
        let se = (squared_deviations(&values, mean) / 400.0 / 400.0).sqrt();
        for method in [percentile, bca, studentised] {
            let found = method(&values, 0.95, DRAWS).expect("defined");
            assert!((found.lo - (mean - 1.96 * se)).abs() < 0.03 * se, "{found:?}");
            assert!((found.hi - (mean + 1.96 * se)).abs() < 0.03 * se, "{found:?}");
        }
    }

    #[test]
    fn edges() {
        for method in [percentile, bca, studentised] {
            assert_eq!(method(&[], 0.95, DRAWS), None);
            assert_eq!(method(&[1.0, f64::NAN], 0.95, DRAWS), None);
            assert_eq!(method(&[1.0, 2.0], 0.0, DRAWS), None);
            assert_eq!(method(&[1.0, 2.0], 0.95, Resampling { resamples: 1, seed: 0 }), None);
        }
        let point = Some(Interval { lo: 3.0, hi: 3.0 });
        assert_eq!(percentile(&[3.0], 0.95, DRAWS), point);
        assert_eq!(percentile(&[3.0; 10], 0.95, DRAWS), point);
        assert_eq!(studentised(&[3.0; 10], 0.95, DRAWS), None);
    }

    #[test]
    fn resamples_of_equal_values_do_not_blow_up_the_studentised_interval() {
        let found = studentised(&[1.0, 1.1, 1.2], 0.95, DRAWS).expect("defined");
        assert!(found.lo.is_finite() && found.hi.is_finite() && found.lo < found.hi);
    }
}
