//! The Wilcoxon signed-rank test of one sample or of paired differences.

use super::midrank::midranks;
use crate::Alternative;
use crate::reference_distribution::normal_upper_tail;
use crate::sample::finite;

/// Sample size up to which the exact distribution is used without ties and zeros (as SciPy's `method="auto"`).
const EXACT_UP_TO: usize = 50;

/// The same with ties or zeros.
const EXACT_TIED_UP_TO: usize = 13;

/// Result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRank {
    /// Sum of the ranks of positive values.
    pub positive: f64,
    /// Sum of the ranks of negative values.
    pub negative: f64,
    /// Values other than zero.
    pub n: usize,
    /// Probability of a `positive` at least as extreme under symmetry about zero.
    pub p: f64,
    /// Whether `p` comes from the exact distribution, not from the normal approximation.
    pub exact: bool,
}

/// Are values more often on one side of zero?
///
/// Assumes that under the null hypothesis the sign of each value is a fair coin given its size. Zeros are
/// left out (Wilcoxon's own treatment), and ties share ranks. Exact up to 50 values, or up to 13 with ties or
/// zeros. Otherwise the normal approximation with tie correction and without continuity correction. Wilcoxon
/// 1945 (Biometrics Bull. 1).
///
/// `None` for an empty sample and for zeros only. O(n log n); exact O(n³).
pub fn signed_rank(values: &[f64], alternative: Alternative) -> Option<SignedRank> {
    let ranked = Ranked::of(values)?;
    let plain = ranked.tie_sum == 0.0 && ranked.doubled.len() == values.len();
    let limit = if plain { EXACT_UP_TO } else { EXACT_TIED_UP_TO };
    Some(ranked.test(alternative, values.len() <= limit))
}

/// As [`signed_rank`], with the exact conditional distribution at every size, even with ties and zeros.
///
/// This is the distribution of the sum of the given (possibly shared) ranks over all 2^n equally likely
/// signs. O(n³) time, O(n²) memory: meant for up to a few hundred values.
pub fn signed_rank_exact(values: &[f64], alternative: Alternative) -> Option<SignedRank> {
    Some(Ranked::of(values)?.test(alternative, true))
}

/// The sizes of all non-zero values as ranks, with their signs.
struct Ranked {
    /// Twice each rank, so that ranks are whole numbers in spite of ties.
    doubled: Vec<usize>,
    is_positive: Vec<bool>,
    tie_sum: f64,
}

impl Ranked {
    fn of(values: &[f64]) -> Option<Ranked> {
        finite(values)?;
        let kept: Vec<f64> = values.iter().copied().filter(|&value| value != 0.0).collect();
        if kept.is_empty() {
            return None;
        }
        let sizes: Vec<f64> = kept.iter().map(|value| value.abs()).collect();
        let ranked = midranks(&sizes);
        Some(Ranked {
            doubled: ranked.ranks.iter().map(|rank| (2.0 * rank) as usize).collect(),
            is_positive: kept.iter().map(|&value| value > 0.0).collect(),
            tie_sum: ranked.tie_sum,
        })
    }

    fn test(&self, alternative: Alternative, exact: bool) -> SignedRank {
        let total: usize = self.doubled.iter().sum();
        let positive: usize =
            self.doubled.iter().zip(&self.is_positive).filter(|(_, up)| **up).map(|(rank, _)| rank).sum();
        let (lower, upper) =
            if exact { self.exact_tails(positive, total) } else { self.normal_tails(positive as f64 / 2.0) };
        SignedRank {
            positive: positive as f64 / 2.0,
            negative: (total - positive) as f64 / 2.0,
            n: self.doubled.len(),
            p: alternative.p_value(lower, upper),
            exact,
        }
    }

    /// Adds one rank after the other, each counted or not with probability one half.
    fn exact_tails(&self, positive: usize, total: usize) -> (f64, f64) {
        let mut probability = vec![0.0_f64; total + 1];
        probability[0] = 1.0;
        let mut reached = 0;
        for &rank in &self.doubled {
            reached += rank;
            for sum in (0..=reached).rev() {
                let counted = if sum >= rank { probability[sum - rank] } else { 0.0 };
                probability[sum] = 0.5 * (probability[sum] + counted);
            }
        }
        // By symmetry the upper tail is the lower tail of the mirrored sum. Adding from the small end loses
        // no digits.
        (probability[..=positive].iter().sum(), probability[..=total - positive].iter().sum())
    }

    fn normal_tails(&self, positive: f64) -> (f64, f64) {
        let n = self.doubled.len() as f64;
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - self.tie_sum / 2.0) / 24.0;
        let z = (positive - n * (n + 1.0) / 4.0) / variance.sqrt();
        (normal_upper_tail(-z), normal_upper_tail(z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], alternative: Alternative, expected: f64) {
        let p = signed_rank(values, alternative).expect("defined").p;
        assert!((p - expected).abs() < 1e-14, "{p} instead of {expected}");
    }

    #[test]
    fn hand_cases() {
        // Ranks 1 2 3; only -1 is negative, so W+ = 5. Of 8 sign patterns 5 and 6 occur once each.
        check(&[-1.0, 2.0, 3.0], Alternative::Greater, 2.0 / 8.0);
        check(&[-1.0, 2.0, 3.0], Alternative::TwoSided, 4.0 / 8.0);
        // W+ <= 5 excludes only 6.
        check(&[-1.0, 2.0, 3.0], Alternative::Less, 7.0 / 8.0);
        // Both ranks 1.5: sums 0, 1.5, 1.5, 3; the zero is left out.
        check(&[1.0, 1.0, 0.0], Alternative::Greater, 1.0 / 4.0);
        check(&[1.0, -1.0, 0.0], Alternative::Greater, 3.0 / 4.0);
    }

    #[test]
    fn exact_and_normal_agree_for_many_values() {
        let values: Vec<f64> = (1..=60).map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let approximate = signed_rank(&values, Alternative::Greater).expect("defined");
        let exact = signed_rank_exact(&values, Alternative::Greater).expect("defined");
        assert!(!approximate.exact && exact.exact);
        assert!((approximate.p / exact.p - 1.0).abs() < 0.2, "{} and {}", approximate.p, exact.p);
    }

    #[test]
    fn edges() {
        assert_eq!(signed_rank(&[], Alternative::TwoSided), None);
        assert_eq!(signed_rank(&[0.0, 0.0], Alternative::TwoSided), None);
        assert_eq!(signed_rank(&[f64::NAN], Alternative::TwoSided), None);
        check(&[3.0], Alternative::Greater, 0.5);
        check(&[3.0], Alternative::TwoSided, 1.0);
    }
}
