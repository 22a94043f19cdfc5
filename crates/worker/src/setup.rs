//! The time that a process does not spend on measuring.

use std::time::Duration;

use benchwright_model::{Measurement, Usage};

/// Seconds the process spent in timed batches: the sum over iterations of time per operation x operations.
/// `None` if the harness does not report the number of operations of an iteration.
pub fn measuring_secs(measurement: &Measurement) -> Option<f64> {
    let time = measurement.series("time")?;
    if measurement.operations.is_empty() {
        return None;
    }
    let batches = time.values.iter().zip(&measurement.operations);
    Some(batches.map(|(secs, operations)| secs * *operations as f64).sum())
}

/// Time the process spent outside its timed batches: start, fixtures, the harness's own warm-up and search
/// for a batch size. Zero if the clocks disagree. `None` if the harness does not report enough data.
pub fn setup_time(usage: &Usage, measurement: &Measurement) -> Option<Duration> {
    let measuring = Duration::try_from_secs_f64(measuring_secs(measurement)?).ok()?;
    Some(usage.wall.saturating_sub(measuring))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::{Metric, Series};

    fn measurement(values: &[f64], operations: &[u64]) -> Measurement {
        let series = Series { metric: Metric::time(), values: values.to_vec(), resolution: 0.0 };
        Measurement {
            warmup: 0,
            operations: operations.to_vec(),
            series: vec![series],
            ..Measurement::default()
        }
    }

    #[test]
    fn measuring_is_time_times_operations() {
        let check = |values: &[f64], operations: &[u64], expected| {
            assert_eq!(measuring_secs(&measurement(values, operations)), expected);
        };
        check(&[0.5, 0.25], &[2, 8], Some(3.0));
        check(&[0.5, 0.25], &[], None);
        assert_eq!(measuring_secs(&Measurement::default()), None);
    }

    #[test]
    fn set_up_is_what_is_left() {
        let check = |wall, expected| {
            let usage = Usage { wall: Duration::from_secs(wall), ..Usage::default() };
            assert_eq!(setup_time(&usage, &measurement(&[0.5], &[4])), Some(Duration::from_secs(expected)));
        };
        check(5, 3);
        check(1, 0);
    }
}
