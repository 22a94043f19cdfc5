//! The Mann-Whitney U test of two independent samples.

use super::midrank::midranks;
use crate::Alternative;
use crate::reference_distribution::{normal_quantile, normal_upper_tail};
use crate::sample::finite;

/// The largest size of the smaller sample for which the exact distribution is used (as in SciPy's
/// `method="auto"`).
const EXACT_UP_TO: usize = 8;

/// Result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MannWhitney {
    /// Number of pairs in which the value of the first sample is larger; a tied pair counts one half.
    pub u: f64,
    /// Probability of a `u` at least as extreme under equal distributions.
    pub p: f64,
    /// Whether `p` comes from the exact distribution, not from the normal approximation.
    pub exact: bool,
}

/// Do values of the first sample tend to be larger or smaller than those of the second?
///
/// Assumes independent values; the null hypothesis is equal distributions. Exact for samples without ties of
/// which one has at most 8 values; otherwise the normal approximation with tie and continuity correction.
/// Mann & Whitney 1947 (Ann. Math. Stat. 18).
///
/// `None` if a sample is empty. If all values are equal, p = 1. O(n log n); exact O(n m min(n, m)²).
pub fn mann_whitney(first: &[f64], second: &[f64], alternative: Alternative) -> Option<MannWhitney> {
    test(first, second, alternative, |n, m| n.min(m) <= EXACT_UP_TO)
}

/// As [`mann_whitney`], with the exact distribution up to 400 pairs. For two samples of ten that do not
/// overlap, the p-value of the normal approximation is more than ten times the true one.
pub fn mann_whitney_exact(first: &[f64], second: &[f64], alternative: Alternative) -> Option<MannWhitney> {
    test(first, second, alternative, |n, m| n.min(m) <= EXACT_UP_TO || n * m <= EXACT_PAIRS)
}

fn test(
    first: &[f64],
    second: &[f64],
    alternative: Alternative,
    is_cheap: fn(usize, usize) -> bool,
) -> Option<MannWhitney> {
    let (u, tie_sum) = u_statistic(first, second)?;
    let (n, m) = (first.len(), second.len());
    let exact = tie_sum == 0.0 && is_cheap(n, m);
    let (lower, upper) = if exact {
        let distribution = exact_distribution(n.min(m), n.max(m));
        let at = u as usize;
        // The distribution is symmetric: P(U <= u) = P(U >= nm - u).
        (distribution[..=at].iter().sum(), distribution[..=n * m - at].iter().sum())
    } else {
        normal_tails(u, n as f64, m as f64, tie_sum)
    };
    Some(MannWhitney { u, p: alternative.p_value(lower, upper), exact })
}

/// U of the first sample, and the tie sum of the pooled ranks.
pub(super) fn u_statistic(first: &[f64], second: &[f64]) -> Option<(f64, f64)> {
    finite(first)?;
    finite(second)?;
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let pooled = midranks(&[first, second].concat());
    let rank_sum: f64 = pooled.ranks[..first.len()].iter().sum();
    let n = first.len() as f64;
    Some((rank_sum - n * (n + 1.0) / 2.0, pooled.tie_sum))
}

/// The largest product of sizes for which the exact distribution is fast: a fraction of a millisecond.
const EXACT_PAIRS: usize = 400;

/// How many of the smallest, and of the largest, of the n m pairwise differences an interval of the shift
/// leaves out, so that it contains the shift with at least `confidence`. `None` if even all differences are
/// not enough.
///
/// The largest c with P(U <= c - 1) <= (1 - confidence) / 2: exact up to 400 pairs, otherwise with the normal
/// approximation. Ties make the interval wider than necessary.
pub(crate) fn left_out(n: usize, m: usize, confidence: f64) -> Option<usize> {
    let tail = (1.0 - confidence) / 2.0;
    if n * m > EXACT_PAIRS {
        let (pairs, total) = ((n * m) as f64, (n + m) as f64);
        let sd = (pairs * (total + 1.0) / 12.0).sqrt();
        let c = (pairs / 2.0 - normal_quantile(1.0 - tail) * sd).floor();
        return (c >= 1.0).then_some(c as usize - 1);
    }
    let mut below = 0.0;
    let mut outside = None;
    for (u, probability) in exact_distribution(n.min(m), n.max(m)).iter().enumerate() {
        below += probability;
        if below > tail {
            break;
        }
        outside = Some(u);
    }
    outside
}

/// `P(U <= u)` and `P(U >= u)` by the normal approximation.
fn normal_tails(u: f64, n: f64, m: f64, tie_sum: f64) -> (f64, f64) {
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - tie_sum / (total * (total - 1.0)));
    if variance <= 0.0 {
        return (1.0, 1.0);
    }
    let (distance, sd) = (u - n * m / 2.0, variance.sqrt());
    (normal_upper_tail((-distance - 0.5) / sd), normal_upper_tail((distance - 0.5) / sd))
}

/// Probabilities of U = 0, 1, ..., nm without ties.
///
/// Counts the ways to choose n of n + m positions by their rank sum, position by position: `ways[k][u]` are
/// choices of k positions so far with statistic u. There are only additions, so no digits are lost if the
/// counts exceed 2^53.
fn exact_distribution(n: usize, m: usize) -> Vec<f64> {
    let largest = n * m;
    let mut ways = vec![vec![0.0_f64; largest + 1]; n + 1];
    ways[0][0] = 1.0;
    for place in 0..n + m {
        for k in (1..=n.min(place + 1)).rev() {
            // Choosing this position as the k-th adds as many pairs as there are unchosen positions before
            // it.
            let gained = place + 1 - k;
            if gained > m {
                continue;
            }
            let (before, after) = ways.split_at_mut(k);
            for u in gained..=largest {
                after[0][u] += before[k - 1][u - gained];
            }
        }
    }
    let total: f64 = ways[n].iter().sum();
    ways[n].iter().map(|count| count / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_distribution_by_hand() {
        // Two of four places: rank sums 3 4 5 5 6 7, so U = 0 1 2 2 3 4.
        assert_eq!(exact_distribution(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0].map(|ways| ways / 6.0));
    }

    #[test]
    fn separated_samples() {
        // All 3 * 3 pairs lose: U = 0, one of C(6,3) = 20 orders.
        let found = mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Alternative::Less).expect("defined");
        assert_eq!((found.u, found.exact), (0.0, true));
        assert!((found.p - 0.05).abs() < 1e-15);
        let two = mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Alternative::TwoSided).expect("defined");
        assert!((two.p - 0.1).abs() < 1e-15);
    }

    #[test]
    fn exact_test_of_ten_and_ten() {
        // One order of C(20, 10) = 184756 and its mirror image.
        let (a, b): (Vec<f64>, Vec<f64>) =
            ((0..10).map(f64::from).collect(), (10..20).map(f64::from).collect());
        let exact = mann_whitney_exact(&a, &b, Alternative::TwoSided).expect("defined");
        assert!(exact.exact && (exact.p - 2.0 / 184_756.0).abs() < 1e-15, "{exact:?}");
        let approximate = mann_whitney(&a, &b, Alternative::TwoSided).expect("defined");
        assert!(!approximate.exact && approximate.p > 10.0 * exact.p);
        assert_eq!(
            mann_whitney_exact(&a[..3], &b[..3], Alternative::Less),
            mann_whitney(&a[..3], &b[..3], Alternative::Less)
        );
    }

    #[test]
    fn edges() {
        assert_eq!(mann_whitney(&[], &[1.0], Alternative::TwoSided), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0], Alternative::TwoSided), None);
        let equal = mann_whitney(&[2.0; 4], &[2.0; 5], Alternative::TwoSided).expect("defined");
        assert_eq!((equal.u, equal.p, equal.exact), (10.0, 1.0, false));
        let single = mann_whitney(&[1.0], &[2.0], Alternative::Less).expect("defined");
        assert_eq!(single.p, 0.5);
    }
}
