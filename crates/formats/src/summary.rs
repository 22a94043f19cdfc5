//! One number per benchmark and metric, for formats that keep no more.

use benchwright_model::{BenchmarkId, Metric};

/// What all processes of a benchmark say about one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSummary {
    /// Which benchmark.
    pub benchmark: BenchmarkId,
    /// Which metric.
    pub metric: Metric,
    /// Median of the process values, in the metric's unit.
    pub value: f64,
    /// Relative robust spread of the process values; none for one process.
    pub spread: Option<f64>,
    /// Processes with values.
    pub processes: usize,
    /// What the value of a process is, in words: `median of the iterations`.
    pub estimator: &'static str,
}

/// The name of a benchmark where there is room for one text.
pub(crate) fn full_name(benchmark: &BenchmarkId) -> String {
    if benchmark.package.is_empty() { benchmark.name.clone() } else { benchmark.to_string() }
}

/// Twelve significant digits: multiplying by a unit's factor leaves digits that were never measured.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
