//! `benchwright.plan.toml`: how often each benchmark has to be measured, chosen once and followed from then on.
//!
//! `benchwright reduce` makes it, people commit it, `run` and `compare` follow it. Entries are sorted and numbers rounded, so that
//! a renewed plan differs only where something changed. A benchmark says which source it was chosen from; a renewed entry comes
//! from another one.

mod read;
mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::BenchmarkId;

use crate::Levels;

pub use read::{PlanError, read_plan, read_plan_text};

/// The name of the file, in the root of the repository.
pub const PLAN_FILE_NAME: &str = "benchwright.plan.toml";

/// The version of the file's format that is written, and the newest that is read.
pub const PLAN_FORMAT: u32 = 1;

/// The plan of the repository with this root, if there is one.
pub fn find_plan(root: &Path) -> Option<PathBuf> {
    Some(root.join(PLAN_FILE_NAME)).filter(|file| file.is_file())
}

/// How often each benchmark has to be measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// When it was made, RFC 3339 in UTC.
    pub made: String,
    /// The version of benchwright that made it.
    pub by: String,
    /// The goal of the numbers.
    pub goal: Goal,
    /// The sources of the numbers, by name: a run's id, or a name for files.
    pub sources: BTreeMap<String, PlanSource>,
    /// The choices.
    pub benchmarks: BTreeMap<BenchmarkId, PlannedBenchmark>,
}

impl Plan {
    /// The source of a benchmark's numbers; none if it is not planned, or the file does not state it.
    pub fn source_of(&self, benchmark: &BenchmarkId) -> Option<&PlanSource> {
        self.sources.get(&self.benchmarks.get(benchmark)?.source)
    }

    /// Leaves out the sources that no benchmark names.
    pub fn drop_unused_sources(&mut self) {
        let used: Vec<&String> = self.benchmarks.values().map(|benchmark| &benchmark.source).collect();
        self.sources.retain(|name, _| used.contains(&name));
    }
}

/// The goal of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// Values that vary little (µOpTime).
    Stability {
        /// The metric's name in small letters: `rmad`, `rciw3`.
        metric: String,
        /// Up to which value of the metric a configuration is stable.
        threshold: f64,
        /// Whose definitions: `paper` or `prototype`.
        mode: String,
    },
    /// Changes that are found.
    Compare {
        /// The change to find, a ratio.
        change: f64,
        /// In which share of cases.
        power: f64,
        /// In which share of cases without a change one may be claimed.
        false_alarms: f64,
    },
}

/// The source of a benchmark's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSource {
    /// The run in the store; none where files were read.
    pub run: Option<String>,
    /// The files that were read, as they were named; empty where it was a run.
    pub files: Vec<String>,
    /// The name of the measured version.
    pub version: String,
    /// Its full commit id, where it has one.
    pub commit: Option<String>,
    /// Facts about machine and tool chains by name, as far as they decide whether results can be compared: `cpu`, `go`.
    pub environment: BTreeMap<String, String>,
}

/// How often one benchmark has to be measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedBenchmark {
    /// The name of what the numbers were chosen from, in [`Plan::sources`].
    pub source: String,
    /// Machines or function instances, at least 1.
    pub instances: u32,
    /// Repetitions on the levels below.
    pub levels: Levels,
    /// The metric where it is not the goal's: its name in small letters.
    pub metric: Option<String>,
    /// The metric's value at these levels; none where it is not defined, or the goal has no metric.
    pub instability: Option<f64>,
    /// Whether the goal is reached at these levels. If not, they are the full configuration.
    pub is_stable: bool,
    /// Predicted time of one pass through all levels, warm-up included, seconds.
    pub seconds: f64,
    /// The same of the full configuration.
    pub full_seconds: f64,
    /// Fingerprint of the benchmark's own code; none where there is nothing to read.
    pub code: Option<String>,
    /// How many duets a comparison takes; none where the settings decide.
    pub duets: Option<DuetRange>,
    /// Iterations per process of a comparison; none: as many as `levels.second`.
    pub iterations: Option<u32>,
    /// Time of one iteration; none where the settings decide.
    pub iteration_time: Option<Duration>,
}

/// Fewest and most duets of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuetRange {
    /// The fewest, at least 2.
    pub floor: u32,
    /// The most, at least `floor`.
    pub cap: u32,
}
