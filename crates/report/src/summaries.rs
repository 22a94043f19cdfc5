//! One number per benchmark and metric, for formats that have no more.

use std::collections::BTreeMap;

use benchwright_analysis::value::{median, of_process, relative_spread};
use benchwright_formats::MetricSummary;
use benchwright_model::{BenchmarkId, Finding, Metric, Nature, Side, Trial};

use crate::basis::{Basis, bases};

/// The summaries of a side by benchmark, with metrics in the order of the harness. They are those of the
/// findings, or, without a finding, the medians of the processes, as in the table of a run of one version.
/// Metrics computed from others are left out.
pub fn summaries(findings: &[Finding], trials: &[Trial], side: Side) -> Vec<MetricSummary> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.side == side) {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    let bases = bases(findings, trials);
    let of_benchmark = |(benchmark, trials): (&BenchmarkId, Vec<&Trial>)| {
        let own = findings.iter().filter(|finding| finding.benchmark == *benchmark);
        let found: Vec<MetricSummary> =
            own.filter_map(|finding| of_finding(finding, bases.get(benchmark), side)).collect();
        if found.is_empty() { of_processes(benchmark, &trials) } else { found }
    };
    by_benchmark.into_iter().flat_map(of_benchmark).collect()
}

fn of_finding(finding: &Finding, basis: Option<&Basis>, side: Side) -> Option<MetricSummary> {
    let summary = if side == Side::Base { finding.base } else { finding.head }?;
    let basis = basis.filter(|_| finding.metric.is_main()).unwrap_or(&Basis::PLAIN);
    Some(MetricSummary {
        benchmark: finding.benchmark.clone(),
        metric: finding.metric.clone(),
        value: summary.centre,
        spread: (summary.trials > 1).then_some(summary.spread),
        processes: summary.trials as usize,
        estimator: basis.words(),
    })
}

fn of_processes(benchmark: &BenchmarkId, trials: &[&Trial]) -> Vec<MetricSummary> {
    let measurements: Vec<_> = trials.iter().filter_map(|trial| trial.outcome.measurement()).collect();
    let mut metrics: Vec<&Metric> = Vec::new();
    for series in measurements.iter().flat_map(|measurement| &measurement.series) {
        if series.metric.nature != Nature::Derived && !metrics.contains(&&series.metric) {
            metrics.push(&series.metric);
        }
    }
    let summary = |metric: &Metric| {
        let values: Vec<f64> = measurements.iter().filter_map(|m| of_process(m, &metric.name)).collect();
        Some(MetricSummary {
            benchmark: benchmark.clone(),
            metric: metric.clone(),
            value: median(&values)?,
            spread: relative_spread(&values).filter(|_| values.len() > 1),
            processes: values.len(),
            estimator: Basis::PLAIN.words(),
        })
    };
    metrics.into_iter().filter_map(summary).collect()
}
