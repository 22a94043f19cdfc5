//! The mirror images of a call and all it is made of. The compiler checks that no field is forgotten.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use benchwright_harness::{Executable, Stop, StopBy, TrialShape};
use benchwright_model::wire::{exact_list, nanoseconds};
use benchwright_model::{BenchmarkId, Phase, Position, Side};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use benchwright_steady::rules::catalogue::recorded;

use crate::{BuildPlace, Call, Earlier, Pairing, Program, Subject, Task, TrialLimits};

/// A call, to be written.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct CallWritten<'a>(#[serde(with = "CallWire")] pub(super) &'a Call);

/// A call that was read.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct CallRead(#[serde(with = "CallWire")] pub(super) Call);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Call")]
struct CallWire {
    #[serde(with = "SubjectWire")]
    subject: Subject,
    #[serde(with = "TaskWire")]
    task: Task,
    #[serde(with = "TrialShapeWire")]
    shape: TrialShape,
    #[serde(with = "TrialLimitsWire")]
    limits: TrialLimits,
    cores: Option<Vec<usize>>,
    niceness: Option<i32>,
    padding: usize,
    #[serde(with = "earlier_list")]
    earlier: Vec<Earlier>,
}

mod earlier_list {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Form {
        side: Side,
        #[serde(with = "exact_list")]
        values: Vec<f64>,
        warmup: u32,
    }

    pub(super) fn serialize<S: Serializer>(all: &[Earlier], serializer: S) -> Result<S::Ok, S::Error> {
        let form = |one: &Earlier| Form { side: one.side, values: one.values.to_vec(), warmup: one.warmup };
        serializer.collect_seq(all.iter().map(form))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Earlier>, D::Error> {
        let read = |Form { side, values, warmup }| Earlier { side, values: values.into(), warmup };
        Ok(Vec::<Form>::deserialize(deserializer)?.into_iter().map(read).collect())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Subject")]
struct SubjectWire {
    benchmark: BenchmarkId,
    #[serde(with = "maybe_program")]
    base: Option<Program>,
    #[serde(with = "maybe_program")]
    head: Option<Program>,
}

mod maybe_program {
    use super::*;

    #[derive(Serialize)]
    #[serde(transparent)]
    struct Written<'a>(#[serde(with = "ProgramWire")] &'a Program);

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read(#[serde(with = "ProgramWire")] Program);

    pub(super) fn serialize<S: Serializer>(
        program: &Option<Program>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        program.as_ref().map(Written).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Program>, D::Error> {
        Ok(Option::<Read>::deserialize(deserializer)?.map(|read| read.0))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Program")]
struct ProgramWire {
    #[serde(with = "ExecutableWire")]
    executable: Executable,
    #[serde(with = "BuildPlaceWire")]
    place: BuildPlace,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Executable")]
struct ExecutableWire {
    harness: String,
    package: String,
    flavour: String,
    flavour_version: String,
    path: PathBuf,
    dir: PathBuf,
    env: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "BuildPlace")]
struct BuildPlaceWire {
    root: PathBuf,
    out: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Task", rename_all = "snake_case")]
enum TaskWire {
    Duet {
        index: u32,
        attempt: u32,
        phase: Phase,
        first: Side,
        #[serde(with = "PairingWire")]
        pairing: Pairing,
    },
    Single {
        side: Side,
        position: Position,
        phase: Phase,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Pairing", rename_all = "snake_case")]
enum PairingWire {
    Sequential,
    Parallel { cores: [usize; 2] },
    InTurns { processes: u32 },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TrialShape")]
struct TrialShapeWire {
    iterations: u32,
    #[serde(rename = "iteration_time_ns", with = "nanoseconds")]
    iteration_time: Duration,
    operations: Option<NonZeroU64>,
    #[serde(rename = "warmup_time_ns", with = "nanoseconds")]
    warmup_time: Duration,
    #[serde(default)]
    is_overruled: bool,
    #[serde(with = "StopWire")]
    stop: Stop,
    args: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Stop", rename_all = "snake_case")]
enum StopWire {
    Rule(#[serde(with = "StopByWire")] StopBy),
    Fixed,
}

/// The name of a rule that this program has. The other name keeps the derived code from borrowing it from the input.
type RuleName = &'static str;

#[derive(Serialize, Deserialize)]
#[serde(remote = "StopBy")]
struct StopByWire {
    #[serde(serialize_with = "as_text", deserialize_with = "rule_name")]
    rule: RuleName,
    #[serde(deserialize_with = "maybe_rule_name")]
    processes: Option<RuleName>,
    is_live: bool,
    #[serde(rename = "longest_warmup_ns", with = "nanoseconds")]
    longest_warmup: Duration,
    #[serde(rename = "usual_ns", with = "nanoseconds")]
    usual: Duration,
    #[serde(rename = "longest_ns", with = "nanoseconds")]
    longest: Duration,
    seed: u64,
}

fn as_text<S: Serializer>(name: &RuleName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name)
}

fn rule_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    known_rule(&String::deserialize(deserializer)?)
}

fn maybe_rule_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'static str>, D::Error> {
    Option::<String>::deserialize(deserializer)?.map(|name| known_rule(&name)).transpose()
}

/// The rule of this name, if this program has it.
fn known_rule<E: serde::de::Error>(name: &str) -> Result<&'static str, E> {
    recorded(name).map(|rule| rule.name).map_err(E::custom)
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TrialLimits")]
struct TrialLimitsWire {
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    wall: Duration,
    output_bytes: u64,
    /// Missing in requests of earlier versions.
    #[serde(default)]
    memory_bytes: Option<u64>,
}
