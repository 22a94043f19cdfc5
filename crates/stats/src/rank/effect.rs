//! Effect sizes that measure how often one value is larger than another.

use super::mann_whitney::u_statistic;

/// How often is a value of the first sample larger than one of the second, ties counting half?
///
/// A12 = U / (n m), from 0 to 1, one half without a tendency. Makes no assumptions. Vargha & Delaney 2000 (J.
/// Educ. Behav. Stat. 25). `None` if a sample is empty. One half if all values are equal. O(n log n).
pub fn vargha_delaney(first: &[f64], second: &[f64]) -> Option<f64> {
    let (u, _) = u_statistic(first, second)?;
    Some(u / (first.len() * second.len()) as f64)
}

/// How much more often is a value of the first sample larger than smaller, compared with one of the second?
///
/// (#(x > y) - #(x < y)) / (n m) = 2 A12 - 1, from -1 to 1. Makes no assumptions. Cliff 1993 (Psychol. Bull.
/// 114). Its size is usually called negligible below 0.147, small below 0.33, and medium below 0.474. `None`
/// if a sample is empty. O(n log n).
pub fn cliffs_delta(first: &[f64], second: &[f64]) -> Option<f64> {
    vargha_delaney(first, second).map(|share| 2.0 * share - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_case() {
        // Pairs of (1, 3) with (2, 3): 1<2, 1<3, 3>2, 3=3: one win, one tie, two losses of four.
        assert_eq!(vargha_delaney(&[1.0, 3.0], &[2.0, 3.0]), Some(1.5 / 4.0));
        assert_eq!(cliffs_delta(&[1.0, 3.0], &[2.0, 3.0]), Some(-1.0 / 4.0));
    }

    #[test]
    fn edges() {
        assert_eq!(cliffs_delta(&[1.0; 3], &[1.0; 2]), Some(0.0));
        assert_eq!(cliffs_delta(&[5.0], &[1.0]), Some(1.0));
        assert_eq!(cliffs_delta(&[], &[1.0]), None);
        assert_eq!(vargha_delaney(&[1.0], &[f64::INFINITY]), None);
    }
}
