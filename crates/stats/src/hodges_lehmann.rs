//! Hodges-Lehmann estimates: robust centre of one sample, robust shift between two.

use crate::Interval;
use crate::rank::left_out;
use crate::sample::{finite, median_in_place, midpoint, open_share, sorted};

/// Centre of one sample: the median of all Walsh averages (x_i + x_j) / 2 with i <= j.
///
/// Assumes a symmetric distribution if it is interpreted as the centre of symmetry. Hodges & Lehmann 1963
/// (Ann. Math. Stat. 34). Breaks down at 29 % outliers. `None` for an empty sample; n = 1 gives that value;
/// ties need no special treatment. O(n²) time and memory.
pub fn centre(values: &[f64]) -> Option<f64> {
    finite(values)?;
    if values.is_empty() {
        return None;
    }
    let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (i, &x) in values.iter().enumerate() {
        averages.extend(values[i..].iter().map(|&y| midpoint(x, y)));
    }
    Some(median_in_place(&mut averages))
}

/// Shift of `second` relative to `first`: the median of all differences y_j - x_i.
///
/// Assumes two distributions that differ only by a shift. Hodges & Lehmann 1963 (Ann. Math. Stat. 34). This
/// estimate corresponds to the Mann-Whitney test. `None` if either sample is empty; ties need no special
/// treatment. O(n m) time and memory.
pub fn shift(first: &[f64], second: &[f64]) -> Option<f64> {
    finite(first)?;
    finite(second)?;
    if first.is_empty() || second.is_empty() {
        return None;
    }
    Some(median_in_place(&mut differences(first, second)))
}

/// Interval that contains the shift of `second` relative to `first` with a probability of at least
/// `confidence`.
///
/// Assumes only that the two distributions differ by a shift. The interval consists of the shifts that a
/// two-sided Mann-Whitney test does not reject, which are those between two of the ordered differences y_j -
/// x_i. Exact up to 400 pairs, otherwise with the normal approximation. Moses 1965; Hollander & Wolfe 1999,
/// section 4.3. `None` if the samples are too small for this confidence (95 % needs 4 and 4 values). Ties
/// make the interval wider. O(n m log(n m)) time, O(n m) memory.
pub fn shift_interval(first: &[f64], second: &[f64], confidence: f64) -> Option<Interval> {
    finite(first)?;
    finite(second)?;
    open_share(confidence)?;
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let outside = left_out(first.len(), second.len(), confidence)?;
    let ordered = sorted(&differences(first, second));
    Some(Interval { lo: ordered[outside], hi: ordered[ordered.len() - 1 - outside] })
}

/// All differences y_j - x_i.
fn differences(first: &[f64], second: &[f64]) -> Vec<f64> {
    let mut differences = Vec::with_capacity(first.len() * second.len());
    for &x in first {
        differences.extend(second.iter().map(|&y| y - x));
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_cases() {
        // Walsh averages of 1, 2, 9: 1, 1.5, 5, 2, 5.5, 9; sorted 1 1.5 2 5 5.5 9, median 3.5.
        assert_eq!(centre(&[9.0, 1.0, 2.0]), Some(3.5));
        // Differences 4-1, 7-1, 4-2, 7-2 = 3, 6, 2, 5; median 4.
        assert_eq!(shift(&[1.0, 2.0], &[4.0, 7.0]), Some(4.0));
    }

    #[test]
    fn shift_interval_by_hand() {
        // 4 and 4 values: P(U = 0) = 1/70 = 1.4 %, P(U <= 1) = 2/70 = 2.9 %. So at 95 % nothing is left out,
        // and at 90 % one value at each end.
        // Differences of 1 2 3 4 and 11 13 15 17: smallest 11 - 4 = 7, then 8; largest 17 - 1 = 16, then 15.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [11.0, 13.0, 15.0, 17.0]);
        assert_eq!(shift_interval(&a, &b, 0.95), Some(Interval { lo: 7.0, hi: 16.0 }));
        assert_eq!(shift_interval(&a, &b, 0.90), Some(Interval { lo: 8.0, hi: 15.0 }));
        assert_eq!(shift_interval(&a[..3], &b[..3], 0.95), None);
    }

    #[test]
    fn shift_interval_and_test_agree() {
        // A shift is inside the 95 % interval if and only if the two-sided test of the shifted samples has p > 5 %.
        let a: Vec<f64> = (0..9).map(|i| f64::from(i * 5 % 9) + 0.1 * f64::from(i)).collect();
        let b: Vec<f64> = (0..7).map(|i| f64::from(i * 5 % 13) + 2.3).collect();
        let interval = shift_interval(&a, &b, 0.95).expect("defined");
        for step in -120..120 {
            let shift = f64::from(step) * 0.1 + 0.037;
            let moved: Vec<f64> = b.iter().map(|y| y - shift).collect();
            let p = crate::rank::mann_whitney(&a, &moved, crate::Alternative::TwoSided).expect("defined").p;
            assert_eq!(interval.contains(shift), p > 0.05, "shift {shift}: p {p}, {interval:?}");
        }
    }

    #[test]
    fn exact_and_approximate_intervals_are_close() {
        let a: Vec<f64> = (0..19).map(|i| f64::from(i * 7 % 19)).collect();
        let b: Vec<f64> = (0..21).map(|i| f64::from(i * 11 % 21) + 5.0).collect();
        let exact = shift_interval(&a, &b, 0.95).expect("defined");
        let [a_more, b_more] =
            [&a, &b].map(|x| x.iter().chain(x.iter().take(3)).copied().collect::<Vec<_>>());
        let approximate = shift_interval(&a_more, &b_more, 0.95).expect("defined");
        assert!((exact.lo - approximate.lo).abs() < 1.5 && (exact.hi - approximate.hi).abs() < 1.5);
    }

    #[test]
    fn edges() {
        assert_eq!(centre(&[]), None);
        assert_eq!(centre(&[5.0]), Some(5.0));
        assert_eq!(centre(&[1.0, f64::NAN]), None);
        assert_eq!(shift(&[], &[1.0]), None);
        assert_eq!(shift(&[1.0], &[]), None);
        assert_eq!(shift(&[2.0, 2.0], &[2.0, 2.0]), Some(0.0));
    }
}
