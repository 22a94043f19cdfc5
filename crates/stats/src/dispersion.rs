//! Centre and spread of one sample.

use crate::sample::{finite, median_in_place, plain_mean, sorted, sorted_median, squared_deviations};

/// Factor that makes the median absolute deviation estimate the standard deviation of normal data: 1 /
/// quantile(0.75) of the standard normal distribution, to the four decimals in common use.
pub const MAD_TO_NORMAL: f64 = 1.4826;

/// The divisor of the sum of squared deviations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Divisor {
    /// n - 1: unbiased for the variance of the population the sample came from.
    Sample,
    /// n: the sample is the whole population.
    Population,
}

/// Arithmetic mean.
///
/// Makes no assumptions. One outlier can move it by any amount. `None` for an empty sample. Linear.
pub fn mean(values: &[f64]) -> Option<f64> {
    finite(values)?;
    (!values.is_empty()).then(|| plain_mean(values))
}

/// Standard deviation: the root mean squared distance from the mean, in two passes.
///
/// `None` for n = 0, and for n = 1 with [`Divisor::Sample`]. Without spread it is 0 up to rounding errors of
/// the mean. Linear.
pub fn standard_deviation(values: &[f64], divisor: Divisor) -> Option<f64> {
    let centre = mean(values)?;
    let denominator = match divisor {
        Divisor::Sample => values.len() - 1,
        Divisor::Population => values.len(),
    };
    (denominator > 0).then(|| (squared_deviations(values, centre) / denominator as f64).sqrt())
}

/// Coefficient of variation: standard deviation over mean, the spread as a share of the size.
///
/// Meaningful for values of one sign. `None` where [`standard_deviation`] is, and for mean 0. Negative for a
/// negative mean. Linear.
pub fn coefficient_of_variation(values: &[f64], divisor: Divisor) -> Option<f64> {
    let centre = mean(values)?;
    let spread = standard_deviation(values, divisor)?;
    (centre != 0.0).then(|| spread / centre)
}

/// Median: the middle value, or the mean of the two middle values.
///
/// Not affected by outliers, up to half of the values. `None` for an empty sample. Ties need no special
/// treatment. Linear, by selection.
pub fn median(values: &[f64]) -> Option<f64> {
    finite(values)?;
    (!values.is_empty()).then(|| median_in_place(&mut values.to_vec()))
}

/// Median absolute deviation from the median, unscaled; times [`MAD_TO_NORMAL`] it estimates the standard
/// deviation of normal data.
///
/// Hampel 1974 (JASA 69). 0 if more than half of the values are equal, whatever the others are. `None` for an
/// empty sample. Linear.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let mut distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    Some(median_in_place(&mut distances))
}

/// The value below which a share `p` of the sample lies, interpolated linearly between order statistics: with
/// h = (n - 1) p it is y\[⌊h⌋\] + (h - ⌊h⌋)(y\[⌊h⌋ + 1\] - y\[⌊h⌋\]) (type 7 of Hyndman & Fan 1996, Am. Stat.
/// 50; the default of NumPy and R).
///
/// `None` for an empty sample or `p` outside \[0, 1\]; n = 1 gives that value. O(n log n).
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    finite(values)?;
    if values.is_empty() || !(0.0..=1.0).contains(&p) {
        return None;
    }
    Some(sorted_quantile(&sorted(values), p))
}

/// [`quantile`] of a non-empty ascending slice.
pub(crate) fn sorted_quantile(ascending: &[f64], p: f64) -> f64 {
    let position = (ascending.len() - 1) as f64 * p;
    let below = position.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    let share = position - below as f64;
    ascending[below] + share * (ascending[above] - ascending[below])
}

/// Median and unscaled median absolute deviation of a non-empty slice of finite values.
pub(crate) fn median_and_deviation(values: &[f64]) -> (f64, f64) {
    let ascending = sorted(values);
    let centre = sorted_median(&ascending);
    let mut distances: Vec<f64> = ascending.iter().map(|value| (value - centre).abs()).collect();
    (centre, median_in_place(&mut distances))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(actual: Option<f64>, expected: f64) {
        let actual = actual.expect("defined");
        assert!((actual - expected).abs() < 1e-12, "{actual} instead of {expected}");
    }

    #[test]
    fn hand_case() {
        // Mean (2+4+4+4+5+5+7+9)/8 = 5; squared deviations 9+1+1+1+0+0+4+16 = 32; 32/8 = 4, root 2.
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        check(mean(&values), 5.0);
        check(standard_deviation(&values, Divisor::Population), 2.0);
        check(standard_deviation(&values, Divisor::Sample), (32.0_f64 / 7.0).sqrt());
        check(coefficient_of_variation(&values, Divisor::Population), 0.4);
        check(median(&values), 4.5);
        // Distances from 4.5: 2.5 .5 .5 .5 .5 .5 2.5 4.5; the middle two are .5.
        check(median_absolute_deviation(&values), 0.5);
        // h = 7 * 0.9 = 6.3: 7 + 0.3 * (9 - 7).
        check(quantile(&values, 0.9), 7.6);
    }

    #[test]
    fn a_single_value_is_its_own_centre_without_sample_spread() {
        check(mean(&[3.0]), 3.0);
        check(median(&[3.0]), 3.0);
        check(median_absolute_deviation(&[3.0]), 0.0);
        check(quantile(&[3.0], 0.7), 3.0);
        check(standard_deviation(&[3.0], Divisor::Population), 0.0);
        assert_eq!(standard_deviation(&[3.0], Divisor::Sample), None);
    }

    #[test]
    fn questions_without_answer_give_none() {
        assert_eq!(mean(&[]), None);
        assert_eq!(standard_deviation(&[], Divisor::Sample), None);
        assert_eq!(standard_deviation(&[], Divisor::Population), None);
        assert_eq!(median(&[]), None);
        assert_eq!(median_absolute_deviation(&[]), None);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0], 1.1), None);
        assert_eq!(quantile(&[1.0], f64::NAN), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(median(&[1.0, f64::INFINITY]), None);
        assert_eq!(coefficient_of_variation(&[-1.0, 1.0], Divisor::Sample), None);
    }

    #[test]
    fn the_median_of_huge_values_does_not_overflow() {
        check(median(&[f64::MAX, f64::MAX]).map(|m| m / f64::MAX), 1.0);
    }
}
