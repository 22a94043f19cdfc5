//! Measures one version over its levels of repetition.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use benchwright_model::{
    BenchmarkId, Diagnostic, Event, FailureKind, FailureSummary, Outcome, Phase, Position, Severity, Side,
    Trial,
};
use benchwright_places::Place;
use benchwright_process::Interrupt;
use benchwright_worker::{Call, Subject, Task, TrialLimits};

use crate::budget::Budget;
use crate::error::RunError;
use crate::listener::RunListener;
use crate::noticed::{Noticed, noted};
use crate::order;
use crate::pace::Pace;
use crate::schedule::{Slot, followed_by_itself, schedule};
use crate::shapes::Shapes;
use crate::stopping::Stopping;

/// How often to repeat on each level. The innermost level (samples within a process) is the number of
/// iterations of the shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelCounts {
    /// Passes over the whole suite.
    pub suite_runs: u32,
    /// Processes per benchmark in each pass.
    pub iterations: u32,
}

/// A plan: what to measure, and how.
#[derive(Debug, Clone)]
pub struct LevelsPlan {
    /// The benchmarks. Both sides of a subject are the same build; head is run.
    pub subjects: Vec<Subject>,
    /// The repetitions, one entry per subject.
    pub counts: Vec<LevelCounts>,
    /// How long processes measure.
    pub shapes: Shapes,
    /// The least number of different benchmarks in a suite run. If there are fewer, others run there
    /// unrecorded. 0 turns this off.
    pub fillers: u32,
    /// Limits of a process.
    pub limits: TrialLimits,
    /// Cores that all processes are pinned to.
    pub cores: Option<Vec<usize>>,
    /// Niceness of all processes.
    pub niceness: Option<i32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Time for measuring.
    pub budget: Option<Duration>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Measured {
    /// All trials in the order in which they ended.
    pub trials: Vec<Trial>,
    /// Failed trials by benchmark.
    pub failures: Vec<FailureSummary>,
    /// Diagnostics of the run.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the budget, the user or an error ended it.
    pub is_partial: bool,
    /// The error that ended it, if there was one.
    pub error: Option<RunError>,
}

/// Carries out a run. `recalled` are the trials of an interrupted run with the same plan and seed.
pub fn levels(
    plan: &LevelsPlan,
    place: &mut dyn Place,
    recalled: Vec<Trial>,
    interrupt: &Interrupt,
    listener: &mut dyn RunListener,
) -> Measured {
    let (mut trials, whole): (Vec<Trial>, Vec<Trial>) = recalled.into_iter().partition(Trial::is_cut_off);
    let mut recalled: HashMap<(BenchmarkId, Position), Trial> =
        whole.into_iter().map(|trial| ((trial.benchmark.clone(), trial.position), trial)).collect();
    let budget = Budget::new(plan.budget, Instant::now());
    let mut pace = Pace::new(plan.subjects.iter().map(|subject| (subject.benchmark.package.as_str(), None)));
    let mut noticed = Noticed::default();
    let mut stopping = Stopping::of_levels(&plan.subjects, &plan.shapes);
    let slots = schedule(&plan.counts, plan.fillers, plan.seed);
    let whole = slots.len();
    noticed.add(unmixed(plan, &slots));
    listener.event(Event::PhaseStarted { phase: Phase::Levels, benchmarks: plan.subjects.len() as u32 });
    let mut ended = Ok(true);
    for (done, Slot { index, position }) in slots.into_iter().enumerate() {
        if position.is_some() && stopping.has_enough(index) {
            continue;
        }
        if interrupt.is_set() || budget.is_spent(pace.duet(index) / 2) {
            ended = Ok(false);
            break;
        }
        let limits = within(&budget, plan.limits);
        let benchmark = plan.subjects[index].benchmark.clone();
        let Some(position) = position else {
            // Recalled trials are not measured, so they need no fillers.
            if recalled.is_empty() {
                listener.event(Event::Measuring { benchmark, index: done as u32 });
                if let Err(error) = fill(plan, (index, limits), place, &stopping, &mut noticed) {
                    ended = Err(error);
                    break;
                }
            }
            continue;
        };
        listener.event(Event::Measuring { benchmark: benchmark.clone(), index: done as u32 });
        let trial = match recalled.remove(&(benchmark, position)) {
            Some(trial) => Ok(Some(trial)),
            None => measure(plan, (index, position, limits), place, listener, &stopping, &mut noticed),
        };
        match trial {
            Ok(Some(trial)) if trial.is_cut_off() => {
                trials.push(trial);
                ended = Ok(false);
            }
            Ok(Some(mut trial)) => {
                if let Ok(shape) = plan.shapes.of(&trial.benchmark) {
                    stopping.take(index, shape, &mut trial);
                }
                pace.trial(index, trial.usage.wall);
                listener.event(Event::TrialFinished(Box::new(trial.clone())));
                trials.push(trial);
            }
            Ok(None) => ended = Ok(false),
            Err(error) => ended = Err(error),
        }
        if !matches!(ended, Ok(true)) {
            break;
        }
        let (decided, benchmarks) = (done as u32 + 1, whole as u32);
        let left = budget.cap(pace.mean_duet() / 2 * (benchmarks - decided));
        listener.event(Event::Progress { decided, benchmarks, suspects: 0, left });
    }
    let is_partial = !matches!(ended, Ok(true));
    listener.event(Event::Finished { is_partial });
    Measured {
        failures: crate::failures::failures(&trials),
        diagnostics: noticed.with(noted(&trials, &plan.shapes, true)),
        trials,
        is_partial,
        error: ended.err(),
    }
}

/// A note that names the benchmarks whose repetitions could not be separated by others.
fn unmixed(plan: &LevelsPlan, slots: &[Slot]) -> Vec<Diagnostic> {
    let found = followed_by_itself(slots);
    // With a single benchmark this is expected.
    if found.is_empty() || plan.subjects.len() < 2 {
        return Vec::new();
    }
    let names: Vec<String> = found.iter().map(|&index| plan.subjects[index].benchmark.to_string()).collect();
    let message = format!(
        "repetitions of a benchmark follow each other directly, because the others need few: {}",
        names.join(", ")
    );
    let hint = "`fillers = 3` in benchwright.toml runs others in between, which takes more time";
    vec![Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) }.hint(hint)]
}

/// The limits of a process. It ends at the latest with the budget.
fn within(budget: &Budget, limits: TrialLimits) -> TrialLimits {
    let left = budget.left().unwrap_or(limits.wall).max(Duration::from_millis(1));
    TrialLimits { wall: limits.wall.min(left), ..limits }
}

/// Runs one process. Its trial is cut off if the user or the end of the budget interrupted it. `None` if it
/// did not start.
fn measure(
    plan: &LevelsPlan,
    (index, position, limits): (usize, Position, TrialLimits),
    place: &mut dyn Place,
    listener: &mut dyn RunListener,
    stopping: &Stopping,
    noticed: &mut Noticed,
) -> Result<Option<Trial>, RunError> {
    let mut measured = None;
    let call = Call { limits, ..call(plan, index, position, stopping)? };
    noticed.add(place.carry_out(&call, &mut |trial| measured = Some(trial))?);
    let is_short = limits.wall < plan.limits.wall;
    if let Some(Trial { outcome: Outcome::Failed(failure), .. }) = &mut measured
        && is_short
        && failure.kind == FailureKind::TimedOut
    {
        failure.kind = FailureKind::Interrupted;
    }
    let measured = measured.filter(|trial| !trial.is_void());
    if let Some(trial) = &measured {
        listener.measured(trial)?;
    }
    Ok(measured)
}

/// Runs a process between two of another benchmark. Its results are discarded and failures ignored.
fn fill(
    plan: &LevelsPlan,
    (index, limits): (usize, TrialLimits),
    place: &mut dyn Place,
    stopping: &Stopping,
    noticed: &mut Noticed,
) -> Result<(), RunError> {
    let position = Position::Levels { instance: 0, suite_run: 0, iteration: 0 };
    let call = Call { limits, ..call(plan, index, position, stopping)? };
    noticed.add(place.carry_out(&call, &mut |_| {})?);
    Ok(())
}

fn call(plan: &LevelsPlan, index: usize, position: Position, stopping: &Stopping) -> Result<Call, RunError> {
    let subject = &plan.subjects[index];
    let id = &subject.benchmark;
    let (suite_run, iteration) = match position {
        Position::Levels { suite_run, iteration, .. } => (suite_run, iteration),
        Position::Duet { index, attempt, .. } => (attempt, index),
    };
    let mut call = Call {
        subject: subject.clone(),
        task: Task::Single { side: Side::Head, position, phase: Phase::Levels },
        shape: plan.shapes.of(id)?.clone(),
        limits: plan.limits,
        cores: plan.cores.clone(),
        niceness: plan.niceness,
        padding: order::padding(plan.seed, id, iteration, suite_run),
        earlier: Vec::new(),
    };
    stopping.prepare(index, &mut call);
    Ok(call)
}
