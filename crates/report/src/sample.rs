//! The value of one trial, for display and export.

use benchwright_model::{Measurement, Series};

/// The values of a series after warm-up; all of them if warm-up would leave none.
pub(crate) fn steady_values<'a>(measurement: &Measurement, series: &'a Series) -> &'a [f64] {
    let warmup = usize::try_from(measurement.warmup).unwrap_or(usize::MAX);
    match series.values.get(warmup..) {
        Some(rest) if !rest.is_empty() => rest,
        _ => &series.values,
    }
}

/// The median of the values after warm-up of the metric called `name`: a trial's value.
pub(crate) fn trial_value(measurement: &Measurement, name: &str) -> Option<f64> {
    let series = measurement.series(name)?;
    median(steady_values(measurement, series))
}

/// The median; none of no values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Robust relative spread: 1.4826 x median absolute deviation / median; none of fewer than two values.
pub(crate) fn relative_spread(values: &[f64]) -> Option<f64> {
    /// Makes the median absolute deviation of normal data estimate their standard deviation.
    const NORMAL_CONSISTENCY: f64 = 1.4826;
    if values.len() < 2 {
        return None;
    }
    let centre = median(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    Some(NORMAL_CONSISTENCY * median(&deviations)? / centre.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::Metric;

    #[test]
    fn warmup_is_cut_unless_nothing_is_left() {
        let check = |warmup: u32, expected: f64| {
            let series = Series { metric: Metric::time(), values: vec![9.0, 1.0, 2.0], resolution: 0.0 };
            let measurement = Measurement { warmup, operations: vec![], series: vec![series] };
            assert_eq!(trial_value(&measurement, "time"), Some(expected));
        };
        check(0, 2.0);
        check(1, 1.5);
        check(3, 2.0);
        check(4, 2.0);
    }

    #[test]
    fn spread_of_one_value_is_unknown() {
        assert_eq!(relative_spread(&[1.0]), None);
        // Median 2, deviations 1, 0, 1: 1.4826 x 1 / 2.
        assert_eq!(relative_spread(&[1.0, 2.0, 3.0]), Some(0.7413));
    }
}
