//! Helpers for tests of formats: a text is read, and the result is summarised.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_model::{Measurement, Metric};

use crate::{Imported, ImportedSummary};

/// All data that was read, one line per fact.
pub(crate) fn account(list: &[Imported]) -> String {
    let mut lines = Vec::new();
    for imported in list {
        let revision =
            imported.revision.as_deref().map(|revision| format!(" at {revision}")).unwrap_or_default();
        lines.push(format!("{}{revision}", imported.format));
        lines.extend(imported.environment.iter().map(|(key, value)| format!("  {key} = {value}")));
        for benchmark in &imported.benchmarks {
            let id = &benchmark.id;
            let note = if benchmark.is_structure_known || benchmark.processes.is_empty() {
                ""
            } else {
                " (structure unknown)"
            };
            lines.push(format!("  {}|{}|{}{note}", id.harness, id.package, id.name));
            lines.extend(benchmark.processes.iter().map(process));
            lines.extend(benchmark.summaries.iter().map(summary));
        }
        lines.extend(imported.diagnostics.iter().map(|diagnostic| format!("  {diagnostic}")));
    }
    lines.join("\n")
}

/// Data that [`account`] leaves out: when it was measured, what is known about each metric, and the positions
/// of processes and values.
pub(crate) fn details(list: &[Imported]) -> String {
    let mut lines = Vec::new();
    for imported in list {
        lines.extend(imported.taken_at.map(|moment| format!("measured at {}", moment.0)));
        let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for benchmark in &imported.benchmarks {
            for series in benchmark.processes.iter().flat_map(|process| &process.series) {
                let resolutions = metrics.entry(kind(&series.metric)).or_default();
                resolutions.extend((series.resolution > 0.0).then(|| short(series.resolution)));
            }
            for summary in &benchmark.summaries {
                metrics.entry(kind(&summary.metric)).or_default();
            }
            if let (Some(first), Some(last)) = (benchmark.positions.first(), benchmark.positions.last()) {
                let count = benchmark.positions.len();
                lines.push(format!("`{}`: {count} positions, {first:?} {last:?}", benchmark.written_name));
                lines.extend(benchmark.inner_positions.last().map(|places| format!("  {places:?}")));
            }
        }
        lines.extend(metrics.into_iter().map(|(kind, resolutions)| {
            match (resolutions.first(), resolutions.last()) {
                (Some(first), Some(last)) => {
                    format!("{kind}, {} resolutions, {first} {last}", resolutions.len())
                }
                _ => kind,
            }
        }));
    }
    lines.join("\n")
}

fn kind(metric: &Metric) -> String {
    format!("{}: {:?}, {:?}, {:?}", metric.name, metric.unit, metric.direction, metric.nature)
}

fn process(process: &Measurement) -> String {
    let mut text = String::from("    process");
    if process.warmup > 0 {
        text.push_str(&format!(" warmup {}", process.warmup));
    }
    if !process.operations.is_empty() {
        text.push_str(&format!(" operations {:?}", process.operations));
    }
    for series in &process.series {
        let values: Vec<String> = series.values.iter().map(|value| short(*value)).collect();
        text.push_str(&format!(" {} [{}]", series.metric.name, values.join(" ")));
    }
    text
}

fn summary(summary: &ImportedSummary) -> String {
    let mut text = format!("    summary {} {}", summary.metric.name, short(summary.value));
    let parts = [
        ("mean", summary.mean),
        ("median", summary.median),
        ("deviation", summary.standard_deviation),
        ("least", summary.least),
        ("greatest", summary.greatest),
        ("lower", summary.lower),
        ("upper", summary.upper),
        ("count", summary.count.map(|count| count as f64)),
    ];
    for (name, value) in parts.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
        text.push_str(&format!(" {name} {}", short(value)));
    }
    text
}

/// Six digits are enough to distinguish values.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        let text = format!("{value:.6}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:.5e}")
}

/// Reads `text` and compares the account.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    let list = crate::read("file", text.as_bytes()).unwrap();
    let found = account(&list);
    let expected: Vec<&str> = expected.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}
