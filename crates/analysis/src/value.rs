//! One number per process, and how such numbers spread.

use benchwright_model::{BenchmarkId, Direction, Measurement, Series};
use benchwright_stats::dispersion::{MAD_TO_NORMAL, median_absolute_deviation, quantile};

pub use benchwright_stats::dispersion::median;

/// The iterations of a series that count: those after warm-up.
///
/// A series whose warm-up covers everything is used whole: a doubtful value is better than a benchmark that
/// silently has none.
pub fn steady<'a>(measurement: &Measurement, series: &'a Series) -> &'a [f64] {
    let warmup = measurement.warmup as usize;
    series.values.get(warmup..).filter(|rest| !rest.is_empty()).unwrap_or(&series.values)
}

/// Harnesses whose iterations are short slices of native code, many in a process. Whatever disturbs a machine makes slices
/// slower and never faster, so that the fast ones tell what the code takes (Chen & Revels 2016).
const SLICED: [&str; 3] = ["cargo", "go", "googlebench"];

/// Which of the slices tells it, as a quantile from the fast end. The fastest alone would be one clock reading.
const UNDISTURBED: f64 = 0.1;

/// The value of a trial by which two versions are compared: the lower decile of its times where a harness measures many short
/// slices of native code, else the median of the iterations after warm-up. None as in [`of_process`].
pub fn of_trial(benchmark: &BenchmarkId, measurement: &Measurement, metric: &str) -> Option<f64> {
    let series = measurement.series(metric)?;
    if !series.metric.is_main() || !SLICED.contains(&benchmark.harness.as_str()) {
        return of_process(measurement, metric);
    }
    let probability = match series.metric.direction {
        Direction::HigherIsBetter => 1.0 - UNDISTURBED,
        _ => UNDISTURBED,
    };
    quantile(steady(measurement, series), probability)
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
    fn short_slices_of_native_code_count_where_they_were_not_disturbed() {
        let values: Vec<f64> = (0..=10).map(|i| 1.0 + f64::from(i * i)).collect();
        let check = |harness: &str, metric: Metric, expected| {
            let mut measurement = measurement(0, &values);
            measurement.series[0].metric = metric.clone();
            let benchmark = BenchmarkId::new(harness, "p", "b");
            assert_eq!(
                of_trial(&benchmark, &measurement, &metric.name),
                Some(expected),
                "{harness} {metric:?}"
            );
        };
        check("go", Metric::time(), 2.0);
        check("cargo", Metric::time(), 2.0);
        check("jmh", Metric::time(), 26.0);
        check("go", Metric::custom("widgets"), 26.0);
        check("googlebench", Metric::throughput(), 82.0);
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
