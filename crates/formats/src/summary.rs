//! One number per benchmark and metric, for formats that have no more.

use benchwright_model::{BenchmarkId, Metric};

/// A summary of all processes of a benchmark for one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSummary {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The metric.
    pub metric: Metric,
    /// Median of the process values, in the metric's unit.
    pub value: f64,
    /// Relative robust spread of the process values. `None` for one process.
    pub spread: Option<f64>,
    /// Processes with values.
    pub processes: usize,
    /// A description of how the value of a process is computed: `median of the iterations`.
    pub estimator: &'static str,
}

/// The complete name of a benchmark, for formats with one text per benchmark.
pub(crate) fn full_name(benchmark: &BenchmarkId) -> String {
    if benchmark.package.is_empty() { benchmark.name.clone() } else { benchmark.to_string() }
}

/// Rounds to twelve significant digits, because multiplying by a unit's factor adds digits that were never
/// measured.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
