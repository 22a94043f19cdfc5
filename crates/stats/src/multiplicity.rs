//! Corrections of a family of p-values.
//!
//! Each function returns adjusted p-values in the given order. Rejecting every hypothesis whose adjusted
//! p-value is at most a level controls the stated error rate at that level. An empty family gives an empty
//! result. `None` if a value is outside \[0, 1\] or NaN.

/// Adjusted p-values that control the probability of any false rejection, under any dependence: min(1, m p).
///
/// Bonferroni 1936; Dunn 1961 (JASA 56). Linear.
pub fn bonferroni(p_values: &[f64]) -> Option<Vec<f64>> {
    shares(p_values)?;
    let family = p_values.len() as f64;
    Some(p_values.iter().map(|p| (p * family).min(1.0)).collect())
}

/// Adjusted p-values that control the probability of any false rejection, under any dependence, and never
/// reject less than Bonferroni.
///
/// The i-th smallest p-value times (m - i + 1), made non-decreasing, at most 1. Holm 1979 (Scand. J. Stat.
/// 6). O(m log m).
pub fn holm(p_values: &[f64]) -> Option<Vec<f64>> {
    shares(p_values)?;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, position) in ascending(p_values).into_iter().enumerate() {
        largest = largest.max(p_values[position] * (p_values.len() - rank) as f64).min(1.0);
        adjusted[position] = largest;
    }
    Some(adjusted)
}

/// Adjusted p-values that control the expected share of false rejections among all rejections.
///
/// Assumes independent or positively dependent p-values. The i-th smallest p-value times m / i, made
/// non-decreasing from the largest down, at most 1. Benjamini & Hochberg 1995 (JRSS B 57). O(m log m).
pub fn benjamini_hochberg(p_values: &[f64]) -> Option<Vec<f64>> {
    shares(p_values)?;
    let family = p_values.len() as f64;
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest: f64 = 1.0;
    for (rank, position) in ascending(p_values).into_iter().enumerate().rev() {
        // The factor is computed first: it is exactly 1 for the largest value, whose adjusted value must not
        // become smaller by rounding.
        smallest = smallest.min(p_values[position] * (family / (rank + 1) as f64));
        adjusted[position] = smallest;
    }
    Some(adjusted)
}

fn shares(p_values: &[f64]) -> Option<()> {
    p_values.iter().all(|p| (0.0..=1.0).contains(p)).then_some(())
}

/// Positions from the smallest p-value to the largest.
fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..p_values.len()).collect();
    positions.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(actual: Option<Vec<f64>>, expected: &[f64]) {
        let actual = actual.expect("defined");
        assert_eq!(actual.len(), expected.len());
        for (a, e) in actual.iter().zip(expected) {
            assert!((a - e).abs() < 1e-15, "{actual:?} instead of {expected:?}");
        }
    }

    #[test]
    fn hand_cases() {
        let p = [0.04, 0.01, 0.03, 0.5];
        check(bonferroni(&p), &[0.16, 0.04, 0.12, 1.0]);
        // Ascending .01*4, .03*3, .04*2 (raised to .09), .5*1.
        check(holm(&p), &[0.09, 0.04, 0.09, 0.5]);
        // From the top: .5*4/4, .04*4/3 = .0533, .03*4/2 = .06 (lowered to .0533), .01*4/1.
        check(benjamini_hochberg(&p), &[0.16 / 3.0, 0.04, 0.16 / 3.0, 0.5]);
    }

    #[test]
    fn edges() {
        for correct in [bonferroni, holm, benjamini_hochberg] {
            check(correct(&[]), &[]);
            check(correct(&[0.3]), &[0.3]);
            check(correct(&[1.0, 1.0]), &[1.0, 1.0]);
            assert_eq!(correct(&[0.1, 1.1]), None);
            assert_eq!(correct(&[f64::NAN]), None);
        }
    }
}
