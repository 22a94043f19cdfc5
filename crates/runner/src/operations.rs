//! The number of operations of a benchmark's iterations, once its first duet has shown the time of one
//! operation.
//!
//! A tool that gets a time per iteration searches for the number of operations that fills it, for every
//! iteration. With Go's `testing` this takes as long as the iteration itself. It may also find different
//! numbers for the two versions, which matters if the cost of an operation depends on the number of
//! operations. So both versions measure the same number from the second duet on.
//!
//! Some benchmarks need that search. `RunParallel` of Go hands out operations in portions of 100 µs and takes
//! their size from the search. Without the search it hands them out one by one, and the benchmark measures
//! how processors compete for a counter.

use std::num::NonZeroU64;

use benchwright_analysis::value::of_process;
use benchwright_harness::TrialShape;
use benchwright_model::{Measurement, Trial};

/// The most operations in one iteration that Go accepts.
const MOST: f64 = 1e9;
/// Processes that keep more processors busy than this run in parallel.
const PARALLEL: f64 = 1.25;
/// If operations take this many times as long when their number is given, the benchmark needs the search.
const DEARER: f64 = 1.1;

/// The number of operations that fills an iteration of the slower version. `None` if the tool does not count
/// operations or measures no time, or if the benchmark runs in parallel.
pub(crate) fn of_first_duet(shape: &TrialShape, halves: &[Trial]) -> Option<NonZeroU64> {
    if halves.iter().any(|trial| processors(trial) > PARALLEL) {
        return None;
    }
    let slower = halves.iter().map(seconds).try_fold(0.0, |most, secs| Some(f64::max(most, secs?)))?;
    let operations = (shape.iteration_time.as_secs_f64() / slower).round();
    // If the number is too large or not finite, an iteration would never end.
    let is_sound = slower > 0.0 && operations < MOST;
    is_sound.then(|| NonZeroU64::new(operations as u64).unwrap_or(NonZeroU64::MIN))
}

/// Whether operations of both versions take longer in `given`, a duet with a given number of them, than in
/// one without.
pub(crate) fn are_dearer(searched: &[Trial], given: &[Trial]) -> bool {
    let is_dearer = |(before, now): (&Trial, &Trial)| match (seconds(before), seconds(now)) {
        (Some(before), Some(now)) => now > DEARER * before,
        _ => false,
    };
    !given.is_empty() && searched.iter().zip(given).all(is_dearer)
}

/// How many processors a trial kept busy.
fn processors(trial: &Trial) -> f64 {
    let usage = &trial.usage;
    (usage.user + usage.system).as_secs_f64() / usage.wall.as_secs_f64().max(1e-6)
}

/// The time of one operation.
fn seconds(trial: &Trial) -> Option<f64> {
    let counted = |measurement: &&Measurement| !measurement.operations.is_empty();
    of_process(trial.outcome.measurement().filter(counted)?, "time")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use benchwright_model::{Outcome, Side, Usage};
    use benchwright_testkit::trial;

    use super::*;

    /// A trial of one operation that keeps this many processors busy.
    fn half(seconds: f64, processors: f64) -> Trial {
        let mut half = trial("A", Side::Base, 0, &[seconds]);
        if let Outcome::Measured(measurement) = &mut half.outcome {
            measurement.operations = vec![1];
        }
        let wall = Duration::from_millis(100);
        Trial { usage: Usage { wall, user: wall.mul_f64(processors), ..half.usage }, ..half }
    }

    fn edited(edit: impl FnOnce(&mut Measurement)) -> Trial {
        let mut half = half(1e-6, 1.0);
        if let Outcome::Measured(measurement) = &mut half.outcome {
            edit(measurement);
        }
        half
    }

    fn check(base: Trial, head: Trial, expected: Option<u64>) {
        let shape = TrialShape::fixed(10, Duration::from_millis(10));
        let halves = [base, head];
        assert_eq!(of_first_duet(&shape, &halves).map(NonZeroU64::get), expected, "{halves:?}");
    }

    #[test]
    fn the_slower_side_fills_an_iteration() {
        check(half(1e-6, 1.0), half(2e-6, 1.1), Some(5_000));
        check(half(2e-6, 1.0), half(1e-6, 1.0), Some(5_000));
    }

    #[test]
    fn an_operation_longer_than_an_iteration_is_measured_once() {
        check(half(1.0, 1.0), half(1.0, 1.0), Some(1));
    }

    #[test]
    fn without_a_time_per_operation_the_tool_chooses() {
        check(edited(|measurement| measurement.operations.clear()), half(1e-6, 1.0), None);
        check(half(1e-6, 1.0), edited(|measurement| measurement.series.clear()), None);
        for seconds in [0.0, -1.0, f64::NAN, 1e-12] {
            check(half(seconds, 1.0), half(seconds, 1.0), None);
        }
    }

    #[test]
    fn where_benchmarks_run_in_parallel_the_tool_chooses() {
        check(half(1e-6, 1.8), half(1e-6, 1.0), None);
        check(half(1e-6, 1.0), half(1e-6, 1.8), None);
    }

    #[test]
    fn operations_are_dearer_where_they_are_so_in_both_versions() {
        let [cheap, dear] = [half(1e-6, 1.0), half(1.2e-6, 1.0)];
        let searched = [cheap.clone(), cheap.clone()];
        assert!(are_dearer(&searched, &[dear.clone(), dear.clone()]));
        assert!(!are_dearer(&searched, &[dear, cheap]));
        assert!(!are_dearer(&[], &[]));
    }
}
