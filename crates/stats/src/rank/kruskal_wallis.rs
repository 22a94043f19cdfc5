//! The Kruskal-Wallis test of several independent samples.

use super::midrank::midranks;
use crate::reference_distribution::chi_squared_upper_tail;
use crate::sample::finite;

/// Result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KruskalWallis {
    /// The statistic, corrected for ties.
    pub h: f64,
    /// Degrees of freedom: number of groups minus one.
    pub df: usize,
    /// Probability of an `h` at least as large under equal distributions.
    pub p: f64,
}

/// Ranks of all groups pooled, as needed by tests over several groups.
pub(super) struct GroupRanks {
    /// Size of each group.
    pub(super) sizes: Vec<f64>,
    /// Sum of the pooled ranks of each group.
    pub(super) rank_sums: Vec<f64>,
    /// Number of all values.
    pub(super) total: f64,
    /// Σ (t³ - t) over all tied groups.
    pub(super) tie_sum: f64,
}

impl GroupRanks {
    /// `None` unless there are at least two groups, none empty, all values finite and not all equal.
    pub(super) fn of<Group: AsRef<[f64]>>(groups: &[Group]) -> Option<GroupRanks> {
        let slices: Vec<&[f64]> = groups.iter().map(AsRef::as_ref).collect();
        if slices.len() < 2 || slices.iter().any(|group| group.is_empty()) {
            return None;
        }
        let pooled = slices.concat();
        finite(&pooled)?;
        let ranked = midranks(&pooled);
        let mut remaining = ranked.ranks.as_slice();
        let mut rank_sums = Vec::with_capacity(slices.len());
        for group in &slices {
            let (own, rest) = remaining.split_at(group.len());
            rank_sums.push(own.iter().sum());
            remaining = rest;
        }
        let total = pooled.len() as f64;
        let all_equal = ranked.tie_sum == total * total * total - total;
        let sizes = slices.iter().map(|group| group.len() as f64).collect();
        (!all_equal).then_some(GroupRanks { sizes, rank_sums, total, tie_sum: ranked.tie_sum })
    }
}

/// Does at least one group tend to have larger or smaller values than the others?
///
/// Assumes independent values; the null hypothesis is equal distributions. The statistic is
/// H = (12 / (N (N + 1)) Σ R_i² / n_i - 3 (N + 1)) / (1 - Σ(t³ - t) / (N³ - N)), compared with chi-squared with
/// k - 1 degrees of freedom, good from about five values per group. Kruskal & Wallis 1952 (JASA 47).
///
/// `None` for fewer than two groups, an empty group, or all values equal. O(N log N).
pub fn kruskal_wallis<Group: AsRef<[f64]>>(groups: &[Group]) -> Option<KruskalWallis> {
    let ranked = GroupRanks::of(groups)?;
    let n = ranked.total;
    let squares: f64 = ranked.rank_sums.iter().zip(&ranked.sizes).map(|(sum, size)| sum * sum / size).sum();
    let uncorrected = 12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0);
    let h = uncorrected / (1.0 - ranked.tie_sum / (n * n * n - n));
    let df = groups.len() - 1;
    Some(KruskalWallis { h, df, p: chi_squared_upper_tail(h.max(0.0), df as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_case() {
        // Ranks 1 2 | 3 4 | 5 6: sums 3 7 11, squares/2 = 4.5 + 24.5 + 60.5 = 89.5; 12/42 * 89.5 - 21 =
        // 4.571429; df 2: p = exp(-h/2).
        let found = kruskal_wallis(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).expect("defined");
        let h = 12.0 / 42.0 * 89.5 - 21.0;
        assert!((found.h - h).abs() < 1e-12 && found.df == 2);
        assert!((found.p - (-h / 2.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn questions_without_answer_give_none() {
        assert_eq!(kruskal_wallis::<Vec<f64>>(&[]), None);
        assert_eq!(kruskal_wallis(&[vec![1.0]]), None);
        assert_eq!(kruskal_wallis(&[vec![1.0], vec![]]), None);
        assert_eq!(kruskal_wallis(&[vec![1.0, 1.0], vec![1.0]]), None);
        assert_eq!(kruskal_wallis(&[vec![1.0, f64::NAN], vec![1.0]]), None);
    }
}
