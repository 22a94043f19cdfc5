//! The content of a result file.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Position, Timestamp};

use crate::Format;

/// Results that belong together: one machine, one version. Most files hold one such set.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The format of the file.
    pub format: Format,
    /// The commit the results belong to, as the file says; none where it does not.
    pub revision: Option<String>,
    /// When they were measured, as the file says; none where it does not.
    pub taken_at: Option<Timestamp>,
    /// Facts about the machine and its tool chains under the file's own names: `goos`, `cpu`, `jdk`.
    pub environment: BTreeMap<String, String>,
    /// In the order of the file, every identity once.
    pub benchmarks: Vec<ImportedBenchmark>,
    /// Diagnostics about text that was not understood, with line and column. Where a file gives several sets, the first one has those of the whole file.
    pub diagnostics: Vec<Diagnostic>,
}

/// One benchmark of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedBenchmark {
    /// The identity it has when benchwright measures it, as far as the file shows.
    pub id: BenchmarkId,
    /// One per process, iterations inside; empty where the file holds only summaries.
    pub processes: Vec<Measurement>,
    /// Where in the measuring each process belongs (instance, suite run, iteration), one per process; empty where the file does
    /// not say.
    pub positions: Vec<Position>,
    /// Where each value of a process stands on the level below (seconds of an iteration), from 0, one list per process: what was left
    /// out leaves a gap. Empty where values simply follow each other.
    pub inner_positions: Vec<Vec<u32>>,
    /// The name as the file writes it, where the identity was made of its parts; otherwise empty.
    pub written_name: String,
    /// Whether the file separates processes from iterations. If not, all values are in one process.
    pub is_structure_known: bool,
    /// Metrics of which the file has only summary numbers. Where there are no processes this is all there is.
    pub summaries: Vec<ImportedSummary>,
}

/// A metric of which only summary numbers are known, all in the metric's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSummary {
    /// What was measured.
    pub metric: Metric,
    /// The number the file puts first: its mean, or its median where it has no mean.
    pub value: f64,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Standard deviation of single values.
    pub standard_deviation: Option<f64>,
    /// Smallest value.
    pub least: Option<f64>,
    /// Largest value.
    pub greatest: Option<f64>,
    /// Lower end of the interval the file gives for `value`, of whatever kind.
    pub lower: Option<f64>,
    /// Upper end of that interval.
    pub upper: Option<f64>,
    /// How many values it was made of.
    pub count: Option<u64>,
}

impl ImportedSummary {
    /// A summary of which only the main number is known.
    pub fn new(metric: Metric, value: f64) -> Self {
        ImportedSummary {
            metric,
            value,
            mean: None,
            median: None,
            standard_deviation: None,
            least: None,
            greatest: None,
            lower: None,
            upper: None,
            count: None,
        }
    }
}
