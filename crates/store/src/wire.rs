//! The mirror images of the model's types, as both files spell them.
//!
//! Each definition names the model type it mirrors; the compiler checks that no field is forgotten. The words and
//! field names here are a file format: they may grow with a default, and never change their meaning.

mod adapters;
mod text;

use std::collections::BTreeMap;
use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Configured, Diagnostic, Direction, Environment, Failure, FailureKind, FailureSummary,
    Instance, InstanceId, Measurement, Metric, Nature, Outcome, Phase, Position, Reason, Run, RunId, RunKind,
    Series, Severity, Side, Stopped, TextPosition, Timestamp, Trial, TrialInstance, Unit, Usage, Verdict,
    Version, WarmupEnd,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use adapters::{Got, Put, list, nanoseconds};
use adapters::{exact, exact_list, maybe};
pub(crate) use text::{from_text, json_list, list_from_json, to_text};

/// A model type that has a mirror image.
pub(crate) trait Wire: Sized {
    /// Writes it.
    fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    /// Reads it.
    fn get<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Makes the first type wire by the second, which mirrors it.
macro_rules! mirrored {
    ($($model:ty = $wire:ty),* $(,)?) => {$(
        impl Wire for $model {
            fn put<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$wire>::serialize(self, serializer)
            }
            fn get<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$wire>::deserialize(deserializer)
            }
        }
    )*};
}

mirrored! {
    BenchmarkId = BenchmarkWire, Configured = ConfiguredWire, Diagnostic = DiagnosticWire, Direction = DirectionWire,
    FailureKind = FailureKindWire, FailureSummary = FailureSummaryWire, Instance = InstanceWire, Nature = NatureWire, Phase = PhaseWire,
    Reason = ReasonWire, Run = RunWire, RunKind = RunKindWire, Series = SeriesWire, Severity = SeverityWire,
    Side = SideWire, Stopped = StoppedWire, TextPosition = TextPositionWire, Timestamp = TimestampWire, Trial = TrialWire,
    TrialInstance = TrialInstanceWire, Unit = UnitWire, Verdict = VerdictWire, Version = VersionWire,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RunId")]
struct RunIdWire(String);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Timestamp")]
struct TimestampWire(i64);

#[derive(Serialize, Deserialize)]
#[serde(remote = "RunKind", rename_all = "snake_case")]
enum RunKindWire {
    Compare,
    Levels,
    Imported,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Run")]
struct RunWire {
    #[serde(with = "RunIdWire")]
    id: RunId,
    #[serde(with = "RunKindWire")]
    kind: RunKind,
    command: Vec<String>,
    #[serde(with = "TimestampWire")]
    started_at: Timestamp,
    #[serde(with = "maybe")]
    ended_at: Option<Timestamp>,
    seed: u64,
    #[serde(with = "maybe")]
    base: Option<Version>,
    #[serde(with = "VersionWire")]
    head: Version,
    #[serde(with = "EnvironmentWire")]
    environment: Environment,
    tool_version: String,
    settings: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Environment")]
struct EnvironmentWire {
    facts: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Version")]
struct VersionWire {
    label: String,
    commit: Option<String>,
    tree: String,
    dirty: bool,
    subject: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "BenchmarkId")]
struct BenchmarkWire {
    harness: String,
    package: String,
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Side", rename_all = "snake_case")]
enum SideWire {
    Base,
    Head,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Phase", rename_all = "snake_case")]
enum PhaseWire {
    Screening,
    Confirmation,
    Levels,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Trial")]
struct TrialWire {
    #[serde(with = "BenchmarkWire")]
    benchmark: BenchmarkId,
    #[serde(with = "SideWire")]
    side: Side,
    #[serde(with = "PositionWire")]
    position: Position,
    #[serde(with = "PhaseWire")]
    phase: Phase,
    /// Missing in journals older than layouts.
    #[serde(default)]
    layout: Option<u32>,
    /// Missing in journals older than instances.
    #[serde(default, with = "maybe")]
    instance: Option<TrialInstance>,
    #[serde(with = "TimestampWire")]
    started_at: Timestamp,
    #[serde(with = "UsageWire")]
    usage: Usage,
    /// Missing in journals older than stop rules.
    #[serde(default, with = "maybe")]
    stopped: Option<Stopped>,
    #[serde(with = "OutcomeWire")]
    outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "InstanceId")]
struct InstanceIdWire(String);

#[derive(Serialize, Deserialize)]
#[serde(remote = "TrialInstance")]
struct TrialInstanceWire {
    #[serde(with = "InstanceIdWire")]
    id: InstanceId,
    is_cold: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Instance")]
struct InstanceWire {
    #[serde(with = "InstanceIdWire")]
    id: InstanceId,
    place: String,
    cpu: String,
    arch: String,
    cores: u32,
    memory_bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Position", rename_all = "snake_case")]
enum PositionWire {
    Duet { index: u32, attempt: u32, first: bool },
    Levels { instance: u32, suite_run: u32, iteration: u32 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Usage")]
struct UsageWire {
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    wall: Duration,
    #[serde(rename = "user_ns", with = "nanoseconds")]
    user: Duration,
    #[serde(rename = "system_ns", with = "nanoseconds")]
    system: Duration,
    max_rss_bytes: u64,
    /// Earlier records had one each.
    #[serde(default = "one")]
    processes: u32,
}

fn one() -> u32 {
    1
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Stopped")]
struct StoppedWire {
    rule: String,
    #[serde(with = "WarmupEndWire")]
    end: WarmupEnd,
    reason: String,
    after: Option<u32>,
    #[serde(rename = "warmup_ns", with = "nanoseconds")]
    warmup_time: Duration,
    #[serde(rename = "measured_ns", with = "nanoseconds")]
    measured_time: Duration,
    #[serde(with = "maybe")]
    configured: Option<Configured>,
    enough: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Configured")]
struct ConfiguredWire {
    #[serde(rename = "time_ns", with = "nanoseconds")]
    time: Duration,
    processes: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WarmupEnd", rename_all = "snake_case")]
enum WarmupEndWire {
    Steady,
    Unsteady,
    Fixed,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Outcome", rename_all = "snake_case")]
enum OutcomeWire {
    Measured(#[serde(with = "MeasurementWire")] Measurement),
    Failed(#[serde(with = "FailureWire")] Failure),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Measurement")]
struct MeasurementWire {
    warmup: u32,
    operations: Vec<u64>,
    #[serde(with = "list")]
    series: Vec<Series>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Series")]
struct SeriesWire {
    #[serde(with = "MetricWire")]
    metric: Metric,
    #[serde(with = "exact_list")]
    values: Vec<f64>,
    #[serde(with = "exact")]
    resolution: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Metric")]
struct MetricWire {
    name: String,
    #[serde(with = "UnitWire")]
    unit: Unit,
    #[serde(with = "DirectionWire")]
    direction: Direction,
    #[serde(with = "NatureWire")]
    nature: Nature,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Unit", rename_all = "snake_case")]
enum UnitWire {
    Seconds,
    Bytes,
    BytesPerSecond,
    Count,
    Other(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Direction", rename_all = "snake_case")]
enum DirectionWire {
    LowerIsBetter,
    HigherIsBetter,
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Nature", rename_all = "snake_case")]
enum NatureWire {
    Measured,
    Counted,
    Derived,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Failure")]
struct FailureWire {
    #[serde(with = "FailureKindWire")]
    kind: FailureKind,
    detail: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FailureKind", rename_all = "snake_case")]
enum FailureKindWire {
    NotStarted,
    ExitStatus(i32),
    Signal(i32),
    TimedOut,
    NoResult,
    BadValue,
    TooMuchOutput,
    TooMuchMemory(u64),
    Interrupted,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "FailureSummary")]
struct FailureSummaryWire {
    #[serde(with = "BenchmarkWire")]
    benchmark: BenchmarkId,
    #[serde(with = "SideWire")]
    side: Side,
    trials: u32,
    #[serde(with = "FailureKindWire")]
    kind: FailureKind,
    detail: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Severity", rename_all = "snake_case")]
enum SeverityWire {
    Note,
    Warning,
    Error,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TextPosition")]
struct TextPositionWire {
    line: u32,
    column: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Diagnostic")]
struct DiagnosticWire {
    #[serde(with = "SeverityWire")]
    severity: Severity,
    subject: String,
    #[serde(with = "maybe")]
    position: Option<TextPosition>,
    message: String,
    hint: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Verdict", rename_all = "snake_case")]
enum VerdictWire {
    Slower,
    Faster,
    Changed,
    Same,
    Undecided,
    NotMeasured,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Reason", rename_all = "snake_case")]
enum ReasonWire {
    WithinThreshold,
    CertainButSmall,
    IdenticalBuild,
    Exact,
    Confirmed {
        #[serde(with = "exact")]
        evidence: f64,
        #[serde(with = "exact")]
        needed: f64,
        #[serde(default)]
        layouts: u32,
    },
    Rule {
        name: String,
    },
    RankTest {
        #[serde(with = "exact")]
        p: f64,
    },
    NotConfirmed {
        #[serde(with = "exact")]
        evidence: f64,
        #[serde(with = "exact")]
        needed: f64,
        #[serde(default)]
        layouts: u32,
    },
    PlacementOnly {
        #[serde(with = "exact")]
        as_built: f64,
        layouts: u32,
    },
    ChangedBelowThreshold,
    ChangedNearThreshold,
    TooNoisy {
        duets_needed: Option<u32>,
    },
    OutOfBudget {
        duets_needed: Option<u32>,
    },
    TooCoarse {
        #[serde(with = "exact")]
        step: f64,
    },
    FewProcesses {
        processes: u32,
        needed: Option<u32>,
    },
    OneProcess,
    SummaryOnly,
    Interrupted,
    Failed {
        what: String,
    },
    NoRatio,
    Informational,
}
