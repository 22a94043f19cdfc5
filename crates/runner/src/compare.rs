//! Compares two versions until every benchmark is decided.
//!
//! On this machine duets run one by one. A place that works on several calls at once gets them in waves, and
//! the results are used as if they had been measured one by one (`waves`).

mod calls;
mod inbox;
mod limited;
mod plan;
mod waves;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use benchwright_analysis::{Judge, Round};
use benchwright_harness::TrialShape;
use benchwright_model::{
    BenchmarkId, Diagnostic, Event, Failure, FailureKind, FailureSummary, Finding, Instance, Outcome, Phase,
    Position, Reason, Side, Trial,
};
use benchwright_places::Place;
use benchwright_process::Interrupt;
use benchwright_worker::{Pairing, Subject, Task};

use crate::budget::{self, Budget};
use crate::error::RunError;
use crate::layouts::{Chosen, Layouts, Relinker};
use crate::learned::Learned;
use crate::listener::RunListener;
use crate::noticed::{Noticed, noted};
use crate::order;
use crate::outlook;
use crate::pace::Pace;
use crate::spend::Spending;
use crate::stopping::Stopping;
use inbox::Inbox;
pub use plan::ComparePlan;
use waves::Waves;

/// A duet with a failed half is repeated as a whole, with at most this many attempts.
pub(crate) const TRIES: u32 = 3;

/// Progress is reported no more often than this.
const BETWEEN_PROGRESS: Duration = Duration::from_millis(500);

/// The result of a comparison.
#[derive(Debug)]
pub struct Compared {
    /// One per benchmark and metric.
    pub findings: Vec<Finding>,
    /// All trials, failed ones included, in the order in which they ended.
    pub trials: Vec<Trial>,
    /// The instances that trials of this run came from. Empty if all ran on this machine.
    pub instances: Vec<Instance>,
    /// Failed trials by benchmark and side.
    pub failures: Vec<FailureSummary>,
    /// Diagnostics of the run.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the budget, the user or an error ended it.
    pub is_partial: bool,
    /// The error that ended it, if there was one. Everything measured before was passed to the listener and
    /// is in `trials`.
    pub error: Option<RunError>,
}

/// Carries out a comparison. `recalled` are the trials of an interrupted run with the same plan and seed: they are used
/// instead of running them again. `relinker` makes the programs of fresh duets in other code layouts.
pub fn compare(
    plan: &ComparePlan,
    place: &mut dyn Place,
    relinker: &mut dyn Relinker,
    recalled: Vec<Trial>,
    interrupt: &Interrupt,
    listener: &mut dyn RunListener,
) -> Compared {
    let benchmarks: Vec<BenchmarkId> =
        plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect();
    // Layouts are not used at places with several lanes: sending two programs per duet would cost more than
    // the duet.
    let lanes = place.capacity().max(1);
    let layouts = if lanes > 1 { 0 } else { plan.layouts };
    let budget = Budget::new(plan.budget, Instant::now());
    place.end_by(budget.deadline());
    let mut comparing = Comparing {
        plan,
        place,
        interrupt,
        listener,
        judge: Judge::new(benchmarks, plan.judge.clone()).with_limits(&plan.duets),
        inbox: Inbox::of(recalled),
        budget,
        pace: Pace::new(plan.subjects.iter().map(|subject| {
            let id = &subject.benchmark;
            (id.package.as_str(), plan.durations.get(id).or_else(|| plan.guesses.get(id)).copied())
        })),
        spending: Spending::default(),
        cut_offs: HashMap::new(),
        layouts: Layouts::new(relinker, plan.seed, layouts),
        learned: Learned::new((!plan.shapes.are_given).then_some(plan.limits.wall)),
        stopping: Stopping::default(),
        lanes,
        waves: Waves::default(),
        spent: None,
        trials: Vec::new(),
        diagnostics: Noticed::default(),
        phase: None,
        last: None,
        told: None,
    };
    let ended = comparing.run();
    comparing.conclude(ended)
}

struct Comparing<'a> {
    plan: &'a ComparePlan,
    place: &'a mut dyn Place,
    interrupt: &'a Interrupt,
    listener: &'a mut dyn RunListener,
    judge: Judge,
    inbox: Inbox,
    budget: Budget,
    spending: Spending,
    /// How often trials of a benchmark, by index, were cut off so that others had their turn.
    cut_offs: HashMap<usize, u32>,
    pace: Pace,
    layouts: Layouts<'a>,
    learned: Learned,
    /// Number of calls that the place works on at once.
    lanes: usize,
    waves: Waves,
    /// The error, if a ceiling of time or cost ended the run.
    spent: Option<RunError>,
    stopping: Stopping,
    trials: Vec<Trial>,
    diagnostics: Noticed,
    phase: Option<Phase>,
    /// The benchmark that was measured last, by index.
    last: Option<usize>,
    /// When the progress was last reported.
    told: Option<Instant>,
}

/// Why the loop ended.
enum Ended {
    Decided,
    Interrupted,
    Error(RunError),
}

impl Comparing<'_> {
    fn run(&mut self) -> Ended {
        match self.take_up() {
            Ok(true) => {}
            Ok(false) => return Ended::Interrupted,
            Err(error) => return Ended::Error(error),
        }
        while let Some(mut round) = self.next_round() {
            if self.phase != Some(round.phase) {
                self.start(round.phase, round.benchmarks.len());
            }
            self.begin_layouts(round.phase, &round.benchmarks);
            if self.in_waves() {
                self.drop_hopeless(round.phase, &mut round.benchmarks);
                match self.gather(round.phase, &mut round.benchmarks) {
                    Ok(true) => {}
                    Ok(false) => return Ended::Interrupted,
                    Err(error) => return Ended::Error(error),
                }
            }
            self.tell_decided();
            if let Some(ended) = self.measure(round) {
                return ended;
            }
        }
        Ended::Decided
    }

    /// Measures the duets of a round in random order. Returns why the loop ends, if it does.
    fn measure(&mut self, mut round: Round) -> Option<Ended> {
        self.shuffle(round.number, &mut round.benchmarks);
        let mut fillers = self.fillers(round.number, &round.benchmarks);
        let count = round.benchmarks.len();
        for (at, index) in round.benchmarks.into_iter().enumerate() {
            if self.interrupt.is_set() {
                return Some(Ended::Interrupted);
            }
            // Its time may have run out since the round began. The first benchmark always runs.
            if at > 0 && self.is_too_late(index) {
                continue;
            }
            match self.duet(index, round.phase) {
                Ok(true) => self.last = Some(index),
                Ok(false) => return Some(Ended::Interrupted),
                Err(error) => return Some(Ended::Error(error)),
            }
            if let Err(error) = self.fill(&mut fillers, count - at - 1) {
                return Some(Ended::Error(error));
            }
            self.tell_decided();
            self.tell_progress();
        }
        None
    }

    /// Puts a round in random order. The benchmark that was measured last does not come first if there is
    /// another one.
    fn shuffle(&self, round: u32, benchmarks: &mut [usize]) {
        order::shuffle(self.plan.seed, u64::from(round), benchmarks);
        if benchmarks.len() > 1 && benchmarks.first().copied() == self.last {
            benchmarks.rotate_left(1);
        }
    }

    /// The benchmarks that run unrecorded in a round with few benchmarks.
    fn fillers(&self, round: u32, benchmarks: &[usize]) -> Vec<usize> {
        if self.in_waves() {
            return Vec::new();
        }
        let missing = (self.plan.fillers as usize).saturating_sub(benchmarks.len());
        let mut others: Vec<usize> =
            (0..self.plan.subjects.len()).filter(|index| !benchmarks.contains(index)).collect();
        order::shuffle(!self.plan.seed, u64::from(round), &mut others);
        others.truncate(missing);
        others
    }

    /// Runs the fillers for this position in the round, with `waiting` duets still to come.
    fn fill(&mut self, fillers: &mut Vec<usize>, waiting: usize) -> Result<(), RunError> {
        let share = fillers.len().div_ceil(waiting + 1);
        for index in fillers.drain(..share).collect::<Vec<_>>() {
            // Recalled trials are not measured, so they need no fillers.
            if self.interrupt.is_set() || !self.inbox.is_empty() {
                break;
            }
            let subject = self.plan.subjects[index].clone();
            self.listener.event(Event::Measuring { benchmark: subject.benchmark.clone(), index: 0 });
            let position = Position::Duet { index: 0, attempt: 0, first: true };
            let task = Task::Single { side: Side::Head, position, phase: Phase::Screening };
            let call = self.call(index, subject, task, 0)?;
            self.diagnostics.add(self.place.carry_out(&call, &mut |_| {})?);
            self.last = Some(index);
        }
        Ok(())
    }

    fn start(&mut self, phase: Phase, benchmarks: usize) {
        self.phase = Some(phase);
        self.listener.event(Event::PhaseStarted { phase, benchmarks: benchmarks as u32 });
    }

    /// Records at which duet confirmation of each suspect begins. Layouts apply to changes of every size,
    /// because the placement of code can cause any (docs/design/0004-layouts.md).
    fn begin_layouts(&mut self, phase: Phase, benchmarks: &[usize]) {
        if phase != Phase::Confirmation {
            return;
        }
        for &index in benchmarks {
            let duets = self.judge.duets(index) as u32;
            if self.waves.begin(index, duets) {
                self.layouts.begin(index, duets);
            }
        }
        self.tell_of_layouts();
    }

    /// The time of a benchmark's next duet, including the time for making its layout.
    fn expected(&self, index: usize) -> Duration {
        let number = self.layouts.number(index, self.judge.duets(index) as u32, 0);
        let relinking = number.map(|number| self.layouts.expected(&self.plan.subjects[index], number));
        self.pace.duet(index).saturating_sub(2 * self.saved(index)) + relinking.unwrap_or_default()
    }

    /// The mean time of this many duets, of which the first may be short.
    fn expected_each(&self, index: usize, duets: f64) -> Duration {
        let short = f64::from(self.short_duets(index)).min(duets) / duets.max(1.0);
        let later = self.expected(index) + 2 * self.saved(index);
        later.saturating_sub(2 * self.plan.saved(index).mul_f64(short))
    }

    /// Under a budget, gives up benchmarks that cannot reach a look, so that the others reach theirs: a round
    /// of all benchmarks that decides nothing would be useless. This begins only when some trial times are
    /// known, because a bad guess would give up everything.
    fn drop_hopeless(&mut self, phase: Phase, benchmarks: &mut Vec<usize>) {
        let Some(left) = self.budget.left_for_screening(self.reserve()) else { return };
        if phase != Phase::Screening || self.pace.is_guess() {
            return;
        }
        let needs: Vec<(usize, Duration)> = benchmarks
            .iter()
            .map(|&index| (index, self.pace.duet(index) * self.judge.duets_to_next_look(index)))
            .map(|(index, need)| (index, need / self.lanes as u32))
            .collect();
        for index in budget::too_expensive(&needs, left) {
            self.judge.end_screening_of(index);
            benchmarks.retain(|&kept| kept != index);
        }
    }

    /// The time needed to confirm the present suspects.
    fn reserve(&self) -> Duration {
        let all = self.pace.mean_duet() * (self.judge.suspects() as u32) * budget::FRESH_DUETS_RESERVED;
        all / self.lanes as u32
    }

    /// Measures one good duet of a benchmark, or makes its last attempt. Returns false if interrupted.
    fn duet(&mut self, index: usize, phase: Phase) -> Result<bool, RunError> {
        let duet = self.judge.duets(index) as u32;
        let benchmark = self.plan.subjects[index].benchmark.clone();
        // Attempts of which the journal has only one half do not count.
        let attempts = self.inbox.attempts(&benchmark, duet);
        let purpose = self.judge.phase_of(index);
        let torn =
            attempts.filter(|&attempt| !self.inbox.has_pair((&benchmark, duet, attempt), purpose)).count();
        let is_apart = self.pairing(index) != Pairing::Sequential || self.in_waves();
        let mut failures = 0;
        let begun = self.cut_offs.get(&index).copied().unwrap_or(0);
        for attempt in begun..begun + TRIES + torn as u32 {
            self.listener.event(Event::Measuring { benchmark: benchmark.clone(), index: duet });
            if self.inbox.is_torn((&benchmark, duet, attempt), purpose, is_apart) {
                let torn = self.inbox.take((&benchmark, duet, attempt));
                torn.into_iter().for_each(|half| self.keep_now(index, half));
                continue;
            }
            let asked = self.asked_shape(index)?;
            let mut halves = self.halves(index, phase, (duet, attempt), &asked)?;
            if self.interrupt.is_set() && halves.len() < 2 {
                return Ok(false);
            }
            if matches!(halves.as_slice(), [one] if one.layout.is_some()) {
                // The other half can no longer be measured in the same layout.
                continue;
            }
            halves.sort_by_key(|trial| trial.side);
            let layout =
                halves.iter().map(|trial| trial.layout).reduce(|one, other| one.and(other)).flatten();
            let measurements: Vec<_> =
                halves.iter().filter_map(|trial| trial.outcome.measurement().cloned()).collect();
            if let Ok([base, head]) = <[_; 2]>::try_from(measurements) {
                // Not under the rules of papers, which fix the time of iterations.
                if self.plan.judge.rule.is_sequential() {
                    let shapes = (self.plan.shapes.of(&benchmark)?, &asked);
                    self.learned.take(index, duet, shapes, self.plan.pairing, &halves);
                }
                match layout {
                    Some(layout) => self.judge.duet_in_layout(index, layout, base, head),
                    None => self.judge.duet(index, base, head),
                }
                return Ok(true);
            }
            let failed = halves.iter().find_map(|trial| match &trial.outcome {
                Outcome::Failed(failure) => Some((trial.side, failure.clone())),
                Outcome::Measured(_) => None,
            });
            let Some((side, failure)) = failed else { return Ok(false) };
            if failure.kind == FailureKind::Interrupted {
                if self.interrupt.is_set() {
                    return Ok(false);
                }
                // Cut off for lack of time: the benchmark is put aside, and its next try is another attempt.
                self.cut_offs.insert(index, attempt + 1);
                return Ok(true);
            }
            // A benchmark that hangs before its first result will hang again, and every attempt costs the
            // whole time limit. The same holds for one that takes all memory.
            let is_at_limit = matches!(failure.kind, FailureKind::TimedOut | FailureKind::TooMuchMemory(_));
            let is_hopeless = is_at_limit && duet == 0;
            failures += 1;
            if failures == TRIES || is_hopeless {
                self.judge.give_up(index, Reason::Failed { what: describe(side, &failure) });
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Both trials of a duet, from the journal if it has them, otherwise measured now.
    fn halves(
        &mut self,
        index: usize,
        phase: Phase,
        (duet, attempt): (u32, u32),
        asked: &TrialShape,
    ) -> Result<Vec<Trial>, RunError> {
        let plan = self.plan;
        let subject = &plan.subjects[index];
        let id = &subject.benchmark;
        let first = order::first_side(plan.seed, id, phase, duet, attempt);
        let mut halves = self.inbox.take((id, duet, attempt));
        let task = match halves.as_slice() {
            [] => {
                let pairing = self.pairing(index);
                Task::Duet { index: duet, attempt, phase, first, pairing }
            }
            [one] => {
                let side = one.side.other();
                let position = Position::Duet { index: duet, attempt, first: side == first };
                Task::Single { side, position, phase }
            }
            _ => {
                for trial in &halves {
                    self.keep_now(index, trial.clone());
                }
                return Ok(halves);
            }
        };
        for trial in &halves {
            self.keep_now(index, trial.clone());
        }
        let Some((subject, layout)) = self.in_layout(index, duet, attempt, halves.first()) else {
            return Ok(halves);
        };
        if halves.first().is_some_and(|half| half.layout != layout) {
            // The layout of the existing half cannot be made any more, so the halves would not be comparable.
            return Ok(halves);
        }
        let padding = order::padding(plan.seed, id, duet, attempt);
        let call = self.call_of(asked.clone(), (index, subject), task, padding);
        let mut measured = Vec::new();
        let listener = &mut *self.listener;
        let is_short = call.limits.wall < plan.limits.wall;
        let pace = &mut self.pace;
        let noticed = self.place.carry_out(&call, &mut |mut trial| {
            trial.layout = layout;
            if let Outcome::Failed(failure) = &mut trial.outcome
                && is_short
                && failure.kind == FailureKind::TimedOut
            {
                // The benchmark is not at fault: its time was too short.
                failure.kind = FailureKind::Interrupted;
                pace.cut_off(index, trial.usage.wall.max(call.limits.wall));
            }
            // Recorded at once, not after the duet: if the other half is killed, this one must not be lost.
            let kept = if trial.is_void() { Ok(()) } else { listener.measured(&trial) };
            measured.push((trial, kept));
        })?;
        self.diagnostics.add(noticed);
        for (trial, kept) in measured {
            kept?;
            if !trial.is_cut_off() {
                self.keep(index, trial.clone());
            } else if !trial.is_void() {
                self.trials.push(trial.clone());
            }
            halves.push(trial);
        }
        Ok(halves)
    }

    /// The programs of a duet and their layout. `None` after an interrupt. If one half exists already, the
    /// other one is measured in the same layout.
    fn in_layout(
        &mut self,
        index: usize,
        duet: u32,
        attempt: u32,
        half: Option<&Trial>,
    ) -> Option<(Subject, Option<u32>)> {
        let subject = &self.plan.subjects[index];
        let number = match half {
            Some(half) => half.layout,
            None => self.layouts.number(index, duet, attempt),
        };
        let Some(number) = number else { return Some((subject.clone(), None)) };
        let listener = &mut *self.listener;
        match self.layouts.choose(subject, number, &mut |event| listener.event(event)) {
            Chosen::Subject(subject, layout) => Some((*subject, layout)),
            Chosen::AsBuilt(subject, diagnostic) => {
                self.diagnostics.add(vec![diagnostic]);
                Some((*subject, None))
            }
            Chosen::Interrupted => None,
        }
    }

    /// Records a trial that is used now. Trials of a wave were recorded when they arrived.
    fn keep_now(&mut self, index: usize, trial: Trial) {
        if !self.in_waves() {
            self.keep(index, trial);
        }
    }

    fn keep(&mut self, index: usize, mut trial: Trial) {
        if let Ok(shape) = self.plan.shapes.of(&trial.benchmark) {
            self.stopping.take(index, shape, &mut trial);
        }
        self.pace.trial(index, trial.usage.wall + self.saved(index));
        self.listener.event(Event::TrialFinished(Box::new(trial.clone())));
        self.trials.push(trial);
    }

    fn tell_decided(&mut self) {
        for index in self.judge.take_left() {
            if let Some(finding) = self.judge.finding(index).into_iter().next() {
                self.listener.event(Event::Decided(Box::new(finding)));
            }
        }
    }

    /// Computing the time left takes a few per cent of a short duet if there are hundreds of benchmarks, so
    /// it is not done every time.
    fn tell_progress(&mut self) {
        if self.told.is_some_and(|told| told.elapsed() < BETWEEN_PROGRESS) {
            return;
        }
        self.told = Some(Instant::now());
        let judge = &self.judge;
        let left = outlook::left(self.plan, judge, |index| self.pace.trial_secs(index)) / self.lanes as u32;
        let (decided, suspects) = (judge.decided() as u32, judge.suspects() as u32);
        let (benchmarks, left) = (self.plan.subjects.len() as u32, self.budget.cap(left));
        self.listener.event(Event::Progress { decided, benchmarks, suspects, left });
    }

    fn conclude(mut self, ended: Ended) -> Compared {
        match &ended {
            Ended::Decided => {}
            Ended::Interrupted | Ended::Error(_) => self.judge.interrupt(),
        }
        self.tell_decided();
        let findings = self.judge.findings();
        // A run that is resumed with another rule may be decided sooner. Trials that it does not need are
        // kept.
        if !self.in_waves() {
            self.keep_recalled();
        }
        // The budget may also have ended single benchmarks. Resuming with a larger one continues with them.
        let out_of_budget = |finding: &Finding| matches!(finding.reason, Reason::OutOfBudget { .. });
        let is_partial = !matches!(ended, Ended::Decided) || findings.iter().any(out_of_budget);
        self.listener.event(Event::Finished { is_partial });
        let noted = noted(&self.trials, &self.plan.shapes, self.plan.shapes.are_given);
        Compared {
            findings,
            failures: crate::failures::failures(&self.trials),
            diagnostics: self.diagnostics.with(noted),
            trials: self.trials,
            instances: self.place.instances(),
            is_partial,
            error: match ended {
                Ended::Error(error) => Some(error),
                _ => self.spent,
            },
        }
    }
}

fn describe(side: Side, failure: &Failure) -> String {
    format!("{side} {}", failure.kind.describe())
}
