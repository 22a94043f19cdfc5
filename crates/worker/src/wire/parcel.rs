//! Requests: calls that are sent to another machine.

use std::fmt;
use std::time::Duration;

use benchwright_model::wire::nanoseconds;
use benchwright_model::{Position, RunId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::WireError;
use super::form::{self, VERSION};
use crate::{Call, Task};

/// The identity of a request: 32 hexadecimal digits, the same for the same work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParcelId(pub String);

impl fmt::Display for ParcelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ParcelId {
    /// The identity of these calls in this run. It depends on what is measured and not on the location of
    /// programs.
    pub fn of(run: &RunId, calls: &[Call]) -> Self {
        let mut digest = Sha256::new();
        let mut part = |bytes: &[u8]| {
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        };
        part(run.0.as_bytes());
        for call in calls {
            let id = &call.subject.benchmark;
            for text in [&id.harness, &id.package, &id.name] {
                part(text.as_bytes());
            }
            for number in numbers(&call.task) {
                part(&number.to_le_bytes());
            }
        }
        ParcelId(hex::encode(&digest.finalize()[..16]))
    }
}

/// The numbers that distinguish the tasks of one benchmark in one run.
fn numbers(task: &Task) -> [u32; 5] {
    match *task {
        Task::Duet { index, attempt, .. } => [0, index, attempt, 0, 0],
        Task::Single { side, position, .. } => match position {
            Position::Duet { index, attempt, .. } => [1, index, attempt, side as u32, 0],
            Position::Levels { instance, suite_run, iteration } => {
                [2, instance, suite_run, iteration, side as u32]
            }
        },
    }
}

/// Calls for another machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Parcel {
    /// Its identity.
    pub id: ParcelId,
    /// The calls, in this order. Places of builds are those on the machine that receives it.
    pub calls: Vec<Call>,
    /// The time limit for all calls. Calls that are not finished by then are left out.
    pub wall: Duration,
}

#[derive(Serialize)]
struct Written<'a> {
    version: u32,
    parcel: &'a str,
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    wall: Duration,
    calls: &'a [Call],
}

#[derive(Deserialize)]
struct Read {
    parcel: String,
    #[serde(rename = "wall_ns", with = "nanoseconds")]
    wall: Duration,
    calls: Vec<Call>,
}

impl Parcel {
    /// Makes a request of `run` from the calls.
    pub fn new(run: &RunId, calls: Vec<Call>, wall: Duration) -> Self {
        Parcel { id: ParcelId::of(run, &calls), calls, wall }
    }

    /// The request as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        let Parcel { id, calls, wall } = self;
        form::write("request", &Written { version: VERSION, parcel: &id.0, wall: *wall, calls })
    }

    /// The request in this JSON.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        let read: Read = form::read("request", bytes)?;
        Ok(Parcel { id: ParcelId(read.parcel), calls: read.calls, wall: read.wall })
    }
}
