//! How many processes the halves of a duet are made of, once a duet has shown what starting one costs.

use std::time::Duration;

use benchwright_harness::{Stop, TrialShape};
use benchwright_model::Trial;
use benchwright_worker::{measuring_secs, setup_time};

/// Fewer iterations say too little of a process.
const LEAST_ITERATIONS: u32 = 2;

/// Starting a process that takes longer is not cheap, however long it measures.
const CHEAP: Duration = Duration::from_millis(100);

/// The most processes per half for which starting them takes no longer than their iterations do; none where that is one. The
/// halves must have measured a given number of operations: a tool that looks for one spends as long on it in every process.
pub(crate) fn of_second_duet(shape: &TrialShape, halves: &[Trial]) -> Option<u32> {
    if shape.stop != Stop::Fixed {
        return None;
    }
    let affordable = halves.iter().map(|trial| affordable(trial, shape)).reduce(f64::min)?;
    let fits =
        |processes: &u32| shape.iterations.is_multiple_of(*processes) && f64::from(*processes) <= affordable;
    (2..=shape.iterations / LEAST_ITERATIONS).rev().find(fits)
}

/// How often a process could be started in the time in which one of this shape measures.
fn affordable(trial: &Trial, shape: &TrialShape) -> f64 {
    let Some(measurement) = trial.outcome.measurement() else { return 0.0 };
    match (measuring_secs(measurement), setup_time(&trial.usage, measurement)) {
        // A benchmark that reports more time than has passed says nothing about its set-up.
        (Some(measuring), Some(setup)) if measuring > 0.0 && !setup.is_zero() && setup <= CHEAP => {
            let iterations = measurement.operations.len().max(1) as f64;
            f64::from(shape.iterations) / iterations * measuring / setup.as_secs_f64()
        }
        _ => 0.0,
    }
}
