//! False-discovery control over a family of e-values.

use crate::sample::open_share;

/// The discoveries in a family of e-values.
#[derive(Debug, Clone, PartialEq)]
pub struct Discoveries {
    /// Positions found, ascending.
    pub positions: Vec<usize>,
    /// Evidence that each of them had to reach, S / (k q). `None` if there are no discoveries.
    pub threshold: Option<f64>,
}

/// Which of S hypotheses may be rejected so that the expected share of false rejections among them is at most
/// `q`?
///
/// Assumes that each value is an e-value: under its null hypothesis its mean is at most 1. Any dependence
/// between them is allowed. With E sorted downwards and k the largest number with E_(k) >= S / (k q), all
/// with E >= S / (k q) are rejected. Wang & Ramdas 2022, e-BH (JRSS B 84).
///
/// An empty family has no discoveries. `None` if a value is NaN or negative, or if `q` is outside (0, 1).
/// Infinite evidence is allowed. Ties are rejected together. O(S log S).
pub fn e_bh(evidence: &[f64], q: f64) -> Option<Discoveries> {
    open_share(q)?;
    if evidence.iter().any(|&e| e.is_nan() || e < 0.0) {
        return None;
    }
    let mut descending = evidence.to_vec();
    descending.sort_unstable_by(|a, b| b.total_cmp(a));
    let family = evidence.len() as f64;
    let threshold = (1..=descending.len())
        .rev()
        .map(|k| (descending[k - 1], family / (k as f64 * q)))
        .find(|(reached, needed)| reached >= needed)
        .map(|(_, needed)| needed);
    let positions = match threshold {
        Some(needed) => (0..evidence.len()).filter(|&i| evidence[i] >= needed).collect(),
        None => Vec::new(),
    };
    Some(Discoveries { positions, threshold })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(evidence: &[f64], expected: &[usize]) {
        assert_eq!(e_bh(evidence, 0.05).expect("defined").positions, expected, "{evidence:?}");
    }

    #[test]
    fn worked_examples() {
        check(&[21.0], &[0]);
        check(&[21.0, 1.0], &[]);
        check(&[40.0, 1.0], &[0]);
        check(&[120.0, 55.0, 34.0, 2.0, 1.0], &[0, 1, 2]);
        check(&[26.0, 25.0, 25.0, 25.0, 1.0], &[0, 1, 2, 3]);
        check(&[26.0, 25.0, 24.0, 24.0, 1.0], &[]);
    }

    #[test]
    fn order_of_the_family_does_not_matter() {
        check(&[1.0, 34.0, 2.0, 120.0, 55.0], &[1, 3, 4]);
    }

    #[test]
    fn the_threshold_is_the_one_reached() {
        // Three of five found: 5 / (3 * 0.05) = 33.3.
        let threshold = e_bh(&[120.0, 55.0, 34.0, 2.0, 1.0], 0.05).expect("defined").threshold;
        assert!((threshold.expect("found") - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(e_bh(&[19.9], 0.05).expect("defined").threshold, None);
    }

    #[test]
    fn edges() {
        check(&[], &[]);
        check(&[f64::INFINITY, 0.0], &[0]);
        assert_eq!(e_bh(&[f64::NAN], 0.05), None);
        assert_eq!(e_bh(&[-1.0], 0.05), None);
        assert_eq!(e_bh(&[1.0], 0.0), None);
    }
}
