//! One number per process, and how such numbers spread.

use benchwright_model::{Measurement, Series};
use benchwright_stats::dispersion::{MAD_TO_NORMAL, median_absolute_deviation};

pub use benchwright_stats::dispersion::median;

/// The iterations of a series that count: those after warm-up.
///
/// A series whose warm-up covers everything is used whole: a doubtful value is better than a benchmark that
/// silently has none.
pub fn steady<'a>(measurement: &Measurement, series: &'a Series) -> &'a [f64] {
    let warmup = measurement.warmup as usize;
    series.values.get(warmup..).filter(|rest| !rest.is_empty()).unwrap_or(&series.values)
}

/// The value of a process in the metric called `metric`: the median of its iterations after warm-up. None if the
/// process has no such metric, or a value of it is not finite.
pub fn of_process(measurement: &Measurement, metric: &str) -> Option<f64> {
    let series = measurement.series(metric)?;
    median(steady(measurement, series))
}

/// Robust relative spread: 1.4826 x median absolute deviation / median. None of no values; 0 around a median of zero.
pub fn relative_spread(values: &[f64]) -> Option<f64> {
    let deviation = MAD_TO_NORMAL * median_absolute_deviation(values)?;
    let centre = median(values)?;
    Some(if centre == 0.0 { 0.0 } else { deviation / centre.abs() })
}

/// ln(head / base), or none where a value is zero, negative or not finite, so that no ratio exists.
pub fn log_ratio(base: f64, head: f64) -> Option<f64> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    (usable(base) && usable(head)).then(|| (head / base).ln())
}

#[cfg(test)]
mod tests {
    use benchwright_model::Metric;

    use super::*;

    fn measurement(warmup: u32, values: &[f64]) -> Measurement {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        Measurement { warmup, operations: Vec::new(), series: vec![series] }
    }

    #[test]
    fn value_is_the_median_after_warmup() {
        assert_eq!(of_process(&measurement(2, &[90.0, 80.0, 3.0, 1.0, 2.0]), "time"), Some(2.0));
    }

    #[test]
    fn warmup_that_covers_everything_is_ignored() {
        assert_eq!(of_process(&measurement(3, &[1.0, 2.0, 3.0]), "time"), Some(2.0));
    }

    #[test]
    fn no_ratio_without_positive_values() {
        assert_eq!(log_ratio(0.0, 1.0), None);
        assert_eq!(log_ratio(1.0, -1.0), None);
        assert_eq!(log_ratio(f64::NAN, 1.0), None);
        assert_eq!(log_ratio(2.0, 2.0), Some(0.0));
    }
}
