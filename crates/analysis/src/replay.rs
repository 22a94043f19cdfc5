//! Decides a recorded run again.

use std::collections::HashMap;

use benchwright_model::{
    BenchmarkId, Finding, InstanceId, Measurement, Outcome, Phase, Position, Reason, Side, Trial,
};

use crate::{DuetLimits, Judge, JudgeSettings};

/// The findings of the duets among `trials`, fed to a judge in the order in which a run would have fed them. With the
/// settings of the run they are the run's own findings. Benchmarks in the order of their first trial.
///
/// Duets with a failed half do not count. Where the recorded duets end before the judge is content (an interrupted
/// run, or other settings), a benchmark is undecided.
pub fn replay(trials: &[Trial], settings: JudgeSettings) -> Vec<Finding> {
    replay_limited(trials, settings, &HashMap::new())
}

/// The same where some benchmarks had limits of their own.
pub fn replay_limited(
    trials: &[Trial],
    settings: JudgeSettings,
    limits: &HashMap<BenchmarkId, DuetLimits>,
) -> Vec<Finding> {
    let (benchmarks, duets) = collect(trials);
    let mut judge = Judge::new(benchmarks, settings).with_limits(limits);
    while let Some(round) = judge.round() {
        let mut missing = Vec::new();
        for &index in &round.benchmarks {
            match duets[index].get(judge.duets(index)) {
                // Screening for another metric's sake was cut short, so that the suspect could be confirmed.
                Some(Duet { phase: Phase::Confirmation, .. })
                    if round.phase == Phase::Screening && judge.has_suspect(index) =>
                {
                    judge.end_screening_of(index);
                }
                Some(Duet { base, head, layout: Some(layout), .. }) => {
                    judge.duet_in_layout(index, *layout, base.clone(), head.clone());
                }
                Some(Duet { base, head, .. }) => judge.duet(index, base.clone(), head.clone()),
                None => missing.push(index),
            }
        }
        // An end that all suspects share was the run's; one that others outlived was the suspect's own.
        let is_cut = round.benchmarks.iter().all(|&index| judge.duets(index) >= duets[index].len());
        if round.phase == Phase::Confirmation && is_cut && !missing.is_empty() {
            judge.interrupt();
            break;
        }
        missing.into_iter().for_each(|index| judge.give_up(index, Reason::Interrupted));
    }
    judge.findings()
}

/// The good duets of each benchmark in order, base and head; benchmarks in the order of their first trial.
pub(crate) fn duets(trials: &[Trial]) -> Vec<(BenchmarkId, Vec<(Measurement, Measurement)>)> {
    let (benchmarks, duets) = collect(trials);
    let halves = |duets: Vec<Duet>| duets.into_iter().map(|duet| (duet.base, duet.head)).collect();
    benchmarks.into_iter().zip(duets.into_iter().map(halves)).collect()
}

struct Duet {
    base: Measurement,
    head: Measurement,
    layout: Option<u32>,
    phase: Phase,
}

/// The measurements of a benchmark by duet and attempt.
type Halves = HashMap<(u32, u32), Half>;

/// What is there of a duet so far: base and head, the layout of both, and why it was measured.
struct Half {
    both: [Option<Measurement>; 2],
    /// Where its halves ran; halves from two instances are no duet.
    instance: Option<InstanceId>,
    is_mixed: bool,
    layout: Option<u32>,
    phase: Phase,
}

/// The good duets of each benchmark, in order.
fn collect(trials: &[Trial]) -> (Vec<BenchmarkId>, Vec<Vec<Duet>>) {
    let mut benchmarks: Vec<BenchmarkId> = Vec::new();
    let mut places: HashMap<BenchmarkId, usize> = HashMap::new();
    let mut halves: Vec<Halves> = Vec::new();
    for trial in trials {
        let Position::Duet { index, attempt, .. } = trial.position else { continue };
        let place = *places.entry(trial.benchmark.clone()).or_insert_with(|| {
            benchmarks.push(trial.benchmark.clone());
            halves.push(HashMap::new());
            benchmarks.len() - 1
        });
        if let Outcome::Measured(measurement) = &trial.outcome {
            let side = usize::from(trial.side == Side::Head);
            let instance = trial.instance.as_ref().map(|instance| instance.id.clone());
            let first = || Half {
                both: [None, None],
                instance: instance.clone(),
                is_mixed: false,
                layout: trial.layout,
                phase: trial.phase,
            };
            let half = halves[place].entry((index, attempt)).or_insert_with(first);
            half.is_mixed |= half.instance != instance;
            half.both[side] = Some(measurement.clone());
            half.layout = half.layout.and(trial.layout);
        }
    }
    let good = |halves: Halves| {
        let mut whole: Vec<((u32, u32), Duet)> = halves
            .into_iter()
            .filter(|(_, half)| !half.is_mixed)
            .filter_map(|(key, Half { both: [base, head], layout, phase, .. })| {
                Some((key, Duet { base: base?, head: head?, layout, phase }))
            })
            .collect();
        whole.sort_by_key(|(key, _)| *key);
        // A duet that was measured in screening and asked for in confirmation was measured again: the last one counted.
        whole.reverse();
        whole.dedup_by_key(|((index, _), _)| *index);
        whole.reverse();
        whole.into_iter().map(|(_, duet)| duet).collect()
    };
    (benchmarks, halves.into_iter().map(good).collect())
}

#[cfg(test)]
mod tests;
