//! When a process was warm, and when it had measured enough.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::wire;

/// The decision of a stop rule about a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// The rule's name: `learned`, `cv`.
    pub rule: String,
    /// The reason for the end of warm-up.
    pub end: WarmupEnd,
    /// The reason, as a text that follows "warm-up ended: ".
    pub reason: String,
    /// Number of iterations after which the rule had enough. `None` if the process ended before that.
    pub after: Option<u32>,
    /// Time of the iterations that are warm-up.
    #[serde(rename = "warmup_ns", with = "wire::nanoseconds")]
    pub warmup_time: Duration,
    /// Time of the measured iterations.
    #[serde(rename = "measured_ns", with = "wire::nanoseconds")]
    pub measured_time: Duration,
    /// The suite's own configuration, if it is known.
    pub configured: Option<Configured>,
    /// Why the benchmark needed no further process after this one. `None` if it needed one, or if this was
    /// not decided.
    pub enough: Option<String>,
}

/// How long a suite measures by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configured {
    /// Time of all iterations of one process, including warm-up.
    #[serde(rename = "time_ns", with = "wire::nanoseconds")]
    pub time: Duration,
    /// Number of processes, at least 1.
    pub processes: u32,
}

/// The reason for the end of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarmupEnd {
    /// The values were steady.
    Steady,
    /// They were not steady, but the longest time for it had passed, or the process had ended.
    Unsteady,
    /// Nothing was checked: a configured number of iterations had passed.
    Fixed,
}

impl WarmupEnd {
    /// The word in messages and files.
    pub fn word(self) -> &'static str {
        match self {
            WarmupEnd::Steady => "steady",
            WarmupEnd::Unsteady => "unsteady",
            WarmupEnd::Fixed => "fixed",
        }
    }
}
