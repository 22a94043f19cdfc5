//! Metrics of the fields of a row.

use benchwright_model::{Direction, Metric, Nature, Unit};

/// Fields that the library itself writes and that are no measurements.
const NO_METRICS: [&str; 24] = [
    "aggregate_name",
    "aggregate_unit",
    "big_o",
    "cpu_coefficient",
    "cpu_time",
    "error_message",
    "error_occurred",
    "family_index",
    "iterations",
    "label",
    "name",
    "per_family_instance_index",
    "real_coefficient",
    "real_time",
    "repetition_index",
    "repetitions",
    "rms",
    "run_name",
    "run_type",
    "skip_message",
    "skipped",
    "threads",
    "thread_index",
    "time_unit",
];

/// Names that mean something of ours and must not be a counter's.
const RESERVED: [&str; 11] = [
    "time",
    "cpu-time",
    "throughput",
    "B/op",
    "B/s",
    "allocs/op",
    "items/s",
    "max-bytes",
    "net-heap-growth",
    "total-allocated-bytes",
    "operations",
];

/// Whether a field is none that the user chose.
pub(super) fn is_the_librarys(field: &str) -> bool {
    NO_METRICS.contains(&field)
}

/// Processor time of an iteration, beside [`Metric::time`], which is the clock's or what the benchmark set itself.
pub(super) fn cpu_time() -> Metric {
    Metric {
        name: "cpu-time".into(),
        unit: Unit::Seconds,
        direction: Direction::LowerIsBetter,
        nature: Nature::Measured,
    }
}

/// What a counter, or a field that the library adds on request, measures.
pub(super) fn of_field(field: &str) -> Metric {
    let counted = |name: &str| Metric {
        name: name.into(),
        unit: Unit::Bytes,
        direction: Direction::LowerIsBetter,
        nature: Nature::Counted,
    };
    match field {
        "bytes_per_second" => Metric::bytes_per_second(),
        "items_per_second" => Metric {
            name: "items/s".into(),
            unit: Unit::Other("items/s".into()),
            direction: Direction::HigherIsBetter,
            nature: Nature::Derived,
        },
        "allocs_per_iter" => Metric::allocations_per_op(),
        "max_bytes_used" => counted("max-bytes"),
        "net_heap_growth" => counted("net-heap-growth"),
        "total_allocated_bytes" => counted("total-allocated-bytes"),
        name => counter(name),
    }
}

/// A counter of the user. The file does not distinguish rates from counts; only the name can.
fn counter(name: &str) -> Metric {
    let is_taken = RESERVED.contains(&name) || is_the_librarys(name);
    let metric = Metric::custom(&if is_taken { format!("reported:{name}") } else { name.to_owned() });
    match name.to_ascii_lowercase().ends_with("per_second") {
        true => Metric { direction: Direction::HigherIsBetter, ..metric },
        false => metric,
    }
}

/// How many of a unit of time a second has; dividing by it rounds once.
pub(super) fn per_second(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e9,
        "us" => 1e6,
        "ms" => 1e3,
        "s" => 1.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_library_have_our_names_and_counters_their_own() {
        let check = |field: &str, name: &str, direction: Direction, nature: Nature| {
            let metric = of_field(field);
            assert_eq!((metric.name.as_str(), metric.direction, metric.nature), (name, direction, nature));
        };
        use Direction::{HigherIsBetter, LowerIsBetter, Unknown};
        check("bytes_per_second", "B/s", HigherIsBetter, Nature::Derived);
        check("items_per_second", "items/s", HigherIsBetter, Nature::Derived);
        check("allocs_per_iter", "allocs/op", LowerIsBetter, Nature::Counted);
        check("max_bytes_used", "max-bytes", LowerIsBetter, Nature::Counted);
        check("rows_per_second", "rows_per_second", HigherIsBetter, Nature::Measured);
        check("collisions", "collisions", Unknown, Nature::Measured);
        check("time", "reported:time", Unknown, Nature::Measured);
        check("iterations", "reported:iterations", Unknown, Nature::Measured);
    }

    #[test]
    fn units_of_time_are_those_of_the_library() {
        for (unit, expected) in [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0)] {
            assert_eq!(per_second(unit), Some(expected));
        }
        assert_eq!(per_second("fortnights"), None);
    }
}
