//! The mirror images of a trial and all it is made of. The compiler checks that no field is forgotten.

use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Configured, Diagnostic, Direction, Failure, FailureKind, Instance, InstanceId, Measurement,
    Metric, Nature, Outcome, Phase, Position, Series, Severity, Side, Stopped, TextPosition, Timestamp,
    Trial, TrialInstance, Unit, Usage, WarmupEnd,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::form::{exact, exact_list, nanoseconds};

/// A trial, to be written or read.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct TrialForm(#[serde(with = "TrialWire")] pub(super) Trial);

/// A diagnostic, to be written or read.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct DiagnosticForm(#[serde(with = "DiagnosticWire")] pub(super) Diagnostic);

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
    #[serde(default)]
    layout: Option<u32>,
    /// The delivery says it once for all of them.
    #[serde(skip)]
    instance: Option<TrialInstance>,
    #[serde(with = "TimestampWire")]
    started_at: Timestamp,
    #[serde(with = "UsageWire")]
    usage: Usage,
    #[serde(with = "maybe_stopped")]
    stopped: Option<Stopped>,
    #[serde(with = "OutcomeWire")]
    outcome: Outcome,
}

/// What `serde(remote)` alone cannot do: a mirrored value that may be missing.
macro_rules! maybe {
    ($module:ident, $type:ident, $form:literal) => {
        mod $module {
            use super::*;

            #[derive(Serialize)]
            #[serde(transparent)]
            struct Written<'a>(#[serde(with = $form)] &'a $type);

            #[derive(Deserialize)]
            #[serde(transparent)]
            struct Read(#[serde(with = $form)] $type);

            pub(super) fn serialize<S: Serializer>(
                value: &Option<$type>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                value.as_ref().map(Written).serialize(serializer)
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<$type>, D::Error> {
                Ok(Option::<Read>::deserialize(deserializer)?.map(|read| read.0))
            }
        }
    };
}

maybe!(maybe_stopped, Stopped, "StoppedWire");
maybe!(maybe_configured, Configured, "ConfiguredWire");

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
    #[serde(with = "maybe_configured")]
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
#[serde(remote = "BenchmarkId")]
pub(super) struct BenchmarkWire {
    harness: String,
    package: String,
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Side", rename_all = "snake_case")]
pub(super) enum SideWire {
    Base,
    Head,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Phase", rename_all = "snake_case")]
pub(super) enum PhaseWire {
    Screening,
    Confirmation,
    Levels,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Position", rename_all = "snake_case")]
pub(super) enum PositionWire {
    Duet { index: u32, attempt: u32, first: bool },
    Levels { instance: u32, suite_run: u32, iteration: u32 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Timestamp")]
pub(super) struct TimestampWire(i64);

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
    processes: u32,
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
    #[serde(with = "series_list")]
    series: Vec<Series>,
}

mod series_list {
    use super::*;

    #[derive(Serialize)]
    #[serde(transparent)]
    struct Written<'a>(#[serde(with = "SeriesWire")] &'a Series);

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read(#[serde(with = "SeriesWire")] Series);

    pub(super) fn serialize<S: Serializer>(series: &[Series], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(series.iter().map(Written))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Series>, D::Error> {
        Ok(Vec::<Read>::deserialize(deserializer)?.into_iter().map(|read| read.0).collect())
    }
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

mod maybe_position {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Form(#[serde(with = "TextPositionWire")] TextPosition);

    pub(super) fn serialize<S: Serializer>(
        position: &Option<TextPosition>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        position.map(Form).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<TextPosition>, D::Error> {
        Ok(Option::<Form>::deserialize(deserializer)?.map(|form| form.0))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Diagnostic")]
struct DiagnosticWire {
    #[serde(with = "SeverityWire")]
    severity: Severity,
    subject: String,
    #[serde(with = "maybe_position")]
    position: Option<TextPosition>,
    message: String,
    hint: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "InstanceId")]
struct InstanceIdWire(String);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Instance")]
pub(super) struct InstanceWire {
    #[serde(with = "InstanceIdWire")]
    id: InstanceId,
    place: String,
    cpu: String,
    arch: String,
    cores: u32,
    memory_bytes: u64,
}
