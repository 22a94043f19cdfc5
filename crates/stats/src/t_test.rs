//! Student's t tests of means, with intervals.

use crate::reference_distribution::{t_cdf, t_quantile};
use crate::sample::{finite, open_share, plain_mean, squared_deviations};
use crate::{Alternative, Interval};

/// Result of a t test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// Estimated mean, or mean of the first sample minus mean of the second.
    pub estimate: f64,
    /// Standard error of `estimate`, positive.
    pub se: f64,
    /// The statistic: (estimate - value under the null hypothesis) / se.
    pub t: f64,
    /// Degrees of freedom, fractional for Welch's test.
    pub df: f64,
    /// Probability of a statistic at least as extreme under the null hypothesis.
    pub p: f64,
    /// Two-sided interval of `estimate`, whatever the alternative of the test.
    pub interval: Interval,
}

/// Does the mean of one sample differ from `null`?
///
/// Assumes independent values that are normal or many. t = (x̄ - null) / (s / √n) with n - 1 degrees of
/// freedom. Student 1908 (Biometrika 6). `None` for n < 2, no spread, or `confidence` outside (0, 1). Ties
/// need no special treatment. Linear.
pub fn one_sample(values: &[f64], null: f64, alternative: Alternative, confidence: f64) -> Option<TTest> {
    finite(values)?;
    finite(&[null])?;
    let side = Side::of(values)?;
    finish(side.mean, side.variance / side.n, null, side.n - 1.0, alternative, confidence)
}

/// Does the mean difference first - second of paired values differ from 0?
///
/// The [`one_sample`] test of the differences. `None` also if the lengths differ.
pub fn paired(first: &[f64], second: &[f64], alternative: Alternative, confidence: f64) -> Option<TTest> {
    if first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    one_sample(&differences, 0.0, alternative, confidence)
}

/// Do the means of two independent samples differ, with any variances?
///
/// Assumes independent values that are normal or many. se² = v₁/n₁ + v₂/n₂, degrees of freedom by
/// Satterthwaite: se⁴ / Σ (v_i/n_i)²/(n_i - 1). Welch 1947 (Biometrika 34). `None` if a sample has fewer than
/// 2 values or neither has spread. Linear.
pub fn welch(first: &[f64], second: &[f64], alternative: Alternative, confidence: f64) -> Option<TTest> {
    let (a, b) = sides(first, second)?;
    let (share_a, share_b) = (a.variance / a.n, b.variance / b.n);
    let squared_se = share_a + share_b;
    // Shares of the whole stay in the range of floats when squared, even for very small or very large
    // variances.
    let part = share_a / squared_se;
    let df = 1.0 / (part.powi(2) / (a.n - 1.0) + (1.0 - part).powi(2) / (b.n - 1.0));
    finish(a.mean - b.mean, squared_se, 0.0, df, alternative, confidence)
}

/// Do the means of two independent samples with a common variance differ?
///
/// As [`welch`], with the pooled variance ((n₁-1)v₁ + (n₂-1)v₂) / (n₁+n₂-2) and n₁+n₂-2 degrees of freedom.
/// Student 1908 (Biometrika 6).
pub fn pooled(first: &[f64], second: &[f64], alternative: Alternative, confidence: f64) -> Option<TTest> {
    let (a, b) = sides(first, second)?;
    let df = a.n + b.n - 2.0;
    let variance = ((a.n - 1.0) * a.variance + (b.n - 1.0) * b.variance) / df;
    finish(a.mean - b.mean, variance * (1.0 / a.n + 1.0 / b.n), 0.0, df, alternative, confidence)
}

/// The data of one sample for a t test.
struct Side {
    n: f64,
    mean: f64,
    variance: f64,
}

impl Side {
    fn of(values: &[f64]) -> Option<Side> {
        if values.len() < 2 {
            return None;
        }
        let mean = plain_mean(values);
        let variance = squared_deviations(values, mean) / (values.len() - 1) as f64;
        Some(Side { n: values.len() as f64, mean, variance })
    }
}

fn sides(first: &[f64], second: &[f64]) -> Option<(Side, Side)> {
    finite(first)?;
    finite(second)?;
    Some((Side::of(first)?, Side::of(second)?))
}

fn finish(
    estimate: f64,
    squared_se: f64,
    null: f64,
    df: f64,
    alternative: Alternative,
    confidence: f64,
) -> Option<TTest> {
    open_share(confidence)?;
    let se = squared_se.sqrt();
    // Without spread there is no scale for a difference. NaN from overflow is handled here as well.
    if !(se > 0.0 && se.is_finite()) {
        return None;
    }
    let t = (estimate - null) / se;
    let p = alternative.p_value(t_cdf(t, df), t_cdf(-t, df));
    let reach = t_quantile(0.5 + confidence / 2.0, df) * se;
    let interval = Interval { lo: estimate - reach, hi: estimate + reach };
    Some(TTest { estimate, se, t, df, p, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_case_one_sample() {
        // 1, 2, 3: mean 2, s = 1, se = 1/√3, t = 2√3 = 3.4641; df 2: P(T > t) = 1/2 - t / (2 √(2 + t²)) =
        // 0.0370900, twice 0.0741799.
        let found = one_sample(&[1.0, 2.0, 3.0], 0.0, Alternative::TwoSided, 0.95).expect("defined");
        assert!((found.t - 12.0_f64.sqrt()).abs() < 1e-12);
        assert!((found.p - (1.0 - (12.0_f64 / 14.0).sqrt())).abs() < 1e-9);
        assert!(found.interval.contains(0.0));
    }

    #[test]
    fn hand_case_two_samples() {
        // Means 2 and 5, variances 1 and 1, n = 3 each: se² = 2/3, t = -3 / √(2/3), df 4 for both kinds.
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        for kind in [welch, pooled] {
            let found = kind(&a, &b, Alternative::Less, 0.95).expect("defined");
            assert!((found.t + 3.0 / (2.0_f64 / 3.0).sqrt()).abs() < 1e-12 && (found.df - 4.0).abs() < 1e-12);
            assert!(found.p < 0.05 && !found.interval.contains(0.0));
            assert!(kind(&a, &b, Alternative::Greater, 0.95).expect("defined").p > 0.95);
        }
    }

    #[test]
    fn questions_without_answer_give_none() {
        let two = Alternative::TwoSided;
        assert_eq!(one_sample(&[], 0.0, two, 0.95), None);
        assert_eq!(one_sample(&[1.0], 0.0, two, 0.95), None);
        assert_eq!(one_sample(&[1.0, 1.0], 0.0, two, 0.95), None);
        assert_eq!(one_sample(&[1.0, 2.0], f64::NAN, two, 0.95), None);
        assert_eq!(one_sample(&[1.0, 2.0], 0.0, two, 1.0), None);
        assert_eq!(paired(&[1.0, 2.0], &[1.0], two, 0.95), None);
        assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0], two, 0.95), None);
        assert_eq!(pooled(&[1.0, 2.0], &[f64::NAN, 2.0], two, 0.95), None);
    }
}
