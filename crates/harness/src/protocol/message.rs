//! One line of the protocol.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The beginning of a line of the protocol.
pub const PREFIX: &str = "##benchwright ";

/// The version of the protocol that this benchwright uses.
pub const VERSION: u32 = 1;

/// Longer lines are not read.
const LONGEST_LINE: usize = 64 * 1024;

/// Maximum length of an error message that is kept, in characters.
const LONGEST_MESSAGE: usize = 2000;

/// The content of a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The version of the protocol that the program uses.
    Protocol(u32),
    /// A benchmark with this name exists.
    Benchmark(String),
    /// An iteration was measured.
    Sample(Sample),
    /// Something went wrong.
    Error {
        /// The benchmark. Empty means all of them.
        benchmark: String,
        /// The message for people.
        message: String,
    },
}

/// One measured iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The benchmark.
    pub benchmark: String,
    /// Time of one operation in seconds.
    pub seconds: f64,
    /// Number of operations in the iteration. `None` if not stated.
    pub operations: Option<u64>,
    /// Whether the iteration is warm-up, which is kept but not used.
    pub warmup: bool,
    /// Further values per operation by metric.
    pub metrics: BTreeMap<String, f64>,
}

/// Why a line of the protocol is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProtocolError {
    /// Position of the error, counted from 1, in bytes of the line.
    pub column: u32,
    /// What was expected and what was found.
    pub message: String,
}

/// The objects as they are written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wire {
    Protocol(u32),
    Benchmark(String),
    Sample(WireSample),
    Error(WireError),
}

#[derive(Debug, Serialize, Deserialize)]
struct WireSample {
    benchmark: String,
    seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operations: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    warmup: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    metrics: BTreeMap<String, f64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct WireError {
    #[serde(default)]
    benchmark: String,
    message: String,
}

/// The message in a line. `None` if the line does not belong to the protocol.
pub fn parse(line: &str) -> Option<Result<Message, ProtocolError>> {
    let text = line.strip_prefix(PREFIX)?;
    if line.len() >= LONGEST_LINE {
        let message = format!("the line is longer than {} KiB", LONGEST_LINE / 1024);
        return Some(Err(ProtocolError { column: 1, message }));
    }
    let read = serde_json::from_str::<Wire>(text).map(Message::from);
    Some(read.map_err(|error| {
        let column = u32::try_from(PREFIX.len() + error.column().max(1)).unwrap_or(u32::MAX);
        let whole = error.to_string();
        // The caller adds the position, because it knows the line's number.
        let message = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
        ProtocolError { column, message }
    }))
}

/// The readable part of a line: an ordinary line itself, the message of an error, and nothing for other
/// messages.
pub fn plain(line: &str) -> Option<Cow<'_, str>> {
    match parse(line) {
        None | Some(Err(_)) => Some(line.into()),
        Some(Ok(Message::Error { message, .. })) => Some(message.into()),
        Some(Ok(_)) => None,
    }
}

impl Message {
    /// The line for this message, without its end. Numbers that JSON cannot represent make a line that cannot
    /// be read.
    pub fn line(&self) -> String {
        let wire = match self.clone() {
            Message::Protocol(version) => Wire::Protocol(version),
            Message::Benchmark(name) => Wire::Benchmark(name),
            Message::Sample(Sample { benchmark, seconds, operations, warmup, metrics }) => {
                Wire::Sample(WireSample { benchmark, seconds, operations, warmup, metrics })
            }
            Message::Error { benchmark, message } => Wire::Error(WireError { benchmark, message }),
        };
        let text = serde_json::to_string(&wire).expect("texts and numbers can be written as JSON");
        format!("{PREFIX}{text}")
    }
}

impl From<Wire> for Message {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::Protocol(version) => Message::Protocol(version),
            Wire::Benchmark(name) => Message::Benchmark(name),
            Wire::Sample(WireSample { benchmark, seconds, operations, warmup, metrics }) => {
                Message::Sample(Sample { benchmark, seconds, operations, warmup, metrics })
            }
            Wire::Error(WireError { benchmark, message }) => {
                let message = message.chars().take(LONGEST_MESSAGE).collect();
                Message::Error { benchmark, message }
            }
        }
    }
}
