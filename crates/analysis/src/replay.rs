//! Decides a recorded run again.

use std::collections::{HashMap, HashSet};

use benchwright_model::{
    BenchmarkId, Finding, InstanceId, Measurement, Outcome, Phase, Position, Reason, Side, Timestamp, Trial,
};

use crate::{DuetLimits, Judge, JudgeSettings};

/// The findings of the duets among `trials`, passed to a judge in the order in which a run would have passed
/// them. With the settings of the run they equal the run's own findings. Benchmarks are in the order of their
/// first trial.
///
/// Duets with a failed half do not count. If the recorded duets end before the judge has decided (an
/// interrupted run, or other settings), a benchmark is undecided.
pub fn replay(trials: &[Trial], settings: JudgeSettings) -> Vec<Finding> {
    replay_limited(trials, settings, &HashMap::new(), 0)
}

/// The same for a run in which some benchmarks had limits of their own, and a number of others were not
/// measured at all.
pub fn replay_limited(
    trials: &[Trial],
    settings: JudgeSettings,
    limits: &HashMap<BenchmarkId, DuetLimits>,
    unmeasured: usize,
) -> Vec<Finding> {
    let trials: Vec<&Trial> = trials.iter().filter(|trial| !trial.is_cut_off()).collect();
    let (benchmarks, duets) = collect(trials.iter().copied());
    let failed = failing(&trials, &benchmarks, &duets);
    let mut judge = Judge::new(benchmarks, settings).with_limits(limits).with_unmeasured(unmeasured);
    if !came_in_waves(&trials) {
        retrace(&mut judge, &duets, &failed);
    }
    failed.iter().for_each(|failure| failure.hand_in(&mut judge, &duets));
    while let Some(round) = judge.round() {
        let mut missing = Vec::new();
        for &index in &round.benchmarks {
            match duets[index].get(judge.duets(index)) {
                Some(duet) if judge.is_open(index) => duet.hand_in(index, &mut judge),
                Some(_) => {}
                None => missing.push(index),
            }
        }
        // If all suspects end here, the run ended here. If other suspects have more duets, the suspect itself
        // ended.
        let is_cut = round.benchmarks.iter().all(|&index| judge.duets(index) >= duets[index].len());
        if round.phase == Phase::Confirmation && is_cut && !missing.is_empty() {
            judge.interrupt();
            break;
        }
        missing.into_iter().for_each(|index| judge.give_up(index, Reason::Interrupted));
    }
    judge.findings()
}

/// Whether duets were measured in waves, so that their times do not show the rounds. They were then judged in
/// rounds of everything, with confirmation after all of screening.
fn came_in_waves(trials: &[&Trial]) -> bool {
    let of = |phase: Phase| trials.iter().filter(move |trial| trial.phase == phase);
    let first_fresh = of(Phase::Confirmation).map(|trial| trial.started_at).min();
    let last_screening = of(Phase::Screening).map(|trial| trial.started_at).max();
    let has_groups = first_fresh.zip(last_screening).is_some_and(|(fresh, screening)| fresh < screening);
    !has_groups && trials.iter().any(|trial| trial.instance.is_some())
}

/// Passes duets to the judge as the run did: in the order in which they were measured, closing a group before
/// the first fresh duet of a suspect, and giving up failing benchmarks when they failed. Duets that the judge
/// would use differently from the run are left to the following rounds.
fn retrace(judge: &mut Judge, duets: &[Vec<Duet>], failed: &[GivenUp]) {
    let of_all = duets.iter().enumerate();
    let mut order: Vec<(Timestamp, bool, usize, usize)> = of_all
        .flat_map(|(index, duets)| duets.iter().enumerate().map(move |(n, duet)| (duet, n, index)))
        .map(|(duet, n, index)| (duet.started_at, duet.phase == Phase::Confirmation, n, index))
        .collect();
    order.sort_unstable();
    let last_screening = order.iter().rposition(|(_, is_fresh, _, _)| !is_fresh);
    let mut round: HashSet<usize> = HashSet::new();
    let mut failures = failed.iter().peekable();
    for (at, &(started_at, _, _, index)) in order.iter().enumerate() {
        while let Some(failure) = failures.next_if(|failure| failure.started_at < started_at) {
            failure.hand_in(judge, duets);
        }
        let Some(duet) = duets[index].get(judge.duets(index)).filter(|_| judge.is_open(index)) else {
            continue;
        };
        let is_fresh = duet.phase == Phase::Confirmation;
        if is_fresh && judge.phase_of(index) == Phase::Screening && judge.has_suspect(index) {
            // Screening for the sake of another metric may have ended early, so that the suspect could be
            // confirmed.
            judge.end_screening_of(index);
            judge.close_group(last_screening.is_none_or(|last| at > last));
        }
        let is_wanted = match judge.phase_of(index) {
            Phase::Confirmation => is_fresh,
            _ => judge.is_screening(index),
        };
        // Evidence was examined after every round, in which each benchmark occurs at most once.
        if is_wanted && is_fresh && round.contains(&index) {
            judge.end_round();
            round.clear();
        }
        if is_wanted && judge.is_open(index) {
            round.insert(index);
            duet.hand_in(index, judge);
        }
    }
}

/// The good duets of each benchmark in order, as base and head. Benchmarks are in the order of their first
/// trial.
pub(crate) fn duets(trials: &[Trial]) -> Vec<(BenchmarkId, Vec<(Measurement, Measurement)>)> {
    let (benchmarks, duets) = collect(trials);
    let halves = |duets: Vec<Duet>| duets.into_iter().map(|duet| (duet.base, duet.head)).collect();
    benchmarks.into_iter().zip(duets.into_iter().map(halves)).collect()
}

/// A benchmark that was given up.
struct GivenUp {
    index: usize,
    /// When the last attempt at its next duet began.
    started_at: Timestamp,
}

impl GivenUp {
    /// Removes the benchmark from the schedule if it has had all its good duets.
    fn hand_in(&self, judge: &mut Judge, duets: &[Vec<Duet>]) {
        if judge.is_open(self.index) && duets[self.index].len() == judge.duets(self.index) {
            judge.give_up(self.index, Reason::Failed { what: "trials failed".into() });
        }
    }
}

/// Benchmarks whose trials failed at the position of the next duet, in the order in which that happened.
fn failing(trials: &[&Trial], benchmarks: &[BenchmarkId], duets: &[Vec<Duet>]) -> Vec<GivenUp> {
    let next: HashMap<(&BenchmarkId, u32), usize> =
        benchmarks.iter().enumerate().map(|(at, id)| ((id, duets[at].len() as u32), at)).collect();
    let mut last: HashMap<usize, Timestamp> = HashMap::new();
    for trial in trials.iter().filter(|trial| matches!(trial.outcome, Outcome::Failed(_))) {
        let Position::Duet { index, .. } = trial.position else { continue };
        if let Some(&at) = next.get(&(&trial.benchmark, index)) {
            last.entry(at)
                .and_modify(|known| *known = trial.started_at.max(*known))
                .or_insert(trial.started_at);
        }
    }
    let mut failed: Vec<GivenUp> =
        last.into_iter().map(|(index, started_at)| GivenUp { index, started_at }).collect();
    failed.sort_by_key(|failure| (failure.started_at, failure.index));
    failed
}

struct Duet {
    base: Measurement,
    head: Measurement,
    layout: Option<u32>,
    phase: Phase,
    /// When the earlier half began.
    started_at: Timestamp,
}

impl Duet {
    fn hand_in(&self, index: usize, judge: &mut Judge) {
        let (base, head) = (self.base.clone(), self.head.clone());
        match self.layout {
            Some(layout) => judge.duet_in_layout(index, layout, base, head),
            None => judge.duet(index, base, head),
        }
    }
}

/// The measurements of a benchmark by duet and attempt.
type Halves = HashMap<(u32, u32), Half>;

/// The known data of a duet: base and head, the layout of both, and why it was measured.
struct Half {
    both: [Option<Measurement>; 2],
    /// The instance its halves ran on. Halves from two instances are not a duet.
    instance: Option<InstanceId>,
    is_mixed: bool,
    layout: Option<u32>,
    phase: Phase,
    started_at: Timestamp,
}

/// The good duets of each benchmark, in order.
fn collect<'a>(trials: impl IntoIterator<Item = &'a Trial>) -> (Vec<BenchmarkId>, Vec<Vec<Duet>>) {
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
                started_at: trial.started_at,
            };
            let half = halves[place].entry((index, attempt)).or_insert_with(first);
            half.is_mixed |= half.instance != instance;
            half.both[side] = Some(measurement.clone());
            half.layout = half.layout.and(trial.layout);
            half.started_at = half.started_at.min(trial.started_at);
        }
    }
    let good = |halves: Halves| {
        let mut whole: Vec<((u32, u32), Duet)> = halves
            .into_iter()
            .filter(|(_, half)| !half.is_mixed)
            .filter_map(|(key, Half { both: [base, head], layout, phase, started_at, .. })| {
                Some((key, Duet { base: base?, head: head?, layout, phase, started_at }))
            })
            .collect();
        whole.sort_by_key(|(key, _)| *key);
        // A duet that was measured in screening but needed in confirmation was measured again. The last one
        // counted.
        whole.reverse();
        whole.dedup_by_key(|((index, _), _)| *index);
        whole.reverse();
        whole.into_iter().map(|(_, duet)| duet).collect()
    };
    (benchmarks, halves.into_iter().map(good).collect())
}

#[cfg(test)]
mod tests;
