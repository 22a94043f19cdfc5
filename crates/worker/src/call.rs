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

/// One piece of work: the two trials of a duet, or one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The benchmark and its programs.
    pub subject: Subject,
    /// Which trials to run.
    pub task: Task,
    /// How long each trial measures.
    pub shape: TrialShape,
    /// The limits at which a trial is killed.
    pub limits: TrialLimits,
    /// The cores trials may use. `None` means all. A parallel duet has cores of its own.
    pub cores: Option<Vec<usize>>,
    /// The niceness of trials. `None` inherits it.
    pub niceness: Option<i32>,
    /// Bytes by which the environment is enlarged, the same for both halves of a duet. It varies from duet to
    /// duet and shifts the stack, so that the effect of a stack position becomes noise.
    pub padding: usize,
    /// The benchmark's first processes in this run, for stop rules that learn from them.
    pub earlier: Vec<Earlier>,
}

/// The values of an earlier process of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    /// Its side.
    pub side: Side,
    /// The time of an operation in every iteration, seconds, warm-up first.
    #[serde(with = "exact_list")]
    pub values: Arc<[f64]>,
    /// Leading iterations that are warm-up.
    pub warmup: u32,
}

impl Earlier {
    /// The data that later trials learn from. `None` if the trial has no values.
    pub fn of(trial: &Trial) -> Option<Earlier> {
        let measurement = trial.outcome.measurement()?;
        let values: Arc<[f64]> = crate::watch::seconds(measurement).into();
        (!values.is_empty()).then_some(Earlier { side: trial.side, values, warmup: measurement.warmup })
    }
}

/// A benchmark and the programs that contain it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// Its program in the old version. `None` in a run of one version.
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

/// An executable and its location on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The executable, with paths relative to `place`.
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
        // Joining an empty path would add a slash at the end.
        match self.executable.dir.as_os_str().is_empty() {
            true => self.place.root.clone(),
            false => self.place.root.join(&self.executable.dir),
        }
    }
}

/// The location of one version's build. Both paths are absolute, and those of two compared versions have the
/// same length.
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
        /// Number of earlier attempts at this duet.
        attempt: u32,
        /// Why it is run.
        phase: Phase,
        /// Which side runs first.
        first: Side,
        /// Whether the sides run one after the other or at once.
        pairing: Pairing,
    },
    /// One trial.
    Single {
        /// Its side.
        side: Side,
        /// Its position in the run.
        position: Position,
        /// Why it is run.
        phase: Phase,
    },
}

impl Task {
    /// Number of earlier attempts at its duet.
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
        /// The core of the half that is named first, and that of the other. Because the first side is random,
        /// the cores are too.
        cores: [usize; 2],
    },
    /// In turns: each half is several short processes that share its iterations.
    InTurns {
        /// Number of processes of a half.
        processes: u32,
    },
}

/// The limits at which a trial is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialLimits {
    /// Maximum wall time.
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    pub wall: Duration,
    /// Maximum bytes of output of both streams together.
    pub output_bytes: u64,
    /// Maximum bytes of memory that its process and all processes started by it hold at a time. `None` means
    /// no limit.
    #[serde(default)]
    pub memory_bytes: Option<u64>,
}

impl TrialLimits {
    /// No limits.
    pub const NONE: TrialLimits =
        TrialLimits { wall: Duration::MAX, output_bytes: u64::MAX, memory_bytes: None };
}

/// Why a call could not be carried out. The benchmark is not the cause.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call has no program for a side that it names.
    #[error("find a program for `{benchmark}` on the {side} side")]
    NoProgram {
        /// The benchmark.
        benchmark: BenchmarkId,
        /// The side.
        side: Side,
    },
    /// The program's harness is unknown here.
    #[error("find the harness `{0}`")]
    NoHarness(String),
    /// A directory for a trial's files could not be made.
    #[error("make a scratch directory in `{}`", .dir.display())]
    Scratch {
        /// Its parent directory.
        dir: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A parallel duet needs two cores.
    #[error("run both halves of a duet at once on cores {} and {}", .cores[0], .cores[1])]
    TooFewCores {
        /// The requested cores.
        cores: [usize; 2],
        /// The usable cores.
        usable: Vec<usize>,
    },
    /// The stop rule cannot be used for such trials.
    #[error("watch a trial")]
    Rule(#[source] RuleError),
    /// The requested pinning or niceness is not possible.
    #[error("place a trial on the machine")]
    Placement(#[source] StartError),
}

impl CallError {
    /// Advice for the user. Empty if there is none.
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
