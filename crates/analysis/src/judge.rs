//! Decides which benchmarks need more duets, and on verdicts.

mod expect;

use std::collections::{BTreeSet, HashMap, VecDeque};

use benchwright_model::{BenchmarkId, Finding, Measurement, Metric, Nature, Phase, Reason, SampleKind};

use crate::evidence::confirm;
use crate::exact;
use crate::hypothesis::{Answer, Hypothesis, State};
use crate::rules::{DuetLimits, Rule};
use crate::summary;
use crate::threshold::ThresholdRules;

/// The settings of a judge.
#[derive(Debug, Clone)]
pub struct JudgeSettings {
    /// The rule.
    pub rule: Rule,
    /// The smallest changes that count.
    pub thresholds: ThresholdRules,
    /// Seed for rules that resample.
    pub seed: u64,
}

/// A round of duets: one for each benchmark named, in any order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Screening or confirmation.
    pub phase: Phase,
    /// Its number in the run, from 0.
    pub number: u32,
    /// Indices of the benchmarks, ascending.
    pub benchmarks: Vec<usize>,
}

/// Decides all benchmarks of a suite together.
///
/// Call [`Judge::round`], measure one duet of each of its benchmarks, pass each to [`Judge::duet`], and
/// repeat this until there are no more rounds. Confirmation begins when screening of the whole suite has
/// ended.
///
/// A caller with too little time for that measures some benchmarks of [`Judge::screening`] and calls
/// [`Judge::close_group`] to confirm the suspects found so far. The benchmarks that have left screening by
/// then form a group with a fixed number of suspects (docs/design/0013-budget.md).
#[derive(Debug)]
pub struct Judge {
    settings: JudgeSettings,
    entries: Vec<Entry>,
    /// Number of benchmarks of the suite without any trial, which are not among the entries.
    unmeasured: usize,
    /// How many of these no group has counted yet.
    uncounted: usize,
    rounds: u32,
    /// The suspects of all closed groups.
    suspects: Vec<Suspect>,
    /// Indices of benchmarks that left the schedule and were not yet returned by `take_left`.
    left: VecDeque<usize>,
}

/// A hypothesis that is a suspect.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    entry: usize,
    hypothesis: usize,
    /// Its present evidence, or its last evidence if it is no longer tested.
    evidence: f64,
    /// Number of hypotheses of its group per suspect of its group. Together the suspects of a group start
    /// with as much evidence as all its hypotheses would, so every hypothesis shown to be the same makes
    /// confirmation easier for the others.
    weight: f64,
}

/// One benchmark.
#[derive(Debug)]
pub struct Entry {
    pub(crate) benchmark: BenchmarkId,
    /// The rule for this benchmark.
    pub(crate) rule: Rule,
    /// The duets in order, as base and head.
    pub(crate) duets: Vec<(Measurement, Measurement)>,
    pub(crate) hypotheses: Vec<Hypothesis>,
    /// Why it left the schedule, if the reason concerns all its metrics.
    pub(crate) stopped: Option<Reason>,
    /// Numbers of the random code layouts that fresh duets ran in. Empty if they ran the programs as built.
    layouts: BTreeSet<u32>,
    /// Whether it belongs to a group. Then its screening is over, and its further duets are fresh.
    is_grouped: bool,
    /// Whether a group has counted it.
    is_counted: bool,
    has_left: bool,
}

impl Entry {
    fn new(benchmark: BenchmarkId, settings: &JudgeSettings) -> Self {
        // The first duet shows the real metric and the kind of samples.
        let time = Metric::time();
        let thresholds = settings.thresholds.of(&benchmark, &time);
        let hypotheses = vec![Hypothesis::new(SampleKind::Other, time, thresholds)];
        Entry {
            benchmark,
            rule: settings.rule.clone(),
            duets: Vec::new(),
            hypotheses,
            stopped: None,
            layouts: BTreeSet::new(),
            is_grouped: false,
            is_counted: false,
            has_left: false,
        }
    }

    /// The measurements of all processes.
    pub(crate) fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.duets.iter().flat_map(|(base, head)| [base, head])
    }

    /// Number of random code layouts per side that fresh duets ran in.
    pub(crate) fn layouts(&self) -> u32 {
        self.layouts.len() as u32
    }

    /// Adds metrics that have a configured threshold. Time always decides, or throughput if a benchmark
    /// measures no time; other metrics decide only with a configured threshold.
    fn add_configured(&mut self, measurement: &Measurement, settings: &JudgeSettings) {
        let kind = measurement.sample_kind(&self.benchmark);
        let main = measurement.main().map_or_else(Metric::time, |main| main.metric.clone());
        let thresholds = settings.thresholds.of(&self.benchmark, &main);
        self.hypotheses[0] = Hypothesis::new(kind, main, thresholds);
        for series in &measurement.series {
            let metric = &series.metric;
            if metric.is_main() || metric.nature == Nature::Derived {
                continue;
            }
            if let Some(thresholds) = settings.thresholds.configured(&self.benchmark, metric) {
                self.hypotheses.push(Hypothesis::new(kind, metric.clone(), thresholds));
            }
        }
    }

    fn has_failed(&self) -> bool {
        matches!(self.stopped, Some(Reason::Failed { .. }))
    }

    /// Whether its screening is over because of its duets alone: by a suspect or by a look. The same duets
    /// always give the same answer.
    fn is_screened(&self) -> bool {
        let by_look = |hypothesis: &Hypothesis| match &hypothesis.state {
            State::Left(Answer::Undecided(reason)) => {
                matches!(reason, Reason::TooNoisy { .. } | Reason::NoRatio)
            }
            _ => true,
        };
        !self.hypotheses.iter().any(Hypothesis::is_screening)
            && (self.hypotheses.iter().any(Hypothesis::is_suspect) || self.hypotheses.iter().all(by_look))
    }

    /// Decides counts. A count that is constant on both sides at a look needs no statistics and no fresh
    /// duets. The decision stays, even if a later process differs in a benchmark that continues because of
    /// another metric.
    fn settle_counts(&mut self) {
        if !self.rule.looks().contains(&(self.duets.len() as u32)) {
            return;
        }
        for hypothesis in self.hypotheses.iter_mut().filter(|h| h.metric.nature == Nature::Counted) {
            let is_settled = matches!(
                &hypothesis.state,
                State::Left(answer) if !matches!(answer, Answer::Undecided(Reason::NoRatio))
            );
            if is_settled {
                continue;
            }
            if let Some((base, head)) = exact::constants(&self.duets, &hypothesis.metric.name) {
                hypothesis.state = State::Left(Answer::Exact { base, head });
            }
        }
    }
}

impl Judge {
    /// A judge of these benchmarks, of which none is measured.
    pub fn new(benchmarks: Vec<BenchmarkId>, settings: JudgeSettings) -> Self {
        let entries = benchmarks.into_iter().map(|benchmark| Entry::new(benchmark, &settings)).collect();
        Judge {
            settings,
            entries,
            unmeasured: 0,
            uncounted: 0,
            rounds: 0,
            suspects: Vec::new(),
            left: VecDeque::new(),
        }
    }

    /// Sets limits for single benchmarks, of which none may be measured yet.
    pub fn with_limits(mut self, limits: &HashMap<BenchmarkId, DuetLimits>) -> Self {
        for entry in &mut self.entries {
            if let Some(limits) = limits.get(&entry.benchmark) {
                entry.rule = entry.rule.limited(*limits);
            }
        }
        self
    }

    /// Adds this many benchmarks to the suite of which nothing was measured.
    pub fn with_unmeasured(mut self, benchmarks: usize) -> Self {
        (self.unmeasured, self.uncounted) = (benchmarks, benchmarks);
        self
    }

    /// The next round. `None` when every benchmark has left the schedule. Suspects of closed groups come
    /// first; when nothing is left to screen, all are closed as a group.
    pub fn round(&mut self) -> Option<Round> {
        self.end_round();
        let (mut phase, mut benchmarks) = (Phase::Confirmation, self.confirming());
        if benchmarks.is_empty() {
            (phase, benchmarks) = (Phase::Screening, self.screening());
        }
        if benchmarks.is_empty() {
            self.close_group(true);
            (phase, benchmarks) = (Phase::Confirmation, self.confirming());
        }
        (!benchmarks.is_empty()).then(|| self.round_of(phase, benchmarks))
    }

    /// Examines the evidence of all suspects after a whole round, so that verdicts do not depend on the order
    /// within it.
    pub fn end_round(&mut self) {
        if !self.suspects.is_empty() {
            self.confirm();
        }
    }

    /// A round of these benchmarks in this phase.
    pub fn round_of(&mut self, phase: Phase, benchmarks: Vec<usize>) -> Round {
        self.rounds += 1;
        Round { phase, number: self.rounds - 1, benchmarks }
    }

    /// Benchmarks whose next duet is a screening duet.
    pub fn screening(&self) -> Vec<usize> {
        (0..self.entries.len()).filter(|&index| self.is_screening(index)).collect()
    }

    /// Whether the next duet of the benchmark with this index is a screening duet.
    pub fn is_screening(&self, index: usize) -> bool {
        self.entries[index].hypotheses.iter().any(Hypothesis::is_screening)
    }

    /// Benchmarks with a suspect that belongs to no group yet, and with nothing left to screen.
    pub fn waiting(&self) -> Vec<usize> {
        let waits = |entry: &Entry| {
            !entry.is_grouped && entry.is_screened() && entry.hypotheses.iter().any(Hypothesis::is_suspect)
        };
        (0..self.entries.len()).filter(|&index| waits(&self.entries[index])).collect()
    }

    /// Benchmarks whose next duet is a fresh one.
    pub fn confirming(&self) -> Vec<usize> {
        let confirms =
            |entry: &Entry| entry.is_grouped && entry.hypotheses.iter().any(Hypothesis::is_suspect);
        (0..self.entries.len()).filter(|&index| confirms(&self.entries[index])).collect()
    }

    /// Makes a group of all benchmarks whose screening has ended since the last group. Their suspects are
    /// confirmed from now on. The last group also includes all benchmarks that were never screened.
    ///
    /// The bound on false alarms holds for any number of groups, whenever they are closed, because no fresh
    /// duet of a group is known when it is closed. With m hypotheses in all, m_g in the group and S_g
    /// suspects among them, each E of the group counts m_g / S_g fold among m. If nothing has changed, the
    /// mean of the sum of all these is at most m, which is what e-BH needs. A single group of everything is
    /// the rule as specified: a single suspect is weighed against the whole suite.
    pub fn close_group(&mut self, is_last: bool) {
        let usual = self.usual_hypotheses();
        // Unmeasured benchmarks are counted once, in the last group.
        let mut size = if is_last { std::mem::take(&mut self.uncounted) * usual } else { 0 };
        let mut suspects = Vec::new();
        for (index, entry) in self.entries.iter_mut().enumerate() {
            if entry.is_grouped || entry.has_failed() || !(is_last || entry.is_screened()) {
                continue;
            }
            entry.is_grouped = entry.is_screened();
            if !std::mem::replace(&mut entry.is_counted, true) {
                size += if entry.duets.is_empty() { usual } else { entry.hypotheses.len() };
            }
            let all = entry.hypotheses.iter().enumerate();
            suspects
                .extend(all.filter(|(_, one)| one.is_suspect()).map(|(hypothesis, _)| (index, hypothesis)));
        }
        let weight = size as f64 / suspects.len().max(1) as f64;
        let new = suspects.into_iter();
        self.suspects.extend(new.map(|(entry, hypothesis)| Suspect {
            entry,
            hypothesis,
            evidence: 1.0,
            weight,
        }));
    }

    /// Takes a duet of the benchmark with this index.
    pub fn duet(&mut self, index: usize, base: Measurement, head: Measurement) {
        let entry = &mut self.entries[index];
        if entry.duets.is_empty() {
            entry.add_configured(&head, &self.settings);
        }
        let number = entry.duets.len() as u32 + 1;
        for hypothesis in &mut entry.hypotheses {
            match entry.is_grouped {
                true => entry.rule.confirm(hypothesis, &base, &head),
                false => entry.rule.screen(hypothesis, number, &base, &head),
            }
        }
        entry.duets.push((base, head));
        entry.settle_counts();
        self.note_left(index);
    }

    /// Takes a fresh duet whose programs were linked in the random code layout with this number. The layout
    /// is drawn independently for each side. The effect of a benchmark with such duets comes from its fresh
    /// duets alone: its screening duets all ran in one layout, whose effect is exactly what is in doubt.
    pub fn duet_in_layout(&mut self, index: usize, layout: u32, base: Measurement, head: Measurement) {
        self.entries[index].layouts.insert(layout);
        self.duet(index, base, head);
    }

    /// Removes a benchmark from the schedule for `reason`, which concerns all its metrics. Existing answers
    /// stay.
    pub fn give_up(&mut self, index: usize, reason: Reason) {
        let level = self.level();
        for hypothesis in &mut self.entries[index].hypotheses {
            hypothesis.stop(|_| reason.clone(), level);
        }
        self.entries[index].stopped = Some(reason);
        self.note_left(index);
    }

    /// Ends screening of all open benchmarks because their share of the time is spent. Suspects stay.
    pub fn end_screening(&mut self) {
        for index in 0..self.entries.len() {
            self.end_screening_of(index);
        }
    }

    /// Does the same for the benchmark with this index only.
    pub fn end_screening_of(&mut self, index: usize) {
        let level = self.level();
        for hypothesis in self.entries[index].hypotheses.iter_mut().filter(|one| one.is_screening()) {
            hypothesis.stop(|duets_needed| Reason::OutOfBudget { duets_needed }, level);
        }
        self.note_left(index);
    }

    /// Ends everything because the user asked for it, or because there are no more duets.
    pub fn interrupt(&mut self) {
        // The evidence of the fresh duets so far counts, even in the middle of a round.
        self.end_round();
        let level = self.level();
        for index in 0..self.entries.len() {
            let all = self.entries[index].hypotheses.iter_mut();
            all.for_each(|hypothesis| hypothesis.stop(|_| Reason::Interrupted, level));
            self.note_left(index);
        }
    }

    /// Benchmarks that left the schedule since the last call.
    pub fn take_left(&mut self) -> Vec<usize> {
        self.left.drain(..).collect()
    }

    /// How many benchmarks have left the schedule.
    pub fn decided(&self) -> usize {
        self.entries.iter().filter(|entry| entry.has_left).count()
    }

    /// How many hypotheses are suspects now.
    pub fn suspects(&self) -> usize {
        self.entries.iter().flat_map(|entry| &entry.hypotheses).filter(|h| h.is_suspect()).count()
    }

    /// Duets measured so far of the benchmark with this index.
    pub fn duets(&self, index: usize) -> usize {
        self.entries[index].duets.len()
    }

    /// The phase of the next duet of the benchmark with this index.
    pub fn phase_of(&self, index: usize) -> Phase {
        if self.entries[index].is_grouped { Phase::Confirmation } else { Phase::Screening }
    }

    /// ln(head / base) of the duets of the benchmark with this index so far, by its main metric.
    pub fn ratios(&self, index: usize) -> &[f64] {
        self.entries[index].hypotheses.first().map_or(&[], |main| &main.duets)
    }

    /// How many duets the benchmark with this index needs until the rule looks at it next.
    pub fn duets_to_next_look(&self, index: usize) -> u32 {
        let done = self.duets(index) as u32;
        let looks = self.entries[index].rule.looks();
        looks.iter().find(|look| **look > done).map_or(1, |look| look - done)
    }

    /// Whether a metric of the benchmark with this index is a suspect now.
    pub fn has_suspect(&self, index: usize) -> bool {
        self.entries[index].hypotheses.iter().any(Hypothesis::is_suspect)
    }

    /// Whether the benchmark with this index is still in the schedule.
    pub fn is_open(&self, index: usize) -> bool {
        !self.entries[index].has_left
    }

    /// The findings of the benchmark with this index, one per metric, time first.
    pub fn finding(&self, index: usize) -> Vec<Finding> {
        summary::findings(&self.entries[index], &self.settings)
    }

    /// The findings of all benchmarks.
    pub fn findings(&self) -> Vec<Finding> {
        (0..self.entries.len()).flat_map(|index| self.finding(index)).collect()
    }

    fn level(&self) -> f64 {
        self.settings.rule.interval_error()
    }

    /// The number of hypotheses of the suite, without benchmarks that failed before a group counted them. The
    /// metrics of a benchmark that was not measured are unknown, so it counts as many as any other benchmark
    /// has at most.
    fn family(&self) -> usize {
        let usual = self.usual_hypotheses();
        let of_entry = |entry: &Entry| if entry.duets.is_empty() { usual } else { entry.hypotheses.len() };
        let counted = self.entries.iter().filter(|entry| entry.is_counted || !entry.has_failed());
        self.unmeasured * usual + counted.map(of_entry).sum::<usize>()
    }

    fn usual_hypotheses(&self) -> usize {
        self.entries.iter().map(|entry| entry.hypotheses.len()).max().unwrap_or(1)
    }

    /// Applies e-BH to the whole suite: suspects have their weighted evidence, those no longer tested their
    /// last evidence, and all other hypotheses none. The evidence is valid at any time.
    fn confirm(&mut self) {
        let Some(limits) = self.settings.rule.confirmation() else { return };
        let level = self.level();
        for suspect in &mut self.suspects {
            let state = &self.entries[suspect.entry].hypotheses[suspect.hypothesis].state;
            if let State::Suspect(test) = state {
                suspect.evidence = test.value();
            }
        }
        let mut weighted: Vec<f64> = self.suspects.iter().map(|one| one.evidence * one.weight).collect();
        weighted.resize(self.family().max(weighted.len()), 0.0);
        let (confirmed, needed) = confirm(&weighted, limits.q);
        for (i, suspect) in self.suspects.iter().enumerate() {
            let layouts = self.entries[suspect.entry].layouts();
            let hypothesis = &mut self.entries[suspect.entry].hypotheses[suspect.hypothesis];
            let State::Suspect(test) = &hypothesis.state else { continue };
            let (sign, evidence, needed) = (test.sign(), suspect.evidence, needed / suspect.weight);
            if confirmed.contains(&i) {
                hypothesis.state = State::Left(Answer::Confirmed { sign, evidence, needed });
            } else if evidence < limits.give_up || hypothesis.fresh() >= limits.max_fresh {
                hypothesis.stop(|_| Reason::NotConfirmed { evidence, needed, layouts }, level);
            }
        }
        for index in self.suspects.iter().map(|suspect| suspect.entry).collect::<Vec<_>>() {
            self.note_left(index);
        }
    }

    fn note_left(&mut self, index: usize) {
        let entry = &mut self.entries[index];
        let is_out = entry.hypotheses.iter().all(|h| matches!(h.state, State::Left(_)));
        if is_out && !entry.has_left {
            entry.has_left = true;
            self.left.push_back(index);
        }
    }
}

#[cfg(test)]
mod tests;
