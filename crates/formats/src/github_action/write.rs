//! Writes the custom format of github-action-benchmark: a list of named values. A file has one direction,
//! which the workflow names: `customSmallerIsBetter` or `customBiggerIsBetter`.

use std::io::{self, Write};

use benchwright_model::{Direction, Metric, Run, Side, Unit};
use serde::Serialize;

use crate::samples::version;
use crate::summary::{MetricSummary, full_name, rounded};

#[derive(Serialize)]
struct Entry {
    name: String,
    unit: String,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// Writes the values of a side for metrics that are better in this direction. Metrics without a known
/// direction are written with those where smaller is better. Returns how many were left out.
pub(crate) fn write(
    run: &Run,
    summaries: &[MetricSummary],
    side: Side,
    better: Direction,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let is_up = |direction: Direction| direction == Direction::HigherIsBetter;
    let wanted = summaries.iter().filter(|summary| is_up(summary.metric.direction) == is_up(better));
    let entries: Vec<Entry> = wanted.map(|summary| entry(run, side, summary)).collect();
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    writeln!(out)?;
    Ok(summaries.len() - entries.len())
}

fn entry(run: &Run, side: Side, summary: &MetricSummary) -> Entry {
    let (unit, factor) = unit_of(&summary.metric);
    let name = full_name(&summary.benchmark);
    let value = rounded(summary.value * factor);
    Entry {
        // Its charts are identified by name, so a second metric of a benchmark needs another name.
        name: if summary.metric.is_main() { name } else { format!("{name} - {}", summary.metric.name) },
        unit,
        value,
        range: summary.spread.map(|spread| format!("± {}", rounded(value * spread))),
        extra: format!(
            "{}, median of {} {}, each the {}\nbenchwright run {}",
            version(run, side).title(),
            summary.processes,
            if summary.processes == 1 { "process" } else { "processes" },
            summary.estimator,
            run.id
        ),
    }
}

/// The unit's text and the factor to it.
fn unit_of(metric: &Metric) -> (String, f64) {
    match &metric.unit {
        Unit::Seconds if metric.is_time() => ("ns/op".into(), 1e9),
        Unit::Seconds => ("s".into(), 1.0),
        Unit::Bytes if metric.name == "B/op" => ("B/op".into(), 1.0),
        Unit::Bytes => ("B".into(), 1.0),
        Unit::BytesPerSecond => ("B/s".into(), 1.0),
        Unit::Count => (metric.name.clone(), 1.0),
        Unit::Other(text) => (text.clone(), 1.0),
    }
}
