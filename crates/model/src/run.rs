//! Everything measured by one command.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Version;

/// A run's name: sortable by time, unique in a store, safe as a file name.
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

/// Which command made the run.
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
    /// Which command made it.
    pub kind: RunKind,
    /// The command line, program name first.
    pub command: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; none while it runs or where it was killed.
    pub ended_at: Option<Timestamp>,
    /// Seed of all random choices.
    pub seed: u64,
    /// The old version; none for a run of one version.
    pub base: Option<Version>,
    /// The new version, or the only one.
    pub head: Version,
    /// Where it was measured.
    pub environment: Environment,
    /// Version of benchwright that measured.
    pub tool_version: String,
    /// Settings that matter for the numbers, as `key = value` pairs in a fixed order of keys.
    pub settings: BTreeMap<String, String>,
}

/// Facts about the machine and its tool chains: `cpu = …`, `cores = …`, `os = …`, `go = …`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// The facts by name.
    pub facts: BTreeMap<String, String>,
}

impl Environment {
    /// Facts that say whether two runs were made on the same kind of machine; nothing that varies with a boot.
    pub const HARDWARE: [&'static str; 5] = ["arch", "cores", "cpu", "memory", "os"];

    /// The hardware facts as one line, the same for machines whose results may be compared.
    pub fn fingerprint(&self) -> String {
        let known = Environment::HARDWARE.iter().filter_map(|key| self.facts.get(*key));
        known.cloned().collect::<Vec<_>>().join(" | ")
    }
}
