//! Comparisons in a world where a script says what every trial gives, so that no process runs and no time passes.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic; as a test of the crate itself it may already")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use benchwright_analysis::{JudgeSettings, PairedSettings, ThresholdRules};
use benchwright_harness::TrialShape;
use benchwright_model::{
    Diagnostic, Environment, Event, Failure, FailureKind, Instance, Measurement, Metric, Outcome, Phase,
    Position, Run, RunId, RunKind, Series, Side, Thresholds, Timestamp, Trial, Usage, Version,
};
use benchwright_places::{Place, PlaceError};
use benchwright_process::Interrupt;
use benchwright_runner::{ComparePlan, Compared, NotKept, Relinker, RunListener, compare};
use benchwright_store::{Journal, JournalHeader};
use benchwright_worker::{Call, Pairing, Subject, Task, TrialLimits};
use tempfile::TempDir;

/// A trial that was started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Started {
    pub(crate) name: String,
    pub(crate) side: Side,
    pub(crate) index: u32,
    pub(crate) attempt: u32,
    /// Of its program; empty where the subject has none.
    pub(crate) path: String,
    /// How many it was told to measure.
    pub(crate) operations: Option<NonZeroU64>,
    /// How many its half of the duet was to have.
    pub(crate) processes: u32,
    /// How many iterations it was told to measure.
    pub(crate) iterations: u32,
}

/// What a trial gives: seconds, or a failure.
pub(crate) type Given = Result<f64, FailureKind>;

/// Metrics beside time, with a value for each of their samples.
pub(crate) type Others = Vec<(Metric, f64)>;

/// A place that does what a script says.
pub(crate) struct Scripted {
    pub(crate) script: Box<dyn Fn(&Started) -> Given>,
    /// After so many trials the interrupt is set, as by Ctrl-C or a kill.
    pub(crate) stop_after: usize,
    /// Whether the trial that the interrupt cuts off is handed over, as Ctrl-C does; a kill hands over nothing.
    pub(crate) hands_over_cut: bool,
    /// Whether a trial gives a value for each iteration, alternately above and below what the script says, instead of one.
    pub(crate) in_slices: bool,
    /// What a trial is said to take.
    pub(crate) wall: Box<dyn Fn(&Started) -> Duration>,
    /// What a trial gives beside time, with as many values.
    pub(crate) others: Box<dyn Fn(&Started) -> Others>,
    /// When a trial began that so many began before.
    pub(crate) clock: Box<dyn Fn(usize) -> Timestamp>,
    pub(crate) interrupt: Interrupt,
    pub(crate) started: Vec<Started>,
}

impl Scripted {
    pub(crate) fn new(script: impl Fn(&Started) -> Given + 'static) -> Scripted {
        Scripted {
            script: Box::new(script),
            stop_after: usize::MAX,
            hands_over_cut: false,
            in_slices: false,
            wall: Box::new(|_| Duration::from_millis(1)),
            others: Box::new(|_| Vec::new()),
            clock: Box::new(|_| Timestamp(0)),
            interrupt: Interrupt::new(),
            started: Vec::new(),
        }
    }
}

fn trial(call: &Call, half: (Side, Position, Phase), wall: Duration, given: Given, slices: u32) -> Trial {
    let (side, position, phase) = half;
    let outcome = match given {
        Ok(seconds) => {
            let varied =
                |slice| if slices == 1 { seconds } else { seconds * [0.98, 1.02][slice as usize % 2] };
            let values: Vec<f64> = (0..slices).map(varied).collect();
            let series = Series { metric: Metric::time(), values, resolution: 0.0 };
            Outcome::Measured(Measurement {
                operations: vec![1; slices as usize],
                series: vec![series],
                ..Measurement::default()
            })
        }
        Err(kind) => Outcome::Failed(Failure::new(kind, "its words")),
    };
    Trial {
        benchmark: call.subject.benchmark.clone(),
        side,
        position,
        phase,
        layout: None,
        instance: None,
        started_at: Timestamp(0),
        usage: Usage { wall, ..Usage::default() },
        stopped: None,
        outcome,
    }
}

impl Place for Scripted {
    fn describe(&self) -> String {
        "a script".into()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let halves = match call.task {
            Task::Duet { index, attempt, phase, first, .. } => vec![
                (first, Position::Duet { index, attempt, first: true }, phase),
                (first.other(), Position::Duet { index, attempt, first: false }, phase),
            ],
            Task::Single { side, position, phase } => vec![(side, position, phase)],
        };
        for half in halves {
            if self.started.len() == self.stop_after {
                self.interrupt.set();
                if self.hands_over_cut {
                    on_trial(trial(call, half, Duration::ZERO, Err(FailureKind::Interrupted), 1));
                }
                return Ok(Vec::new());
            }
            let (side, position, _) = half;
            let Position::Duet { index, attempt, .. } = position else { panic!("a duet") };
            let name = call.subject.benchmark.name.clone();
            let program = call.subject.program(side);
            let path = program.map(|program| program.path().display().to_string()).unwrap_or_default();
            let operations = call.shape.operations;
            let processes = processes(&call.task);
            let iterations = call.shape.iterations;
            let started = Started { name, side, index, attempt, path, operations, processes, iterations };
            let (wall, given) = ((self.wall)(&started), (self.script)(&started));
            let slices = if self.in_slices { iterations } else { 1 };
            let mut trial = trial(call, half, wall, given, slices);
            trial.started_at = (self.clock)(self.started.len());
            if let Outcome::Measured(measurement) = &mut trial.outcome {
                let series = |(metric, value)| Series {
                    metric,
                    values: vec![value; slices as usize],
                    resolution: 0.0,
                };
                measurement.series.extend((self.others)(&started).into_iter().map(series));
            }
            self.started.push(started);
            on_trial(trial);
        }
        Ok(Vec::new())
    }
}

/// How many processes each half of a duet is to have.
fn processes(task: &Task) -> u32 {
    match task {
        Task::Duet { pairing: Pairing::InTurns { processes }, .. } => *processes,
        _ => 1,
    }
}

/// A comparison of subjects under the default rule, with the programs as they were built.
pub(crate) fn plan(subjects: Vec<Subject>, seed: u64) -> ComparePlan {
    let shape = TrialShape::fixed(1, Duration::from_millis(1));
    ComparePlan {
        subjects,
        judge: JudgeSettings {
            rule: Arc::new(PairedSettings::default()),
            thresholds: ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 }),
            seed,
        },
        duets: HashMap::new(),
        shapes: HashMap::from([("go".to_owned(), shape)]).into(),
        fillers: 0,
        limits: TrialLimits { wall: Duration::from_secs(1), output_bytes: 1, memory_bytes: None },
        pairing: Pairing::Sequential,
        cores: None,
        niceness: None,
        seed,
        budget: None,
        durations: HashMap::new(),
        due: HashSet::new(),
        guesses: HashMap::new(),
        spreads: HashMap::new(),
        layouts: 0,
    }
}

fn header(plan: &ComparePlan) -> JournalHeader {
    header_of(&plan.subjects, plan.seed)
}

/// What a journal of these subjects begins with.
pub(crate) fn header_of(subjects: &[Subject], seed: u64) -> JournalHeader {
    let version = Version {
        label: "main".into(),
        commit: None,
        tree: "0".repeat(40),
        dirty: false,
        subject: String::new(),
    };
    JournalHeader {
        run: Run {
            id: RunId("run".into()),
            kind: RunKind::Compare,
            command: Vec::new(),
            started_at: Timestamp(0),
            ended_at: None,
            seed,
            base: Some(version.clone()),
            head: version,
            environment: Environment::default(),
            tool_version: String::new(),
            settings: BTreeMap::new(),
        },
        benchmarks: subjects.iter().map(|subject| subject.benchmark.clone()).collect(),
        options: BTreeMap::new(),
    }
}

/// A run to its end or its interrupt, going on with the journal in `dir` if there is one.
pub(crate) fn run(
    plan: &ComparePlan,
    place: &mut Scripted,
    relinker: &mut dyn Relinker,
    dir: &Path,
) -> (Compared, Vec<Event>) {
    let interrupt = place.interrupt.clone();
    run_at(plan, place, &interrupt, relinker, dir)
}

/// The same in any place.
pub(crate) fn run_at(
    plan: &ComparePlan,
    place: &mut dyn Place,
    interrupt: &Interrupt,
    relinker: &mut dyn Relinker,
    dir: &Path,
) -> (Compared, Vec<Event>) {
    let path = dir.join("run.journal");
    let (journal, recalled) = if path.exists() {
        let (journal, content) = Journal::reopen(&path).unwrap();
        (journal, content.trials)
    } else {
        (Journal::create(&path, &header(plan)).unwrap(), Vec::new())
    };
    let mut listener = Recording { journal, events: Vec::new() };
    let compared = compare(plan, place, relinker, recalled, interrupt, &mut listener);
    (compared, listener.events)
}

/// Keeps trials in a journal, and events.
pub(crate) struct Recording {
    pub(crate) journal: Journal,
    pub(crate) events: Vec<Event>,
}

impl RunListener for Recording {
    fn measured(&mut self, trial: &Trial) -> Result<(), NotKept> {
        self.journal.append(trial).map_err(|error| NotKept::new(error, ""))
    }

    fn instance(&mut self, instance: &Instance) -> Result<(), NotKept> {
        self.journal.append_instance(instance).map_err(|error| NotKept::new(error, ""))
    }

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }
}

/// A directory for a journal. Every trial is synced to the disk; where there is memory that looks like one, that takes
/// no time.
pub(crate) fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    dir.unwrap()
}
