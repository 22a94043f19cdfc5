//! One number per benchmark and metric, for formats that keep no more.

use std::collections::BTreeMap;

use benchwright_analysis::value::{median, of_trial, relative_spread};
use benchwright_model::{BenchmarkId, Metric, Nature, Side, Trial};

/// What all processes of a benchmark say about one metric.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MetricSummary {
    pub(super) benchmark: BenchmarkId,
    pub(super) metric: Metric,
    /// Median of the process values, in the metric's unit.
    pub(super) value: f64,
    /// Relative robust spread of the process values; none for one process.
    pub(super) spread: Option<f64>,
    pub(super) processes: usize,
}

/// The summaries of a side by benchmark, metrics in the harness' order. Metrics computed from others are left out.
pub(super) fn summaries(trials: &[Trial], side: Side) -> Vec<MetricSummary> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.side == side) {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    by_benchmark.into_iter().flat_map(|(benchmark, trials)| of_benchmark(benchmark, &trials)).collect()
}

fn of_benchmark(benchmark: &BenchmarkId, trials: &[&Trial]) -> Vec<MetricSummary> {
    let measurements: Vec<_> = trials.iter().filter_map(|trial| trial.outcome.measurement()).collect();
    let mut metrics: Vec<&Metric> = Vec::new();
    for series in measurements.iter().flat_map(|measurement| &measurement.series) {
        if series.metric.nature != Nature::Derived && !metrics.contains(&&series.metric) {
            metrics.push(&series.metric);
        }
    }
    let summary = |metric: &Metric| {
        let values: Vec<f64> =
            measurements.iter().filter_map(|m| of_trial(benchmark, m, &metric.name)).collect();
        Some(MetricSummary {
            benchmark: benchmark.clone(),
            metric: metric.clone(),
            value: median(&values)?,
            spread: relative_spread(&values).filter(|_| values.len() > 1),
            processes: values.len(),
        })
    };
    metrics.into_iter().filter_map(summary).collect()
}

/// The name of a benchmark where there is room for one text.
pub(super) fn full_name(benchmark: &BenchmarkId) -> String {
    if benchmark.package.is_empty() { benchmark.name.clone() } else { benchmark.to_string() }
}

/// Twelve significant digits: multiplying by a unit's factor leaves digits that were never measured.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
