//! Whether values rise or fall in the order in which they were measured.

use std::collections::BTreeMap;

use crate::reference_distribution::normal_upper_tail;

/// A trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Pairs in which the later value is larger, less those in which it is smaller.
    pub score: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Do values tend to rise or to fall?
///
/// The test of Mann (1945, Econometrica 13) and Kendall, with the variance for ties and the correction for continuity. Assumes
/// independent values if there is no trend. The normal approximation is good from about eight values on and conservative below
/// that. `None` below three values or if a value is NaN; all values equal gives 1. O(n²).
pub fn mann_kendall(values: &[f64]) -> Option<Trend> {
    let n = values.len();
    if n < 3 || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut score = 0.0;
    for (at, earlier) in values.iter().enumerate() {
        for later in &values[at + 1..] {
            score += f64::from(i8::from(later > earlier) - i8::from(later < earlier));
        }
    }
    let mut ties: BTreeMap<u64, f64> = BTreeMap::new();
    // Adding zero makes one of both zeros.
    values.iter().for_each(|value| *ties.entry((value + 0.0).to_bits()).or_default() += 1.0);
    let sum = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let variance = (sum(n as f64) - ties.values().map(|count| sum(*count)).sum::<f64>()) / 18.0;
    let p = match variance > 0.0 && score != 0.0 {
        true => (2.0 * normal_upper_tail((score.abs() - 1.0) / variance.sqrt())).min(1.0),
        false => 1.0,
    };
    Some(Trend { score, p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_values() {
        // R's package Kendall, MannKendall(PrecipGL) has ties; here by hand: n = 7 rising, S = 21, variance 7·6·19 / 18 = 44.33.
        let rising = mann_kendall(&[10.0, 10.4, 10.9, 11.5, 12.0, 12.8, 13.1]).unwrap();
        assert_eq!(rising.score, 21.0);
        // z = 20 / 6.658 = 3.0038, p = 0.00267.
        assert!((rising.p - 0.002_67).abs() < 1e-5, "{}", rising.p);
        // Ties: 1 1 2 2 3, S = 8, variance (5·4·15 - 2·2·1·9) / 18 = 14.67, z = 7 / 3.830 = 1.8277, p = 0.0676.
        let tied = mann_kendall(&[1.0, 1.0, 2.0, 2.0, 3.0]).unwrap();
        assert_eq!(tied.score, 8.0);
        assert!((tied.p - 0.0676).abs() < 1e-4, "{}", tied.p);
    }

    #[test]
    fn no_trend_and_no_values() {
        assert_eq!(mann_kendall(&[1.0, 1.0, 1.0]).unwrap().p, 1.0);
        assert_eq!(mann_kendall(&[1.0, 3.0, 1.0, 3.0]).map(|trend| trend.score), Some(2.0));
        assert_eq!(mann_kendall(&[1.0, 2.0]), None);
        assert_eq!(mann_kendall(&[1.0, f64::NAN, 2.0]), None);
    }

    #[test]
    fn the_reverse_order_has_the_opposite_trend() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        let reversed: Vec<f64> = values.iter().rev().copied().collect();
        let (one, other) = (mann_kendall(&values).unwrap(), mann_kendall(&reversed).unwrap());
        assert_eq!((one.score, one.p), (-other.score, other.p));
    }
}
