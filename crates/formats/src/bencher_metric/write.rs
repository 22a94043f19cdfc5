//! Writes Bencher Metric Format: a benchmark's name, below it its measures, and for each a value between two
//! bounds.

use std::collections::BTreeMap;
use std::io::{self, Write};

use benchwright_model::{Metric, Unit};
use serde::Serialize;

use crate::summary::{MetricSummary, full_name, rounded};

#[derive(Serialize)]
struct Measure {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Writes the values. The bounds are one robust standard deviation of the processes away, and are missing if
/// there is only one process. Time is the measure `latency` in nanoseconds, as in Bencher's own adapters.
pub(crate) fn write(summaries: &[MetricSummary], out: &mut dyn Write) -> io::Result<()> {
    let mut document: BTreeMap<String, BTreeMap<String, Measure>> = BTreeMap::new();
    for summary in summaries {
        let (name, factor) = measure_of(&summary.metric);
        let measures = document.entry(full_name(&summary.benchmark)).or_default();
        measures.insert(name, measure(summary, factor));
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn measure(summary: &MetricSummary, factor: f64) -> Measure {
    let value = rounded(summary.value * factor);
    let bound = |sign: f64| summary.spread.map(|spread| rounded(value * (1.0 + sign * spread)));
    Measure { value, lower_value: bound(-1.0), upper_value: bound(1.0) }
}

/// The measure's name and the factor to its unit.
fn measure_of(metric: &Metric) -> (String, f64) {
    match &metric.unit {
        Unit::Seconds if metric.is_time() => ("latency".into(), 1e9),
        _ => (metric.name.clone(), 1.0),
    }
}
