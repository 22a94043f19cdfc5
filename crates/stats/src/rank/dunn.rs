//! Dunn's pairwise comparisons after a Kruskal-Wallis test.

use super::kruskal_wallis::GroupRanks;
use crate::multiplicity::bonferroni;
use crate::reference_distribution::normal_upper_tail;

/// The comparison of one pair of groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DunnComparison {
    /// Position of the first group.
    pub first: usize,
    /// Position of the second group, larger than `first`.
    pub second: usize,
    /// Difference of the mean ranks, first minus second, divided by its standard error.
    pub z: f64,
    /// Two-sided p-value of this pair alone.
    pub p: f64,
    /// Bonferroni-adjusted p-value over all pairs.
    pub adjusted: f64,
}

/// Which pairs of groups differ?
///
/// Assumptions as for [`super::kruskal_wallis`]. z = (R̄_i - R̄_j) / sqrt((N (N + 1) / 12 - Σ(t³ - t) / (12
/// (N - 1))) (1/n_i + 1/n_j)) with the pooled mean ranks R̄, two-sided against the normal distribution,
/// Bonferroni over all k (k - 1) / 2 pairs. Dunn 1964 (Technometrics 6).
///
/// `None` as for [`super::kruskal_wallis`]. O(N log N + k²).
pub fn dunn<Group: AsRef<[f64]>>(groups: &[Group]) -> Option<Vec<DunnComparison>> {
    let ranked = GroupRanks::of(groups)?;
    let n = ranked.total;
    let variance = n * (n + 1.0) / 12.0 - ranked.tie_sum / (12.0 * (n - 1.0));
    let mean_rank = |i: usize| ranked.rank_sums[i] / ranked.sizes[i];
    let mut comparisons = Vec::new();
    for first in 0..groups.len() {
        for second in first + 1..groups.len() {
            let se = (variance * (1.0 / ranked.sizes[first] + 1.0 / ranked.sizes[second])).sqrt();
            let z = (mean_rank(first) - mean_rank(second)) / se;
            let p = (2.0 * normal_upper_tail(z.abs())).min(1.0);
            comparisons.push(DunnComparison { first, second, z, p, adjusted: p });
        }
    }
    let adjusted = bonferroni(&comparisons.iter().map(|pair| pair.p).collect::<Vec<_>>())?;
    for (pair, value) in comparisons.iter_mut().zip(adjusted) {
        pair.adjusted = value;
    }
    Some(comparisons)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_case() {
        // Mean ranks 1.5, 3.5, 5.5; variance 6 * 7 / 12 = 3.5, se = sqrt(3.5 * 1) = 1.870829; z of the outer
        // pair -4 / 1.870829.
        let found = dunn(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).expect("defined");
        assert_eq!(
            found.iter().map(|pair| (pair.first, pair.second)).collect::<Vec<_>>(),
            [(0, 1), (0, 2), (1, 2)]
        );
        assert!((found[1].z + 4.0 / 3.5_f64.sqrt()).abs() < 1e-12);
        assert!((found[1].adjusted - 3.0 * found[1].p).abs() < 1e-12);
        assert_eq!(found[0].adjusted, (3.0 * found[0].p).min(1.0));
    }

    #[test]
    fn questions_without_answer_give_none() {
        assert_eq!(dunn(&[vec![1.0]]), None);
        assert_eq!(dunn(&[vec![1.0], vec![1.0]]), None);
    }
}
