//! Duets in waves, for places that work on many calls at once.
//!
//! Before a round, the missing duets are fetched together with all others up to each benchmark's next look,
//! in one wave of calls in random order. Trials are written to the journal as they arrive. The round then
//! takes its duets by number, as a resumed run takes those of its journal. So verdicts depend neither on the
//! order of the results nor on the number of instances, a decided benchmark gets no more calls, and a run
//! that is killed loses nothing.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Diagnostic, Event, FailureKind, InstanceId, Outcome, Phase, Reason, Severity, Trial,
};
use benchwright_places::PlaceError;
use benchwright_worker::{Call, Task};

use super::inbox::Try;
use super::{Comparing, TRIES};
use crate::budget::FRESH_DUETS_RESERVED;
use crate::error::RunError;
use crate::order;

/// Fresh duets of a suspect that are fetched at once after the first ones. Evidence is examined after every
/// duet, so more of them would often be measured in vain, and fewer would make waves that are nearly empty.
const FURTHER_FRESH: u32 = 3;

/// A duet that never arrives is requested in at most this many waves. Within each wave the place retries by
/// itself.
const WAVES_PER_DUET: u32 = 3;

/// Separates the random order of calls within waves from that of rounds.
const WAVE: u64 = 0x7761_7665;

/// The state that waves need.
#[derive(Debug, Default)]
pub(super) struct Waves {
    sent: u64,
    /// Duets that each suspect, by index, had when confirmation began.
    screened: HashMap<usize, u32>,
    /// How often each duet, by benchmark and number, was requested in vain.
    missed: HashMap<(usize, u32), u32>,
    /// Instances that are in the journal.
    instances: HashSet<InstanceId>,
}

impl Waves {
    /// Records how many duets a suspect has when its confirmation begins. Returns whether it begins now.
    pub(super) fn begin(&mut self, index: usize, duets: u32) -> bool {
        let is_new = !self.screened.contains_key(&index);
        self.screened.entry(index).or_insert(duets);
        is_new
    }

    /// How many duets a suspect had when its confirmation began.
    pub(super) fn screened(&self, index: usize) -> Option<u32> {
        self.screened.get(&index).copied()
    }
}

/// A duet to fetch: benchmark by index, number, attempt.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    index: usize,
    duet: u32,
    attempt: u32,
}

/// The state of one attempt at a duet.
enum There {
    Nothing,
    /// Halves that do not belong together.
    Torn,
    Good,
    /// A half that failed, in this way.
    Failed(FailureKind),
}

impl Comparing<'_> {
    /// Whether the place works on several calls at once.
    pub(super) fn in_waves(&self) -> bool {
        self.lanes > 1
    }

    /// Keeps all trials of an interrupted run, even those that no round needs.
    pub(super) fn keep_recalled(&mut self) {
        let indices: HashMap<&BenchmarkId, usize> = self
            .plan
            .subjects
            .iter()
            .enumerate()
            .map(|(index, subject)| (&subject.benchmark, index))
            .collect();
        let mut all: Vec<(usize, Trial)> = self
            .inbox
            .all()
            .filter_map(|trial| Some((*indices.get(&trial.benchmark)?, trial.clone())))
            .collect();
        all.sort_by_key(|(index, trial)| (trial.started_at, *index, trial.position, trial.side));
        for (index, trial) in all {
            self.keep(index, trial);
        }
    }

    /// Reports once that fresh duets run the programs as they were built.
    pub(super) fn tell_of_layouts(&mut self) {
        if self.in_waves() && self.plan.layouts > 0 {
            let message = "suspects are confirmed in the code layout of the build: programs linked again for each duet \
                           are not sent to other machines";
            let hint = "`benchwright compare --on local` confirms in random code layouts";
            let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) };
            self.diagnostics.add(vec![note.hint(hint)]);
        }
    }

    /// Fetches what the round lacks. Afterwards the next duet of each of its benchmarks exists. Benchmarks
    /// whose duet stays missing are removed from the round. Returns false if interrupted.
    pub(super) fn gather(&mut self, phase: Phase, benchmarks: &mut Vec<usize>) -> Result<bool, RunError> {
        loop {
            if self.interrupt.is_set() {
                return Ok(false);
            }
            let next = |index: usize| self.judge.duets(index) as u32;
            if benchmarks.iter().all(|&index| self.lacking(index, next(index)).is_none()) {
                return Ok(true);
            }
            self.drop_hopeless(phase, benchmarks);
            if benchmarks.is_empty() {
                return Ok(true);
            }
            let mut wanted: Vec<Wanted> =
                benchmarks.iter().flat_map(|&index| self.wanted(index, phase)).collect();
            order::shuffle(self.plan.seed ^ WAVE, self.waves.sent, &mut wanted);
            if self.budget.left().is_some() && self.pace.is_guess() {
                // Without known trial times it is unknown whether everything fits.
                wanted.truncate(self.lanes);
            }
            if !self.fits(phase, &wanted) {
                self.run_out(phase, benchmarks);
                continue;
            }
            self.waves.sent += 1;
            let may_go_on = self.send(phase, &wanted)?;
            if self.interrupt.is_set() {
                return Ok(false);
            }
            match may_go_on {
                true => self.count_missing(&wanted, benchmarks),
                false => self.run_out(phase, benchmarks),
            }
            self.tell_progress();
        }
    }

    /// The duets of a benchmark up to its next look that have to be fetched.
    fn wanted(&self, index: usize, phase: Phase) -> Vec<Wanted> {
        let done = self.judge.duets(index) as u32;
        let size = match phase {
            Phase::Confirmation => self.fresh_wave(index, done),
            _ => self.judge.duets_to_next_look(index).max(1),
        };
        let lacking = |duet| Some(Wanted { index, duet, attempt: self.lacking(index, duet)? });
        let all: Vec<Wanted> = (done..done + size).filter_map(lacking).collect();
        let is_good =
            |duet| (0..TRIES).any(|attempt| matches!(self.there(index, duet, attempt), There::Good));
        // A benchmark that never worked is tried again with a single duet.
        let is_broken = done == 0 && all.iter().any(|wanted| wanted.attempt > 0) && !(0..size).any(is_good);
        if is_broken { all.into_iter().take(1).collect() } else { all }
    }

    /// How many fresh duets of a suspect are fetched at once.
    fn fresh_wave(&self, index: usize, done: u32) -> u32 {
        let fresh = done.saturating_sub(self.waves.screened.get(&index).copied().unwrap_or(done));
        let size = FRESH_DUETS_RESERVED.saturating_sub(fresh).max(FURTHER_FRESH);
        size.min(self.plan.judge.rule.max_fresh().saturating_sub(fresh)).max(1)
    }

    /// The attempt at a duet that has to be fetched. `None` if the duet exists or another attempt is useless.
    fn lacking(&self, index: usize, duet: u32) -> Option<u32> {
        let mut failures = 0;
        for attempt in 0.. {
            match self.there(index, duet, attempt) {
                There::Nothing => return Some(attempt),
                There::Torn => {}
                There::Good => return None,
                There::Failed(kind) => {
                    failures += 1;
                    if failures == TRIES || kind == FailureKind::TimedOut && duet == 0 {
                        return None;
                    }
                }
            }
        }
        None
    }

    fn there(&self, index: usize, duet: u32, attempt: u32) -> There {
        let one: Try<'_> = (&self.plan.subjects[index].benchmark, duet, attempt);
        let halves = self.inbox.halves(one);
        if halves == [None, None] {
            return There::Nothing;
        }
        if !self.inbox.has_pair(one, self.judge.phase_of(index)) {
            return There::Torn;
        }
        let failed = halves.into_iter().flatten().find_map(|trial| match &trial.outcome {
            Outcome::Failed(failure) => Some(failure.kind),
            Outcome::Measured(_) => None,
        });
        failed.map_or(There::Good, There::Failed)
    }

    /// Whether there is time for a wave.
    fn fits(&self, phase: Phase, wanted: &[Wanted]) -> bool {
        let duets: Vec<Duration> = wanted.iter().map(|wanted| self.pace.duet(wanted.index)).collect();
        let longest = duets.iter().max().copied().unwrap_or_default();
        let expected = longest.max(duets.iter().sum::<Duration>() / self.lanes as u32);
        match phase {
            Phase::Screening => !self.budget.must_end_screening(expected, self.reserve()),
            _ => !self.budget.is_spent(expected),
        }
    }

    /// Nothing more can be fetched. Benchmarks without their next duet are removed; the others continue with
    /// what exists.
    fn run_out(&mut self, phase: Phase, benchmarks: &mut Vec<usize>) {
        let lacks = |&index: &usize| self.lacking(index, self.judge.duets(index) as u32).is_some();
        let (leaving, staying): (Vec<usize>, Vec<usize>) = benchmarks.iter().copied().partition(lacks);
        *benchmarks = staying;
        for index in leaving {
            match phase {
                Phase::Screening => self.judge.end_screening_of(index),
                _ => self.judge.give_up(index, Reason::OutOfBudget { duets_needed: None }),
            }
        }
        self.tell_decided();
    }

    /// Sends a wave and takes the results. Returns false if a ceiling of time or cost permits no more calls.
    fn send(&mut self, phase: Phase, wanted: &[Wanted]) -> Result<bool, RunError> {
        let plan = self.plan;
        let mut calls: Vec<Call> = Vec::with_capacity(wanted.len());
        for &Wanted { index, duet, attempt } in wanted {
            let subject = &plan.subjects[index];
            let id = &subject.benchmark;
            let first = order::first_side(plan.seed, id, phase, duet, attempt);
            let task = Task::Duet {
                index: duet,
                attempt,
                phase,
                first,
                pairing: self.learned.pairing(index, plan.pairing),
            };
            self.listener.event(Event::Measuring { benchmark: id.clone(), index: duet });
            calls.push(self.call(
                index,
                subject.clone(),
                task,
                order::padding(plan.seed, id, duet, attempt),
            )?);
        }
        let Comparing { place, listener, pace, trials, inbox, .. } = self;
        let mut failed = None;
        let carried_out = place.carry_out_all(&calls, &mut |number, trial| {
            let Wanted { index, duet, attempt } = wanted[number];
            let id = &plan.subjects[index].benchmark;
            // A trial that was cut off has no result.
            if trial.is_cut_off() || !inbox.is_answer((id, duet, attempt), &trial) {
                return;
            }
            if let Err(error) = listener.measured(&trial) {
                failed.get_or_insert(error);
                return;
            }
            pace.trial(index, trial.usage.wall);
            listener.event(Event::TrialFinished(Box::new(trial.clone())));
            trials.push(trial.clone());
            inbox.put(trial);
        });
        failed.map_or(Ok(()), Err)?;
        let (noticed, may_go_on) = match carried_out {
            Err(PlaceError::OutOfTime { noticed }) => (noticed, false),
            Err(PlaceError::OutOfMoney { what, noticed }) => {
                let spent = PlaceError::OutOfMoney { what, noticed: Vec::new() };
                self.spent.get_or_insert(spent.into());
                (noticed, false)
            }
            carried_out => (carried_out?, true),
        };
        self.diagnostics.add(noticed);
        for instance in self.place.instances() {
            if self.waves.instances.insert(instance.id.clone()) {
                self.listener.instance(&instance)?;
            }
        }
        Ok(may_go_on)
    }

    /// Counts missing duets. A benchmark is removed when a duet of it never arrives.
    fn count_missing(&mut self, wanted: &[Wanted], benchmarks: &mut Vec<usize>) {
        let nowhere =
            Reason::Failed { what: format!("got no complete answer from {}", self.place.describe()) };
        for wanted in wanted {
            if !matches!(self.there(wanted.index, wanted.duet, wanted.attempt), There::Nothing | There::Torn)
            {
                continue;
            }
            let missed = self.waves.missed.entry((wanted.index, wanted.duet)).or_insert(0);
            *missed += 1;
            if *missed == WAVES_PER_DUET && benchmarks.contains(&wanted.index) {
                self.judge.give_up(wanted.index, nowhere.clone());
                benchmarks.retain(|index| *index != wanted.index);
            }
        }
        self.tell_decided();
    }
}
