//! `benchwright.plan.toml`: how often each benchmark has to be measured. The numbers are chosen once and then
//! followed.
//!
//! `benchwright reduce` makes it, users commit it, and `run` and `compare` follow it. Entries are sorted and
//! numbers rounded, so that a renewed plan differs only where something changed. Each benchmark names the
//! source its numbers were chosen from; a renewed entry has another source.

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

/// The version of the file's format that is written, and the newest one that is read.
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
    /// The source of a benchmark's numbers. `None` if it is not planned, or if the file does not state it.
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
        /// The metric's name in lower case: `rmad`, `rciw3`.
        metric: String,
        /// The largest value of the metric for a stable configuration.
        threshold: f64,
        /// Which definitions: `paper` or `prototype`.
        mode: String,
    },
    /// Changes that are found.
    Compare {
        /// The change to find, as a ratio.
        change: f64,
        /// The share of cases in which it must be found.
        power: f64,
        /// The share of cases without a change in which one may be reported.
        false_alarms: f64,
    },
}

/// The source of a benchmark's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSource {
    /// The run in the store. `None` if files were read.
    pub run: Option<String>,
    /// The files that were read, with the names given. Empty if it was a run.
    pub files: Vec<String>,
    /// The name of the measured version.
    pub version: String,
    /// Its full commit id, if it has one.
    pub commit: Option<String>,
    /// Facts about machine and tool chains that determine whether results can be compared, by name: `cpu`,
    /// `go`.
    pub environment: BTreeMap<String, String>,
}

/// How often one benchmark has to be measured.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedBenchmark {
    /// The name of the source of the numbers, in [`Plan::sources`].
    pub source: String,
    /// Number of machines or function instances, at least 1.
    pub instances: u32,
    /// Repetitions on the levels below.
    pub levels: Levels,
    /// The name of the metric in lower case, if it is not the goal's.
    pub metric: Option<String>,
    /// The metric's value at these levels. `None` if it is not defined, or if the goal has no metric.
    pub instability: Option<f64>,
    /// Whether the goal is reached at these levels. If not, they are the full configuration.
    pub is_stable: bool,
    /// Predicted time of one pass through all levels, including warm-up, seconds.
    pub seconds: f64,
    /// The same for the full configuration.
    pub full_seconds: f64,
    /// Fingerprint of the benchmark's own code. `None` if its code was not found.
    pub code: Option<String>,
    /// How many duets a comparison takes. `None` if the settings decide.
    pub duets: Option<DuetRange>,
    /// Number of iterations per process of a comparison. `None` means as many as `levels.second`.
    pub iterations: Option<u32>,
    /// Time of one iteration. `None` if the settings decide.
    pub iteration_time: Option<Duration>,
}

/// The smallest and largest number of duets of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuetRange {
    /// The smallest number, at least 2.
    pub floor: u32,
    /// The largest number, at least `floor`.
    pub cap: u32,
}
