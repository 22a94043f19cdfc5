//! Halves of a duet that are several short processes, which take turns.
//!
//! Most disturbances of a machine last longer than a process, and then affect a whole half of a duet. If the
//! halves take turns, they share the same time and are affected in the same way. Also, every process has its
//! own memory layout, and the effects of several average out.

use benchwright_harness::TrialShape;
use benchwright_model::{Diagnostic, Failure, FailureKind, Measurement, Outcome, Trial, Usage};
use benchwright_process::Interrupt;

use crate::trial::{Ended, Half};
use crate::{Call, CallError};

/// Runs both halves as `processes` processes each, which share the iterations. An interrupt fails both
/// halves. After a failure the current turn is completed and no other one begins. Returns the halves in the
/// order in which they started.
pub(crate) fn in_turns(
    call: &Call,
    halves: [Half<'_>; 2],
    processes: u32,
    interrupt: &Interrupt,
    run: &mut dyn FnMut(&Call, Half<'_>) -> Result<Ended, CallError>,
) -> Result<(Vec<Trial>, Vec<Diagnostic>), CallError> {
    let iterations = call.shape.iterations.div_ceil(processes.max(1));
    let short = Call { shape: TrialShape { iterations, ..call.shape.clone() }, ..call.clone() };
    let mut joined: [Option<Trial>; 2] = [None, None];
    let mut diagnostics = Vec::new();
    for turn in 0..processes.max(1) {
        // The half that was second is first in the next turn, so that neither has an advantage over the whole
        // duet. The half that begins is chosen at random.
        let order = if turn % 2 == 0 { [0, 1] } else { [1, 0] };
        for half in order {
            let (trial, doubts) = run(&short, halves[half].clone())?;
            diagnostics.extend(doubts);
            match &mut joined[half] {
                Some(whole) => join(whole, trial),
                none => *none = Some(trial),
            }
            if interrupt.is_set() {
                joined.iter_mut().flatten().for_each(cut_off);
                return Ok((joined.into_iter().flatten().collect(), diagnostics));
            }
        }
        if joined.iter().flatten().any(|trial| trial.outcome.measurement().is_none()) {
            break;
        }
    }
    Ok((joined.into_iter().flatten().collect(), diagnostics))
}

/// Adds a later process to a trial. If that process failed, the trial fails and keeps what was measured
/// before.
fn join(whole: &mut Trial, part: Trial) {
    whole.usage = added(&whole.usage, &part.usage);
    match (&mut whole.outcome, part.outcome) {
        (Outcome::Measured(all), Outcome::Measured(more)) => append(all, more),
        (Outcome::Measured(all), Outcome::Failed(mut failure)) => {
            let mut measured = std::mem::take(all);
            failure.measured.take().into_iter().for_each(|more| append(&mut measured, more));
            whole.outcome = Outcome::Failed(Failure { measured: Some(measured), ..failure });
        }
        (Outcome::Failed(_), _) => {}
    }
}

/// An incomplete half does not count, but its data is kept.
fn cut_off(half: &mut Trial) {
    if let Outcome::Measured(measurement) = &mut half.outcome {
        let measured = Some(std::mem::take(measurement));
        let failure = Failure { measured, ..Failure::new(FailureKind::Interrupted, "") };
        half.outcome = Outcome::Failed(failure);
    }
}

/// Appends iterations. A metric that not every process has is removed. Warm-up of a later process would count
/// as measured, so it is left out.
fn append(all: &mut Measurement, more: Measurement) {
    let warmup = more.warmup as usize;
    all.series.retain(|series| more.series(&series.metric.name).is_some());
    for series in &mut all.series {
        if let Some(other) = more.series(&series.metric.name) {
            series.values.extend(other.values.iter().skip(warmup));
            series.resolution = series.resolution.max(other.resolution);
        }
    }
    all.operations.extend(more.operations.iter().skip(warmup));
}

fn added(one: &Usage, other: &Usage) -> Usage {
    Usage {
        wall: one.wall + other.wall,
        user: one.user + other.user,
        system: one.system + other.system,
        max_rss_bytes: one.max_rss_bytes.max(other.max_rss_bytes),
        processes: one.processes + other.processes,
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::{Metric, Series};

    use super::*;

    #[test]
    fn iterations_are_put_together_without_the_warm_up_of_later_processes() {
        let series = |metric: Metric, values: &[f64], resolution| Series {
            metric,
            values: values.to_vec(),
            resolution,
        };
        let mut all = Measurement {
            warmup: 1,
            operations: vec![1, 2],
            series: vec![
                series(Metric::time(), &[9.0, 1.0], 0.1),
                series(Metric::custom("widgets"), &[3.0, 3.0], 0.0),
            ],
            ..Measurement::default()
        };
        let more = Measurement {
            warmup: 1,
            operations: vec![3, 4],
            series: vec![series(Metric::time(), &[8.0, 2.0], 0.2)],
            ..Measurement::default()
        };
        append(&mut all, more);
        let expected = Measurement {
            warmup: 1,
            operations: vec![1, 2, 4],
            series: vec![series(Metric::time(), &[9.0, 1.0, 2.0], 0.2)],
            ..Measurement::default()
        };
        assert_eq!(all, expected);
    }
}
