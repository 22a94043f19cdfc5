//! Intervals of a rate, given the numbers of successes and attempts.

use crate::Interval;
use crate::reference_distribution::{beta_quantile, normal_quantile};
use crate::sample::open_share;

/// Which rates are compatible with the counts, on average over rates?
///
/// Assumes independent attempts with one rate. The score interval (p + z²/2n ∓ z sqrt(p(1-p)/n + z²/4n²)) /
/// (1 + z²/n); its coverage is close to `confidence` on average and may fall a little below it. Wilson 1927
/// (JASA 22). `None` for no attempts, more successes than attempts, or `confidence` outside (0, 1). Constant
/// time.
pub fn wilson(successes: u64, attempts: u64, confidence: f64) -> Option<Interval> {
    counts(successes, attempts, confidence)?;
    let n = attempts as f64;
    let p = successes as f64 / n;
    let z = normal_quantile(0.5 + confidence / 2.0);
    let shrink = 1.0 + z * z / n;
    let middle = (p + z * z / (2.0 * n)) / shrink;
    let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / shrink;
    // At the ends of the range the formula is exactly 0 or 1, up to rounding.
    let lo = if successes == 0 { 0.0 } else { middle - reach };
    let hi = if successes == attempts { 1.0 } else { middle + reach };
    Some(Interval { lo, hi })
}

/// Which rates are compatible with the counts, with at least the stated confidence for every rate?
///
/// Assumes independent attempts with one rate. Quantiles of beta distributions: lower a/2 of Beta(k, n-k+1),
/// upper 1-a/2 of Beta(k+1, n-k). Clopper & Pearson 1934 (Biometrika 26). `None` as for [`wilson`]. A few
/// microseconds.
pub fn clopper_pearson(successes: u64, attempts: u64, confidence: f64) -> Option<Interval> {
    counts(successes, attempts, confidence)?;
    let (k, n) = (successes as f64, attempts as f64);
    let tail = (1.0 - confidence) / 2.0;
    let lo = if successes == 0 { 0.0 } else { beta_quantile(tail, k, n - k + 1.0) };
    let hi = if successes == attempts { 1.0 } else { beta_quantile(1.0 - tail, k + 1.0, n - k) };
    Some(Interval { lo, hi })
}

fn counts(successes: u64, attempts: u64, confidence: f64) -> Option<()> {
    open_share(confidence)?;
    (attempts > 0 && successes <= attempts).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_cases() {
        // No success in n: the exact upper end solves (1 - p)^n = 0.025; n = 10: 1 - 0.025^(1/10).
        let exact = clopper_pearson(0, 10, 0.95).expect("defined");
        assert_eq!(exact.lo, 0.0);
        assert!((exact.hi - (1.0 - 0.025_f64.powf(0.1))).abs() < 1e-12);
        // Wilson's upper end for no success is z² / (n + z²).
        let score = wilson(0, 10, 0.95).expect("defined");
        let z2 = 1.959963984540054_f64.powi(2);
        assert!((score.hi - z2 / (10.0 + z2)).abs() < 1e-12 && score.lo == 0.0);
    }

    #[test]
    fn successes_and_failures_mirror() {
        for method in [wilson, clopper_pearson] {
            let (few, many) = (method(3, 40, 0.9).expect("defined"), method(37, 40, 0.9).expect("defined"));
            assert!((few.lo - (1.0 - many.hi)).abs() < 1e-12 && (few.hi - (1.0 - many.lo)).abs() < 1e-12);
            assert_eq!(method(10, 10, 0.9).expect("defined").hi, 1.0);
        }
    }

    #[test]
    fn impossible_counts_give_none() {
        for method in [wilson, clopper_pearson] {
            assert_eq!(method(0, 0, 0.95), None);
            assert_eq!(method(2, 1, 0.95), None);
            assert_eq!(method(1, 2, 1.0), None);
            assert_eq!(method(1, 2, f64::NAN), None);
        }
    }
}
