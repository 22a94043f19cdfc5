//! The content of a result file.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Position, Timestamp};

use crate::Format;

/// Results that belong together: one machine, one version. Most files hold one such set.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The format of the file.
    pub format: Format,
    /// The commit of the results. `None` if the file does not state it.
    pub revision: Option<String>,
    /// The time of the measurement. `None` if the file does not state it.
    pub taken_at: Option<Timestamp>,
    /// Facts about the machine and its tool chains, with the names used in the file: `goos`, `cpu`, `jdk`.
    pub environment: BTreeMap<String, String>,
    /// In the order of the file, every identity once.
    pub benchmarks: Vec<ImportedBenchmark>,
    /// Diagnostics about text that was not understood, with line and column. If a file gives several sets,
    /// the first one has those of the whole file.
    pub diagnostics: Vec<Diagnostic>,
}

/// One benchmark of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedBenchmark {
    /// The identity it would have when measured by benchwright, as far as the file shows it.
    pub id: BenchmarkId,
    /// One measurement per process, containing its iterations. Empty if the file has only summaries.
    pub processes: Vec<Measurement>,
    /// The position of each process in the measurement (instance, suite run, iteration). Empty if the file
    /// does not state it.
    pub positions: Vec<Position>,
    /// The positions of each process's values on the level below (seconds of an iteration), from 0, in one
    /// list per process. Values that were left out leave a gap. Empty if values simply follow each other.
    pub inner_positions: Vec<Vec<u32>>,
    /// The name in the file, if the identity was made from its parts. Otherwise empty.
    pub written_name: String,
    /// Whether the file separates processes from iterations. If not, all values are in one process.
    pub is_structure_known: bool,
    /// Metrics for which the file has only summaries. If there are no processes, there is nothing else.
    pub summaries: Vec<ImportedSummary>,
}

/// A metric with only summary numbers, all in the metric's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSummary {
    /// The metric.
    pub metric: Metric,
    /// The main number in the file: the mean, or the median if there is no mean.
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
    /// Lower end of the file's interval for `value`, of any kind.
    pub lower: Option<f64>,
    /// Upper end of that interval.
    pub upper: Option<f64>,
    /// Number of values it was computed from.
    pub count: Option<u64>,
}

impl ImportedSummary {
    /// A summary with only the main number.
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
