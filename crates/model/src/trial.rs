//! One process and its measurement.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::wire;
use crate::{BenchmarkId, Metric, Phase, SampleKind, Side, Stopped, Timestamp, TrialInstance};

/// One fresh process running one benchmark of one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The benchmark that ran.
    pub benchmark: BenchmarkId,
    /// The version.
    pub side: Side,
    /// Its position in the run.
    pub position: Position,
    /// Why it was run.
    pub phase: Phase,
    /// The random code layout its program was linked in, by number within the run. `None` means as it was
    /// built.
    pub layout: Option<u32>,
    /// The instance it ran on. `None` means the machine of the run.
    pub instance: Option<TrialInstance>,
    /// When the process was started.
    pub started_at: Timestamp,
    /// Resources that the process used.
    pub usage: Usage,
    /// The decision of its stop rule. `None` if it had none.
    pub stopped: Option<Stopped>,
    /// The measurement, or the failure.
    pub outcome: Outcome,
}

/// The position of a trial in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// One half of a duet of a comparison.
    Duet {
        /// Number of the duet within its benchmark, from 0, over both phases.
        index: u32,
        /// Number of earlier attempts at this duet. A duet with a failed half is repeated as a whole.
        attempt: u32,
        /// Whether this half ran first (in a parallel pair: was started first).
        first: bool,
    },
    /// A repetition of a run of one version. All numbers count from 0.
    Levels {
        /// The machine or function instance.
        instance: u32,
        /// The pass over the whole suite.
        suite_run: u32,
        /// The process within the suite run. Samples within the process are the level below.
        iteration: u32,
    },
}

/// Resources that a process used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// From start to exit.
    #[serde(rename = "wall_ns", with = "wire::nanoseconds")]
    pub wall: Duration,
    /// CPU time in user mode, children included.
    #[serde(rename = "user_ns", with = "wire::nanoseconds")]
    pub user: Duration,
    /// CPU time in the kernel, children included.
    #[serde(rename = "system_ns", with = "wire::nanoseconds")]
    pub system: Duration,
    /// Largest resident set of the process, bytes.
    pub max_rss_bytes: u64,
    /// Number of processes that ran one after the other and whose iterations were combined. 0 if unknown.
    #[serde(default = "one")]
    pub processes: u32,
}

/// Records from before this was counted had one each.
fn one() -> u32 {
    1
}

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With values.
    Measured(Measurement),
    /// Without any that count.
    Failed(Failure),
}

impl Trial {
    /// Whether it was ended early by the user or for lack of time. It is measured again, but its data is
    /// kept.
    pub fn is_cut_off(&self) -> bool {
        matches!(&self.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted)
    }

    /// Whether it has no data to keep, because it was cut off before it had measured anything.
    pub fn is_void(&self) -> bool {
        self.is_cut_off() && self.outcome.values().is_none()
    }
}

impl Outcome {
    /// The values, if there are any.
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(_) => None,
        }
    }

    /// The values, including those that a failed trial had measured before it failed.
    pub fn values(&self) -> Option<&Measurement> {
        match self {
            Outcome::Measured(measurement) => Some(measurement),
            Outcome::Failed(failure) => failure.measured.as_ref(),
        }
    }
}

/// The raw values of one trial.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Measurement {
    /// Number of leading iterations that are warm-up, which are kept but not used.
    pub warmup: u32,
    /// Operations per iteration (Go's `b.N`, Criterion's iteration counts), in order. Empty if the harness
    /// does not report them.
    pub operations: Vec<u64>,
    /// One series per metric.
    pub series: Vec<Series>,
    /// The kind of the samples. `None` in older records and in results of other tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_kind: Option<SampleKind>,
}

impl Measurement {
    /// The kind of its samples. `benchmark` is the benchmark that was measured.
    pub fn sample_kind(&self, benchmark: &BenchmarkId) -> SampleKind {
        self.sample_kind.unwrap_or_else(|| SampleKind::of_unstated(&benchmark.harness))
    }

    /// The series that decides by default: time, or otherwise throughput.
    pub fn main(&self) -> Option<&Series> {
        self.series("time").or_else(|| self.series("throughput"))
    }

    /// The series of the metric called `name`.
    pub fn series(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.metric.name == name)
    }
}

/// The values of one metric, one per iteration, in the order they were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The metric.
    pub metric: Metric,
    /// The values in the metric's unit, one per iteration; never empty.
    #[serde(with = "wire::exact_list")]
    pub values: Vec<f64>,
    /// Smallest relative difference that the harness's output can show (0.001 for four printed digits
    /// `1.234`). 0 if values are exact.
    #[serde(with = "wire::exact")]
    pub resolution: f64,
}

/// Why the values of a trial do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The harness's own message or the end of its output, for people.
    pub detail: String,
    /// The data it had measured until then. It is kept, but no verdict uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measurement>,
}

impl Failure {
    /// A failure before anything was measured.
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Failure {
        Failure { kind, detail: detail.into(), measured: None }
    }
}

/// The ways in which a trial fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The process could not be started.
    NotStarted,
    /// It exited with this status other than 0.
    ExitStatus(i32),
    /// It was ended by this signal, which benchwright did not send.
    Signal(i32),
    /// It exceeded its time limit, and its process group was killed.
    TimedOut,
    /// It ended successfully but printed no result for the benchmark.
    NoResult,
    /// It printed a time that is zero, negative or not a number.
    BadValue,
    /// It printed more than the output limit and was killed.
    TooMuchOutput,
    /// It and its child processes used more than this many bytes of memory, and were killed.
    TooMuchMemory(u64),
    /// The run was interrupted while it ran.
    Interrupted,
}

impl FailureKind {
    /// The word in documents for programs, and the number for kinds that have one.
    pub fn code(self) -> (&'static str, Option<i32>) {
        match self {
            FailureKind::NotStarted => ("not_started", None),
            FailureKind::ExitStatus(status) => ("exit_status", Some(status)),
            FailureKind::Signal(signal) => ("signal", Some(signal)),
            FailureKind::TimedOut => ("timed_out", None),
            FailureKind::NoResult => ("no_result", None),
            FailureKind::BadValue => ("bad_value", None),
            FailureKind::TooMuchOutput => ("too_much_output", None),
            FailureKind::TooMuchMemory(_) => ("too_much_memory", None),
            FailureKind::Interrupted => ("interrupted", None),
        }
    }

    /// A fragment that reads after the benchmark's name: `timed out`.
    pub fn describe(self) -> String {
        match self {
            FailureKind::NotStarted => "could not be started".into(),
            FailureKind::ExitStatus(status) => format!("exited with status {status}"),
            FailureKind::Signal(signal) => format!("was ended by signal {signal}"),
            FailureKind::TimedOut => "ran past its time limit and was killed".into(),
            FailureKind::NoResult => "printed no result".into(),
            FailureKind::BadValue => "printed a time that is not a positive number".into(),
            FailureKind::TooMuchOutput => "printed too much and was killed".into(),
            FailureKind::TooMuchMemory(limit) => {
                format!("used more than {} MB (trial-memory) and was killed", limit.div_ceil(1_000_000))
            }
            FailureKind::Interrupted => "was interrupted".into(),
        }
    }
}
