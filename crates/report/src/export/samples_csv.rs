//! One row per sample with all levels. Quoting as in RFC 4180.

use std::io::{self, Write};

use benchwright_model::{Run, Side, Trial};

use super::row::{Place, SampleRow, rows, version};
use crate::csv::write_exact;
use crate::json::{direction_name, nature_name, unit_name};
use crate::overview::moment;
use crate::scale::exact;

/// The first row. `duet`, `attempt` and `first` are empty in runs of one version; `instance`, `suite_run` and `iteration` in
/// comparisons. `structure` says what is known of processes: `known`, `unknown`, or `summary` where the value is one.
/// `instance_id` and `cold` are empty where a trial ran on the machine of the run, and `sample_kind` where it was not stated.
pub const COLUMNS: [&str; 28] = [
    "run",
    "version",
    "side",
    "harness",
    "package",
    "benchmark",
    "metric",
    "unit",
    "better",
    "phase",
    "duet",
    "attempt",
    "first",
    "instance",
    "suite_run",
    "iteration",
    "sample",
    "warmup",
    "operations",
    "value",
    "started_at",
    "commit",
    "nature",
    "resolution",
    "structure",
    "instance_id",
    "cold",
    "sample_kind",
];

/// Writes every sample of the trials of `side`, or of both; a value that is not finite is an empty field.
pub fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    write_exact(COLUMNS.iter().copied(), out)?;
    for row in rows(run, trials, side) {
        let fields = record(run, &row);
        write_exact(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

fn record(run: &Run, row: &SampleRow<'_>) -> [String; COLUMNS.len()] {
    let (trial, metric) = (row.trial, &row.series.metric);
    let place = Place::from(trial.position);
    let number = |number: Option<u32>| number.map(|n| n.to_string()).unwrap_or_default();
    [
        run.id.0.clone(),
        version(run, trial.side).label.clone(),
        trial.side.name().to_owned(),
        trial.benchmark.harness.clone(),
        trial.benchmark.package.clone(),
        trial.benchmark.name.clone(),
        metric.name.clone(),
        unit_name(&metric.unit).to_owned(),
        direction_name(metric.direction).to_owned(),
        trial.phase.word().to_owned(),
        number(place.duet),
        number(place.attempt),
        place.first.map(|first| first.to_string()).unwrap_or_default(),
        number(place.instance),
        number(place.suite_run),
        number(place.iteration),
        row.sample.to_string(),
        row.is_warmup.to_string(),
        row.operations.map(|n| n.to_string()).unwrap_or_default(),
        exact(row.value),
        if trial.started_at.0 == 0 { String::new() } else { moment(trial.started_at) },
        version(run, trial.side).commit.clone().unwrap_or_default(),
        nature_name(metric.nature).to_owned(),
        exact(row.series.resolution),
        row.structure.to_owned(),
        trial.instance.as_ref().map(|instance| instance.id.0.clone()).unwrap_or_default(),
        trial.instance.as_ref().map(|instance| instance.is_cold.to_string()).unwrap_or_default(),
        row.sample_kind().to_owned(),
    ]
}
