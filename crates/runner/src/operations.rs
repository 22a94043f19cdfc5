//! How many operations the iterations of a benchmark have, once its first duet has shown what one takes.
//!
//! A tool that is given a time per iteration looks for a number of operations that fills it, in every iteration anew: with
//! Go's `testing` that takes as long as the iteration. And it may come to other numbers in the two versions, which matters
//! where an operation's cost depends on how many there are. So both versions measure the same number from the second duet on.

use std::num::NonZeroU64;

use benchwright_analysis::value::of_process;
use benchwright_harness::TrialShape;
use benchwright_model::Measurement;

/// The operations that fill an iteration of the slower of the two; none where a tool does not count operations or measures no
/// time.
pub(crate) fn of_first_duet(
    shape: &TrialShape,
    base: &Measurement,
    head: &Measurement,
) -> Option<NonZeroU64> {
    let slower = f64::max(seconds(base)?, seconds(head)?);
    let operations = (shape.iteration_time.as_secs_f64() / slower).round();
    // A number that is too large or not finite becomes the largest there is: no iteration would end.
    let is_sound = slower > 0.0 && operations < MOST;
    is_sound.then(|| NonZeroU64::new(operations as u64).unwrap_or(NonZeroU64::MIN))
}

/// Go refuses more in one iteration.
const MOST: f64 = 1e9;

/// Time of one operation.
fn seconds(measurement: &Measurement) -> Option<f64> {
    if measurement.operations.is_empty() { None } else { of_process(measurement, "time") }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use benchwright_model::{Metric, Series};

    use super::*;

    fn measured(seconds: f64) -> Measurement {
        let series = Series { metric: Metric::time(), values: vec![seconds], resolution: 0.0 };
        Measurement { warmup: 0, operations: vec![1], series: vec![series] }
    }

    fn check(base: &Measurement, head: &Measurement, expected: Option<u64>) {
        let shape = TrialShape::fixed(10, Duration::from_millis(10));
        assert_eq!(of_first_duet(&shape, base, head).map(NonZeroU64::get), expected, "{base:?} {head:?}");
    }

    #[test]
    fn the_slower_side_fills_an_iteration() {
        check(&measured(1e-6), &measured(2e-6), Some(5_000));
        check(&measured(2e-6), &measured(1e-6), Some(5_000));
    }

    #[test]
    fn an_operation_longer_than_an_iteration_is_measured_once() {
        check(&measured(1.0), &measured(1.0), Some(1));
    }

    #[test]
    fn without_a_time_per_operation_the_tool_chooses() {
        let uncounted = Measurement { operations: Vec::new(), ..measured(1e-6) };
        check(&uncounted, &measured(1e-6), None);
        check(&measured(1e-6), &Measurement { series: Vec::new(), ..measured(1e-6) }, None);
        for seconds in [0.0, -1.0, f64::NAN, 1e-12] {
            check(&measured(seconds), &measured(seconds), None);
        }
    }
}
