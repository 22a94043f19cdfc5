//! The number of processes in each half of a duet, once a duet has shown the cost of starting one.

use std::time::Duration;

use benchwright_harness::{Stop, TrialShape};
use benchwright_model::Trial;
use benchwright_worker::{measuring_secs, setup_time};

/// Fewer iterations give too little information about a process.
const LEAST_ITERATIONS: u32 = 2;

/// A longer start of a process does not count as cheap, however long the process measures.
const CHEAP: Duration = Duration::from_millis(100);

/// The most processes per half for which starting them takes no longer than their iterations. `None` if that
/// is one. The halves must have measured a given number of operations, because a tool that searches for one
/// spends that time in every process.
pub(crate) fn of_second_duet(shape: &TrialShape, halves: &[Trial]) -> Option<u32> {
    if shape.stop != Stop::Fixed {
        return None;
    }
    let affordable = halves.iter().map(|trial| affordable(trial, shape)).reduce(f64::min)?;
    let fits =
        |processes: &u32| shape.iterations.is_multiple_of(*processes) && f64::from(*processes) <= affordable;
    (2..=shape.iterations / LEAST_ITERATIONS).rev().find(fits)
}

/// How often a process could be started in the time that one of this shape measures.
fn affordable(trial: &Trial, shape: &TrialShape) -> f64 {
    let Some(measurement) = trial.outcome.measurement() else { return 0.0 };
    match (measuring_secs(measurement), setup_time(&trial.usage, measurement)) {
        // A benchmark that reports more time than has passed gives no information about its set-up.
        (Some(measuring), Some(setup)) if measuring > 0.0 && !setup.is_zero() && setup <= CHEAP => {
            let iterations = measurement.operations.len().max(1) as f64;
            f64::from(shape.iterations) / iterations * measuring / setup.as_secs_f64()
        }
        _ => 0.0,
    }
}
