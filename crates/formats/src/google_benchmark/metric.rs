//! The metrics of the numbers in a row.

use benchwright_model::{Direction, Metric, Nature, Unit};

/// Names with a meaning in benchwright or in the library, which cannot be used for counters.
const RESERVED: [&str; 23] = [
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
    "cpu_coefficient",
    "cpu_time",
    "complexity_n",
    "family_index",
    "iterations",
    "per_family_instance_index",
    "real_coefficient",
    "real_time",
    "repetition_index",
    "repetitions",
    "thread_index",
    "threads",
];

/// Processor time of an iteration. [`Metric::time`] is wall time, or the time that the benchmark set itself.
pub(super) fn cpu_time() -> Metric {
    Metric { name: "cpu-time".into(), ..Metric::time() }
}

/// The metric of a counter, or of a field that the library adds on request.
pub(super) fn of_counter(field: &str) -> Metric {
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

/// A counter of the user. The file does not distinguish rates from counts, so the direction depends on the
/// name.
fn counter(name: &str) -> Metric {
    let metric = match RESERVED.contains(&name) {
        true => Metric::custom(&format!("reported:{name}")),
        false => Metric::custom(name),
    };
    match name.to_ascii_lowercase().ends_with("per_second") {
        true => Metric { direction: Direction::HigherIsBetter, ..metric },
        false => metric,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_library_have_our_names_and_counters_their_own() {
        let check = |field: &str, name: &str, direction: Direction, nature: Nature| {
            let metric = of_counter(field);
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
}
