//! Calls: the work that a worker carries out.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use benchwright_harness::{Executable, TrialShape};
use benchwright_model::wire::{exact_list, nanoseconds};
use benchwright_model::{BenchmarkId, Phase, Position, Side, Trial};
use benchwright_process::StartError;
use benchwright_steady::rules::catalogue::RuleError;
use serde::{Deserialize, Serialize};

/// One piece of work: the trials of one duet, or one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The benchmark and its programs.
    pub subject: Subject,
    /// Which trials of it.
    pub task: Task,
    /// How long each trial measures.
    pub shape: TrialShape,
    /// When to end a trial by force.
    pub limits: TrialLimits,
    /// The cores trials may use; `None` for all. A parallel duet brings its own.
    pub cores: Option<Vec<usize>>,
    /// The niceness of trials; `None` to inherit.
    pub niceness: Option<i32>,
    /// Bytes by which the environment is made larger, the same for both halves of a duet. Varied from duet to duet
    /// it moves the stack, so that the luck of one stack position becomes noise.
    pub padding: usize,
    /// The benchmark's first processes in this run, for stop rules that learn from them.
    pub earlier: Vec<Earlier>,
}

/// The values of an earlier process of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// Of which side.
    pub side: Side,
    /// The time of an operation in every iteration, seconds, warm-up first.
    #[serde(with = "exact_list")]
    pub values: Arc<[f64]>,
    /// Leading iterations that are warm-up.
    pub warmup: u32,
}

impl Earlier {
    /// What later trials learn from this one; nothing if it has no values.
    pub fn of(trial: &Trial) -> Option<Earlier> {
        let measurement = trial.outcome.measurement()?;
        let values: Arc<[f64]> = crate::watch::seconds(measurement).into();
        (!values.is_empty()).then_some(Earlier { side: trial.side, values, warmup: measurement.warmup })
    }
}

/// A benchmark and the programs that contain it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Which benchmark.
    pub benchmark: BenchmarkId,
    /// Its program in the old version; none in a run of one version.
    pub base: Option<Program>,
    /// Its program in the new version, or the only one.
    pub head: Option<Program>,
}

impl Subject {
    /// The program of one side.
    pub fn program(&self, side: Side) -> Option<&Program> {
        match side {
            Side::Base => self.base.as_ref(),
            Side::Head => self.head.as_ref(),
        }
    }
}

/// An executable and where it lies on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The executable, with paths relative to its place.
    pub executable: Executable,
    /// Where its version was built.
    pub place: BuildPlace,
}

impl Program {
    /// The program file.
    pub fn path(&self) -> PathBuf {
        self.place.out.join(&self.executable.path)
    }

    /// The working directory of its trials.
    pub fn dir(&self) -> PathBuf {
        // Joining an empty path would add a final slash.
        match self.executable.dir.as_os_str().is_empty() {
            true => self.place.root.clone(),
            false => self.place.root.join(&self.executable.dir),
        }
    }
}

/// Where one version's build lies. Both absolute; those of two versions compared are equally long.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BuildPlace {
    /// The root of the version's files.
    pub root: PathBuf,
    /// The directory of its executables.
    pub out: PathBuf,
}

/// Which trials to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// One trial per side.
    Duet {
        /// Number of the duet within its benchmark, from 0.
        index: u32,
        /// How often this duet was tried before.
        attempt: u32,
        /// Why it is run.
        phase: Phase,
        /// Which side runs first.
        first: Side,
        /// One after the other, or at once.
        pairing: Pairing,
    },
    /// One trial.
    Single {
        /// Of this side.
        side: Side,
        /// Where in the run it belongs.
        position: Position,
        /// Why it is run.
        phase: Phase,
    },
}

impl Task {
    /// How often its duet was tried before.
    pub fn attempt(&self) -> u32 {
        match self {
            Task::Duet { attempt, .. } => *attempt,
            Task::Single { position: Position::Duet { attempt, .. }, .. } => *attempt,
            Task::Single { .. } => 0,
        }
    }
}

/// How the halves of a duet share the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pairing {
    /// One after the other.
    Sequential,
    /// At once, each on its own core.
    Parallel {
        /// The core of the half named first, and that of the other. Tossing the first side tosses the cores too.
        cores: [usize; 2],
    },
    /// In turns: each half is several short processes that share its iterations.
    InTurns {
        /// How many processes a half has.
        processes: u32,
    },
}

/// When to end a trial by force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialLimits {
    /// Longest wall time.
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    pub wall: Duration,
    /// Most bytes of output, both streams together.
    pub output_bytes: u64,
    /// Most bytes of memory that its process and everything that started hold at a time; `None` for no limit.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
}

impl TrialLimits {
    /// No limits.
    pub const NONE: TrialLimits =
        TrialLimits { wall: Duration::MAX, output_bytes: u64::MAX, memory_bytes: None };
}

/// Why a call could not be carried out, whatever the benchmark does.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call names a side it brings no program for.
    #[error("find a program for `{benchmark}` on the {side} side")]
    NoProgram {
        /// Which benchmark.
        benchmark: BenchmarkId,
        /// Which side.
        side: Side,
    },
    /// The program's harness is not known here.
    #[error("find the harness `{0}`")]
    NoHarness(String),
    /// No directory for a trial's files.
    #[error("make a scratch directory in `{}`", .dir.display())]
    Scratch {
        /// Where it should have been.
        dir: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A parallel duet needs two cores.
    #[error("run both halves of a duet at once on cores {} and {}", .cores[0], .cores[1])]
    TooFewCores {
        /// The cores asked for.
        cores: [usize; 2],
        /// The cores there are.
        usable: Vec<usize>,
    },
    /// The stop rule cannot be had for such trials.
    #[error("watch a trial")]
    Rule(#[source] RuleError),
    /// Pinning or niceness as asked for is not possible.
    #[error("place a trial on the machine")]
    Placement(#[source] StartError),
}

impl CallError {
    /// Advice for the user; empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            CallError::TooFewCores { usable, .. } => {
                format!("usable cores are {usable:?}; use `--pairing sequential`")
            }
            CallError::Scratch { .. } => "check the directory's rights and the space left on its disk".into(),
            CallError::Placement(error) => error.hint().into(),
            CallError::Rule(error) => error.hint(),
            CallError::NoProgram { .. } | CallError::NoHarness(_) => String::new(),
        }
    }
}
