//! How much of a variance is between groups, and how much within.

use crate::sample::{finite, plain_mean, squared_deviations};

/// The two components of a balanced one-way layout, as variances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VarianceComponents {
    /// Mean of all values.
    pub mean: f64,
    /// Variance of the group level, never negative.
    pub between: f64,
    /// Variance of one value inside its group.
    pub within: f64,
    /// Whether the estimate of `between` was negative and was raised to 0, because the noise within groups
    /// dominates.
    pub floored: bool,
}

/// Do values differ because their groups differ, or inside each group?
///
/// Assumes k groups of n independent values each, x_ij = mean + group_i + noise_ij with one variance each.
/// With the mean squares MSB = n Σ (x̄_i - x̄)² / (k - 1) and MSW = Σ (x_ij - x̄_i)² / (k (n - 1)): within =
/// MSW, between = max(0, (MSB - MSW) / n). The analysis-of- variance estimator; Searle, Casella & McCulloch
/// 1992 (Variance Components, ch. 3).
///
/// `None` unless there are at least 2 groups, all of the same size of at least 2. Ties need no special
/// treatment. Without spread both are 0. Linear.
pub fn variance_components<Group: AsRef<[f64]>>(groups: &[Group]) -> Option<VarianceComponents> {
    let k = groups.len();
    let n = groups.first()?.as_ref().len();
    if k < 2 || n < 2 || groups.iter().any(|group| group.as_ref().len() != n) {
        return None;
    }
    let mut means = Vec::with_capacity(k);
    let mut squares_within = 0.0;
    for group in groups {
        finite(group.as_ref())?;
        let centre = plain_mean(group.as_ref());
        squares_within += squared_deviations(group.as_ref(), centre);
        means.push(centre);
    }
    let mean = plain_mean(&means);
    let within = squares_within / (k * (n - 1)) as f64;
    let mean_square_between = n as f64 * squared_deviations(&means, mean) / (k - 1) as f64;
    let estimate = (mean_square_between - within) / n as f64;
    Some(VarianceComponents { mean, between: estimate.max(0.0), within, floored: estimate < 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_case() {
        // Group means 2, 6; overall 4. MSB = 2 * (4 + 4) / 1 = 16; MSW = (2 + 2) / 2 = 2; between (16 - 2) / 2 = 7.
        let found = variance_components(&[[1.0, 3.0], [5.0, 7.0]]).expect("defined");
        assert_eq!(found, VarianceComponents { mean: 4.0, between: 7.0, within: 2.0, floored: false });
    }

    #[test]
    fn equal_group_means_are_floored_at_zero() {
        let found = variance_components(&[[1.0, 3.0], [0.0, 4.0]]).expect("defined");
        assert!(found.floored && found.between == 0.0 && found.within == 5.0);
    }

    #[test]
    fn unbalanced_or_tiny_layouts_give_none() {
        assert_eq!(variance_components::<Vec<f64>>(&[]), None);
        assert_eq!(variance_components(&[vec![1.0, 2.0]]), None);
        assert_eq!(variance_components(&[vec![1.0], vec![2.0]]), None);
        assert_eq!(variance_components(&[vec![1.0, 2.0], vec![1.0, 2.0, 3.0]]), None);
        assert_eq!(variance_components(&[vec![1.0, f64::NAN], vec![1.0, 2.0]]), None);
    }
}
