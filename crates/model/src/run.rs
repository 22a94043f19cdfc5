//! Everything measured by one command.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Version;

/// A run's name: sortable by time, unique in a store, and valid as a file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A moment, microseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

/// The kind of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// Two versions against each other.
    Compare,
    /// One version over its levels.
    Levels,
    /// Measured by another tool, or by benchwright elsewhere, and read from its files.
    Imported,
}

impl RunKind {
    /// The word in documents for programs.
    pub fn word(self) -> &'static str {
        match self {
            RunKind::Compare => "compare",
            RunKind::Levels => "levels",
            RunKind::Imported => "imported",
        }
    }
}

/// The facts about a run, without its trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// The kind of run.
    pub kind: RunKind,
    /// The command line, program name first.
    pub command: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended. `None` while it runs or if it was killed.
    pub ended_at: Option<Timestamp>,
    /// Seed of all random choices.
    pub seed: u64,
    /// The old version. `None` for a run of one version.
    pub base: Option<Version>,
    /// The new version, or the only one.
    pub head: Version,
    /// The environment of the measurement.
    pub environment: Environment,
    /// Version of benchwright that measured.
    pub tool_version: String,
    /// Settings that affect the numbers, as `key = value` pairs in a fixed order of keys.
    pub settings: BTreeMap<String, String>,
}

/// Facts about the machine and its tool chains: `cpu = …`, `cores = …`, `os = …`, `go = …`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// The facts by name.
    pub facts: BTreeMap<String, String>,
}

impl Environment {
    /// Facts that show whether two runs were made on the same kind of machine. None of them changes when the
    /// machine is restarted.
    pub const HARDWARE: [&'static str; 5] = ["arch", "cores", "cpu", "memory", "os"];

    /// The hardware facts as one line, which is equal for machines whose results may be compared.
    pub fn fingerprint(&self) -> String {
        let known = Environment::HARDWARE.iter().filter_map(|key| self.facts.get(*key));
        known.cloned().collect::<Vec<_>>().join(" | ")
    }
}
