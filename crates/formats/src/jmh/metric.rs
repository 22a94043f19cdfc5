//! The metrics of scores, by label and unit.
//!
//! The benchmark's own score is its time or throughput. Of the others, only counts per operation depend on
//! the code alone, so only those are ever decided: how often the collector ran in 100 ms, and how much it
//! found, depends on how many operations were done in that time.

use benchwright_model::{Metric, Nature, Unit};

use crate::reading::units::{self, Scaled};

/// Prefix of the labels of profilers in older versions.
const OLD_MARK: char = '·';

/// Suffix of units of costs per operation.
const PER_OPERATION: &str = "/op";

/// The label of bytes allocated per operation.
const ALLOCATED: &str = "gc.alloc.rate.norm";

/// The metric of the score with this label, and the factor to its unit. The label is empty for the
/// benchmark's own score.
pub fn score(label: &str, unit: &str) -> Scaled {
    let name = label.trim_start_matches(OLD_MARK);
    if name.is_empty() {
        return units::main(unit);
    }
    if name == ALLOCATED {
        return Scaled::new(Metric::bytes_per_op(), 1.0);
    }
    if let Some(percentile) = percentile(name) {
        // All percentiles come from the samples whose mean is the score.
        return with_nature(Nature::Derived, named(&percentile, unit));
    }
    let is_per_operation = unit.ends_with(PER_OPERATION) && !name.starts_with("gc.");
    match is_of_profiler(label) && !is_per_operation {
        true => with_nature(Nature::Derived, named(name, unit)),
        false => named(name, unit),
    }
}

/// Whether a profiler omits this in iterations without such an event. JMH itself treats it as zero.
pub fn is_zero_if_missing(label: &str) -> bool {
    is_of_profiler(label) && label.trim_start_matches(OLD_MARK) != ALLOCATED
}

/// Whether the label belongs to a profiler: names of methods and counters have no dots.
fn is_of_profiler(label: &str) -> bool {
    label.starts_with(OLD_MARK) || (label.contains('.') && percentile(label).is_none())
}

/// Times and rates of operations in standard units. Other metrics keep their unit: `ms` of a profiler is not
/// the time of an operation.
fn named(name: &str, unit: &str) -> Scaled {
    if unit.contains('/') && units::main(unit).metric.is_main() {
        return units::named(name, unit, None);
    }
    let name = if matches!(name, "time" | "throughput") { format!("reported:{name}") } else { name.into() };
    let metric = Metric { name, ..Metric::custom(unit) };
    // `kilobytes` and similar units have no reliable direction for a verdict.
    Scaled::new(if unit == "#" { Metric { unit: Unit::Count, ..metric } } else { metric }, 1.0)
}

fn with_nature(nature: Nature, scaled: Scaled) -> Scaled {
    Scaled { metric: Metric { nature, ..scaled.metric }, ..scaled }
}

/// `p99` for `p0.99`, `method:p0.99` or `method·p0.99`, which sample mode adds. `p99.9` for `p0.999`.
fn percentile(label: &str) -> Option<String> {
    let share = label.rsplit([':', OLD_MARK]).next()?.strip_prefix('p')?;
    let (whole, decimals) = share.split_once('.')?;
    let is_share = matches!(whole, "0" | "1") && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let (first, rest) = decimals.split_at_checked(2).filter(|_| is_share)?;
    let percent = format!("{whole}{first}").trim_start_matches('0').to_owned();
    let percent = if percent.is_empty() { "0".to_owned() } else { percent };
    Some(if rest.is_empty() { format!("p{percent}") } else { format!("p{percent}.{rest}") })
}

#[cfg(test)]
mod tests {
    use benchwright_model::Direction;

    use super::*;

    #[test]
    fn labels_become_metrics() {
        let check = |label: &str, unit: &str, name: &str, direction, nature| {
            let metric = score(label, unit).metric;
            assert_eq!(
                (metric.name.as_str(), metric.direction, metric.nature),
                (name, direction, nature),
                "{label}"
            );
        };
        use Direction::{HigherIsBetter as Higher, LowerIsBetter as Lower, Unknown};
        use Nature::{Counted, Derived, Measured};
        check("", "us/op", "time", Lower, Measured);
        check("", "ops/ms", "throughput", Higher, Measured);
        check("p0.50", "ns/op", "p50", Lower, Derived);
        check("run:p0.99", "ns/op", "p99", Lower, Derived);
        check("run·p0.9999", "ns/op", "p99.99", Lower, Derived);
        check("run:p1.00", "ns/op", "p100", Lower, Derived);
        check("run:p0.00", "ns/op", "p0", Lower, Derived);
        check("gc.alloc.rate.norm", "B/op", "B/op", Lower, Counted);
        check("·gc.alloc.rate.norm", "B/op", "B/op", Lower, Counted);
        check("·gc.alloc.rate", "MB/sec", "gc.alloc.rate", Higher, Derived);
        check("gc.count", "counts", "gc.count", Unknown, Derived);
        check("gc.time", "ms", "gc.time", Lower, Derived);
        check("·gc.churn.G1_Eden_Space.norm", "B/op", "gc.churn.G1_Eden_Space.norm", Lower, Derived);
        check("·cycles", "#/op", "cycles", Unknown, Measured);
        check("perf.instructions", "#/op", "perf.instructions", Unknown, Measured);
        check("put", "ns/op", "put", Lower, Measured);
        check("hits", "#", "hits", Unknown, Measured);
        check("hits", "ops/s", "hits", Higher, Measured);
        check("time", "ns/op", "reported:time", Lower, Measured);
        check("time", "#", "reported:time", Unknown, Measured);
    }

    #[test]
    fn scores_become_seconds_or_operations_per_second() {
        let check = |unit: &str, value: f64, expected: f64| {
            assert_eq!(score("", unit).apply(value), expected, "{unit}");
            assert_eq!(score("put", unit).apply(value), expected, "{unit}");
        };
        check("ns/op", 12.0, 12e-9);
        check("us/op", 12.0, 12e-6);
        check("ms/op", 12.0, 12e-3);
        check("s/op", 12.0, 12.0);
        check("min/op", 2.0, 120.0);
        check("day/op", 1.0, 86400.0);
        check("ops/s", 7.0, 7.0);
        check("ops/ms", 7.0, 7000.0);
        check("ops/us", 7.0, 7e6);
        check("ops/ns", 7.0, 7e9);
        check("ops/min", 60.0, 1.0);
        assert_eq!(score("gc.alloc.rate", "MB/sec").apply(7.0), 7.0);
        assert_eq!(score("gc.time", "ms").apply(7.0), 7.0);
    }
}
