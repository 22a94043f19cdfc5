//! Names of units in other tools.

use benchwright_model::{Direction, Metric, Nature, Unit};

/// A metric, and the factor for values in the tool's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The metric.
    pub metric: Metric,
    /// The factor for values in the tool's unit.
    pub factor: f64,
}

impl Scaled {
    pub(crate) fn new(metric: Metric, factor: f64) -> Self {
        Scaled { metric, factor }
    }

    /// A value of the tool in the metric's unit.
    pub fn apply(&self, value: f64) -> f64 {
        let mut values = [value];
        self.apply_to(&mut values);
        values[0]
    }

    /// Applies the factor to many values.
    pub fn apply_to(&self, values: &mut [f64]) {
        if self.factor < 1.0 {
            // Dividing by a power of ten is exact, but multiplying by its inverse is not.
            let divisor = (1.0 / self.factor).round();
            values.iter_mut().for_each(|value| *value /= divisor);
        } else if self.factor > 1.0 {
            values.iter_mut().for_each(|value| *value *= self.factor);
        }
    }
}

/// Seconds in a unit of time.
pub(crate) fn seconds_in(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "ns" | "nsec" | "nanosecond" | "nanoseconds" => 1e-9,
        "us" | "µs" | "μs" | "usec" | "microsecond" | "microseconds" => 1e-6,
        "ms" | "msec" | "millisecond" | "milliseconds" => 1e-3,
        "s" | "sec" | "second" | "seconds" => 1.0,
        "min" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hour" | "hours" => 3600.0,
        "day" | "days" => 86400.0,
        _ => return None,
    })
}

/// The number of units of this many seconds in one second. The inverse of a billionth as a floating-point
/// number is not exactly a billion.
fn per_second(seconds: f64) -> f64 {
    if seconds < 1.0 { (1.0 / seconds).round() } else { 1.0 / seconds }
}

/// Bytes in a unit of size.
pub(crate) fn bytes_in(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "B" | "b" | "byte" | "bytes" | "Bytes" => 1.0,
        "kB" | "KB" | "kb" => 1e3,
        "MB" | "mb" => 1e6,
        "GB" | "gb" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

/// Whether the word means an operation in a unit.
fn is_operation(word: &str) -> bool {
    matches!(
        word.trim(),
        "op" | "ops" | "iter" | "iteration" | "iterations" | "call" | "calls" | "run" | "runs"
    )
}

/// The main metric for a unit: a time (`ns`, `us/op`), operations per time (`ops/s`), or a metric with this
/// unit.
pub(crate) fn main(unit: &str) -> Scaled {
    let unit = unit.trim();
    let (amount, per) = unit.split_once('/').unwrap_or((unit, "op"));
    match (seconds_in(amount), seconds_in(per)) {
        (Some(seconds), None) if is_operation(per) => return Scaled::new(Metric::time(), seconds),
        (None, Some(seconds)) if is_operation(amount) => {
            return Scaled::new(Metric::throughput(), per_second(seconds));
        }
        _ => {}
    }
    match (bytes_in(amount), seconds_in(per)) {
        (Some(bytes), Some(seconds)) => Scaled::new(Metric::bytes_per_second(), bytes / seconds),
        (Some(bytes), None) if is_operation(per) && unit.contains('/') => {
            Scaled::new(Metric::bytes_per_op(), bytes)
        }
        _ => Scaled::new(Metric::custom(unit), 1.0),
    }
}

/// A metric other than the main one, under the tool's own `name`. The direction comes from the reader of the
/// tool, or otherwise from the unit.
pub(crate) fn named(name: &str, unit: &str, direction: Option<Direction>) -> Scaled {
    let guess = Metric::custom(unit).direction;
    let (unit, factor) = unit_of(unit);
    let direction = direction.unwrap_or(match unit {
        Unit::Seconds | Unit::Bytes => Direction::LowerIsBetter,
        Unit::BytesPerSecond => Direction::HigherIsBetter,
        Unit::Other(ref unit) if unit == "ops/s" => Direction::HigherIsBetter,
        Unit::Count | Unit::Other(_) => guess,
    });
    // These names have another meaning in benchwright.
    let name = match name {
        "time" | "throughput" => format!("reported:{name}"),
        _ => name.to_owned(),
    };
    Scaled { metric: Metric { name, unit, direction, nature: Nature::Measured }, factor }
}

/// The unit and the factor to it.
fn unit_of(unit: &str) -> (Unit, f64) {
    let (amount, per) = unit.split_once('/').unwrap_or((unit, "op"));
    match (seconds_in(amount), bytes_in(amount), seconds_in(per)) {
        (Some(seconds), _, None) if is_operation(per) => (Unit::Seconds, seconds),
        (_, Some(bytes), Some(seconds)) => (Unit::BytesPerSecond, bytes / seconds),
        (_, Some(bytes), None) if is_operation(per) => (Unit::Bytes, bytes),
        (None, None, Some(seconds)) if is_operation(amount) => {
            (Unit::Other("ops/s".to_owned()), per_second(seconds))
        }
        _ if matches!(amount, "counts" | "count" | "#" | "") && is_operation(per) => (Unit::Count, 1.0),
        _ => (Unit::Other(unit.to_owned()), 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_units_are_normalised() {
        let check = |unit: &str, name: &str, factor: f64| {
            let found = main(unit);
            assert_eq!(found.metric.name, name, "{unit}");
            assert!((found.factor / factor - 1.0).abs() < 1e-12, "{unit}: {}", found.factor);
        };
        check("ns/op", "time", 1e-9);
        check("us/op", "time", 1e-6);
        check("µs", "time", 1e-6);
        check("ms/iter", "time", 1e-3);
        check("seconds", "time", 1.0);
        check("day/op", "time", 86400.0);
        check("ops/ms", "throughput", 1000.0);
        check("iter/sec", "throughput", 1.0);
        check("ops/min", "throughput", 1.0 / 60.0);
        check("MB/s", "B/s", 1e6);
        check("B/op", "B/op", 1.0);
        check("bytes", "bytes", 1.0);
        check("widgets", "widgets", 1.0);
        check("", "", 1.0);
    }

    #[test]
    fn named_metrics_keep_their_name_and_lose_their_prefixes() {
        let check = |unit: &str, expected: Unit, factor: f64, direction| {
            let found = named("x", unit, None);
            assert_eq!((found.metric.unit, found.metric.direction), (expected, direction), "{unit}");
            assert!((found.factor / factor - 1.0).abs() < 1e-12, "{unit}");
        };
        check("ms", Unit::Seconds, 1e-3, Direction::LowerIsBetter);
        check("MB/sec", Unit::BytesPerSecond, 1e6, Direction::HigherIsBetter);
        check("B/op", Unit::Bytes, 1.0, Direction::LowerIsBetter);
        check("counts", Unit::Count, 1.0, Direction::Unknown);
        check("#/op", Unit::Count, 1.0, Direction::Unknown);
        check("widgets", Unit::Other("widgets".into()), 1.0, Direction::Unknown);
        assert_eq!(named("time", "ns", None).metric.name, "reported:time");
    }
}
