//! Chooses what is measured next, in rounds of everything or as a budget allows, and replays an interrupted
//! run.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use benchwright_analysis::Round;
use benchwright_model::{BenchmarkId, Diagnostic, Phase, Position, Reason, Severity, Trial};
use benchwright_worker::TrialLimits;

use super::Comparing;
use crate::error::RunError;
use crate::outlook;
use crate::spend::{self, Candidate, Stage, Step};

impl Comparing<'_> {
    /// The next round. Under a budget, the benchmarks that fit it best. If none fits, all open benchmarks are
    /// out of budget.
    pub(super) fn next_round(&mut self) -> Option<Round> {
        let Some((whole, _)) = self.time().filter(|_| !self.in_waves()) else { return self.judge.round() };
        self.judge.end_round();
        loop {
            let candidates = self.candidates();
            let (_, left) = self.time()?;
            match self.spending.next(&candidates, whole, left) {
                Step::Screen(benchmarks) => return Some(self.judge.round_of(Phase::Screening, benchmarks)),
                Step::Confirm(benchmarks) => {
                    return Some(self.judge.round_of(Phase::Confirmation, benchmarks));
                }
                Step::Close { is_last } => self.judge.close_group(is_last),
                Step::Done => {
                    self.diagnostics.add(self.left_over(&candidates).into_iter().collect());
                    self.judge.end_screening();
                    for one in candidates.iter().filter(|one| one.stage != Stage::Screening) {
                        self.judge.give_up(one.index, Reason::OutOfBudget { duets_needed: None });
                    }
                    return None;
                }
            }
        }
    }

    /// The budget and the time left, if there is a budget.
    fn time(&self) -> Option<(Duration, Duration)> {
        self.plan.budget.zip(self.budget.left())
    }

    /// A diagnostic on the benchmarks that there was no time for and their cost, with the names of the most
    /// expensive ones.
    fn left_over(&self, candidates: &[Candidate]) -> Option<Diagnostic> {
        /// Number of benchmarks that are named.
        const NAMED: usize = 3;
        let mut dearest: Vec<&Candidate> = candidates.iter().collect();
        dearest.sort_by_key(|one| (std::cmp::Reverse(one.need()), one.index));
        let whole: Duration = dearest.iter().map(|one| one.need()).sum();
        let name =
            |one: &&Candidate| format!("{} ({})", self.plan.subjects[one.index].benchmark, about(one.need()));
        let named: Vec<String> = dearest.iter().take(NAMED).map(name).collect();
        let (count, noun) = (dearest.len(), if dearest.len() == 1 { "benchmark" } else { "benchmarks" });
        let message = format!(
            "the budget was too short for {count} {noun}, which would need about {} more; the most expensive: {}",
            about(whole),
            named.join(", ")
        );
        let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) };
        (count > 0).then(|| note.hint("the next comparison with a budget begins with what was left out"))
    }

    /// Every open benchmark, with its expected cost.
    fn candidates(&self) -> Vec<Candidate> {
        let open = (0..self.plan.subjects.len()).filter(|&index| self.judge.is_open(index));
        let run = outlook::run_spread(self.plan, &self.judge);
        let candidate = |index: usize| {
            let stage = match self.judge.phase_of(index) {
                Phase::Confirmation => Stage::Confirming,
                _ if self.judge.is_screening(index) => Stage::Screening,
                _ => Stage::Waiting { is_clear: self.judge.is_clear(index) },
            };
            let id = &self.plan.subjects[index].benchmark;
            let spread = run.expected(self.plan.spreads.get(id).copied());
            let duets = self.judge.duets_per_verdict(index, spread);
            Candidate {
                index,
                stage,
                duet: self.expected_each(index, duets),
                duets,
                duets_to_look: self.judge.duets_to_next_look(index),
                is_tried: self.pace.is_tried(index),
                is_begun: self.judge.is_begun(index),
                is_due: self.plan.due.contains(id),
            }
        };
        open.map(candidate).collect()
    }

    /// Whether there is no time for another duet of a benchmark. A benchmark that was not tried yet is not
    /// rejected because of a guess.
    pub(super) fn is_too_late(&self, index: usize) -> bool {
        let Some((_, left)) = self.time().filter(|_| !self.in_waves()) else { return false };
        left.is_zero() || self.pace.is_tried(index) && self.expected(index) > left
    }

    /// The limits of a process. Under a budget the time is bounded, so that a benchmark that was never tried
    /// does not use up the time of many others.
    pub(super) fn limits(&self, index: usize) -> TrialLimits {
        let limits = self.plan.limits;
        let Some((_, left)) = self.time().filter(|_| !self.in_waves()) else { return limits };
        let open = self.judge.screening().len();
        let wall = if self.pace.is_tried(index) { left } else { spend::probe(left, open).min(left) };
        TrialLimits { wall: limits.wall.min(wall.max(Duration::from_millis(1))), ..limits }
    }

    /// Replays an interrupted run, if rounds alone would not repeat it. Returns false if interrupted.
    pub(super) fn take_up(&mut self) -> Result<bool, RunError> {
        if self.in_waves() {
            self.keep_recalled();
        } else if self.plan.budget.is_some() || self.has_groups() {
            return self.retrace();
        }
        Ok(true)
    }

    /// Whether an interrupted run continued screening after confirmation had begun, as runs with a budget do.
    fn has_groups(&self) -> bool {
        let of = |phase: Phase| self.inbox.all().filter(move |trial| trial.phase == phase);
        let first_fresh = of(Phase::Confirmation).map(|trial| trial.started_at).min();
        let last_screening = of(Phase::Screening).map(|trial| trial.started_at).max();
        first_fresh.zip(last_screening).is_some_and(|(fresh, screening)| fresh < screening)
    }

    /// Replays an interrupted run in the same order and with the same groups. Duets that were fresh then are
    /// fresh again, and a resumed run is decided like any other. Returns false if interrupted.
    fn retrace(&mut self) -> Result<bool, RunError> {
        let subjects = self.plan.subjects.iter().enumerate();
        let indices: HashMap<BenchmarkId, usize> =
            subjects.map(|(index, subject)| (subject.benchmark.clone(), index)).collect();
        let mut trials: Vec<&Trial> = self.inbox.all().collect();
        trials.sort_by_key(|trial| (trial.started_at, trial.phase == Phase::Confirmation, trial.position));
        let order: Vec<(usize, u32, Phase)> = trials
            .into_iter()
            .filter_map(|trial| match trial.position {
                Position::Duet { index, .. } => Some((*indices.get(&trial.benchmark)?, index, trial.phase)),
                Position::Levels { .. } => None,
            })
            .collect();
        let mut round: HashSet<usize> = HashSet::new();
        for (index, duet, phase) in order {
            if self.judge.duets(index) as u32 != duet || !self.judge.is_open(index) {
                continue;
            }
            let is_suspect = self.judge.phase_of(index) == Phase::Screening && self.judge.has_suspect(index);
            if phase == Phase::Confirmation && is_suspect {
                self.judge.end_screening_of(index);
                self.judge.close_group(false);
            }
            let is_screening = self.judge.is_screening(index) && phase == Phase::Screening;
            let is_fresh = self.judge.phase_of(index) == phase && phase == Phase::Confirmation;
            let id = self.plan.subjects[index].benchmark.clone();
            let purpose = self.judge.phase_of(index);
            let is_whole = self
                .inbox
                .attempts(&id, duet)
                .any(|attempt| self.inbox.has_pair((&id, duet, attempt), purpose));
            if (is_screening || is_fresh) && is_whole {
                if !round.insert(index) {
                    self.judge.end_round();
                    round = HashSet::from([index]);
                }
                self.begin_layouts(phase, &[index]);
                if !self.duet(index, phase)? {
                    return Ok(false);
                }
                self.tell_decided();
            }
        }
        Ok(true)
    }
}

/// A time for people, with one or two digits.
fn about(time: Duration) -> String {
    match time.as_secs_f64() {
        secs if secs < 90.0 => format!("{:.0} s", secs.max(1.0)),
        secs if secs < 5400.0 => format!("{:.0} min", secs / 60.0),
        secs => format!("{:.0} h", secs / 3600.0),
    }
}
