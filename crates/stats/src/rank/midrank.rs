//! Ranks in which ties get the mean of their positions.

/// Ranks of a pooled sample.
pub(super) struct Midranks {
    /// Rank of each value in the order given, from 1; a multiple of one half, so exact.
    pub(super) ranks: Vec<f64>,
    /// Σ (t³ - t) over all groups of t equal values; 0 without ties.
    pub(super) tie_sum: f64,
}

/// Ranks finite values. O(n log n).
pub(super) fn midranks(values: &[f64]) -> Midranks {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; n];
    let mut tie_sum = 0.0;
    let mut start = 0;
    while start < n {
        // Compared with `==`, so that 0 and -0 are equal although `total_cmp` orders them.
        let equal = order[start..].iter().take_while(|&&i| values[i] == values[order[start]]).count();
        let shared = start as f64 + (equal as f64 + 1.0) / 2.0;
        for &i in &order[start..start + equal] {
            ranks[i] = shared;
        }
        let t = equal as f64;
        tie_sum += t * t * t - t;
        start += equal;
    }
    Midranks { ranks, tie_sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_mean_of_their_places() {
        let found = midranks(&[3.0, 1.0, 3.0, 0.0, -0.0, 3.0]);
        assert_eq!(found.ranks, [5.0, 3.0, 5.0, 1.5, 1.5, 5.0]);
        // 2³ - 2 + 3³ - 3.
        assert_eq!(found.tie_sum, 30.0);
        assert!(midranks(&[]).ranks.is_empty());
    }
}
