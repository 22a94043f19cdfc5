//! Writes every sample of a run as one JSON document. The schema is published as
//! `docs/schema/samples.schema.json`. Within `benchwright.samples/1` fields are only added.

use std::io::{self, Write};

use benchwright_model::{Measurement, Outcome, Run, SampleKind, Series, Side, Stopped, Trial};
use serde::Serialize;

use crate::RunDocument;
use crate::moment::moment;
use crate::samples::row::Place;

/// The value of the field `schema` in every document.
pub const SCHEMA_NAME: &str = "benchwright.samples/1";

/// The JSON Schema of the documents.
pub const SCHEMA: &str = include_str!("../../../../../docs/schema/samples.schema.json");

/// Writes the trials of `side`, or of both, including failed ones. Values are in the metric's unit with all
/// their digits. A value that is not finite is null.
pub(crate) fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{SCHEMA_NAME}\",\n\"run\":")?;
    serde_json::to_writer(&mut *out, &RunDocument::from(run))?;
    write!(out, ",\n\"trials\":[")?;
    // One line per trial, so that large documents can be split, searched, and written without a second copy
    // in memory.
    let wanted = trials.iter().filter(|trial| side.is_none_or(|side| trial.side == side));
    for (index, trial) in wanted.enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &TrialWire::from(trial))?;
    }
    writeln!(out, "\n]}}")
}

#[derive(Serialize)]
struct TrialWire<'a> {
    harness: &'a str,
    package: &'a str,
    name: &'a str,
    side: &'static str,
    phase: &'static str,
    duet: Option<u32>,
    attempt: Option<u32>,
    first: Option<bool>,
    instance: Option<u32>,
    suite_run: Option<u32>,
    iteration: Option<u32>,
    /// Missing if the trial ran on the machine of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cold: Option<bool>,
    started_at: Option<String>,
    wall_secs: f64,
    user_secs: f64,
    system_secs: f64,
    max_rss_bytes: u64,
    /// Only if there was more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    processes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<StoppedWire<'a>>,
    failure: Option<FailureWire<'a>>,
    /// Missing if not stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_kind: Option<SampleKind>,
    warmup: u32,
    operations: &'a [u64],
    series: Vec<SeriesWire<'a>>,
}

#[derive(Serialize)]
struct StoppedWire<'a> {
    rule: &'a str,
    end: &'static str,
    reason: &'a str,
    after: Option<u32>,
    warmup_secs: f64,
    measured_secs: f64,
    configured_secs: Option<f64>,
    configured_processes: Option<u32>,
    enough: Option<&'a str>,
}

impl<'a> From<&'a Stopped> for StoppedWire<'a> {
    fn from(stopped: &'a Stopped) -> Self {
        StoppedWire {
            rule: &stopped.rule,
            end: stopped.end.word(),
            reason: &stopped.reason,
            after: stopped.after,
            warmup_secs: stopped.warmup_time.as_secs_f64(),
            measured_secs: stopped.measured_time.as_secs_f64(),
            configured_secs: stopped.configured.map(|configured| configured.time.as_secs_f64()),
            configured_processes: stopped.configured.map(|configured| configured.processes),
            enough: stopped.enough.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct FailureWire<'a> {
    kind: &'static str,
    number: Option<i32>,
    text: String,
    detail: &'a str,
}

#[derive(Serialize)]
struct SeriesWire<'a> {
    metric: &'a str,
    unit: &'a str,
    direction: &'static str,
    nature: &'static str,
    resolution: f64,
    values: &'a [f64],
}

impl<'a> From<&'a Trial> for TrialWire<'a> {
    fn from(trial: &'a Trial) -> Self {
        let Place { duet, attempt, first, instance, suite_run, iteration } = Place::from(trial.position);
        let (warmup, operations, series) = match trial.outcome.values() {
            Some(Measurement { warmup, operations, series, .. }) => {
                (*warmup, operations.as_slice(), series.iter().map(SeriesWire::from).collect())
            }
            None => (0, [].as_slice(), Vec::new()),
        };
        let failure = match &trial.outcome {
            Outcome::Measured(_) => None,
            Outcome::Failed(failure) => {
                let (kind, number) = failure.kind.code();
                Some(FailureWire { kind, number, text: failure.kind.describe(), detail: &failure.detail })
            }
        };
        TrialWire {
            harness: &trial.benchmark.harness,
            package: &trial.benchmark.package,
            name: &trial.benchmark.name,
            side: trial.side.name(),
            phase: trial.phase.word(),
            duet,
            attempt,
            first,
            instance,
            suite_run,
            iteration,
            instance_id: trial.instance.as_ref().map(|instance| instance.id.0.as_str()),
            cold: trial.instance.as_ref().map(|instance| instance.is_cold),
            started_at: (trial.started_at.0 != 0).then(|| moment(trial.started_at)),
            wall_secs: trial.usage.wall.as_secs_f64(),
            user_secs: trial.usage.user.as_secs_f64(),
            system_secs: trial.usage.system.as_secs_f64(),
            max_rss_bytes: trial.usage.max_rss_bytes,
            processes: Some(trial.usage.processes).filter(|processes| *processes > 1),
            stopped: trial.stopped.as_ref().map(StoppedWire::from),
            failure,
            sample_kind: trial.outcome.values().and_then(|measurement| measurement.sample_kind),
            warmup,
            operations,
            series,
        }
    }
}

impl<'a> From<&'a Series> for SeriesWire<'a> {
    fn from(series: &'a Series) -> Self {
        SeriesWire {
            metric: &series.metric.name,
            unit: series.metric.unit.word(),
            direction: series.metric.direction.word(),
            nature: series.metric.nature.word(),
            resolution: series.resolution,
            values: &series.values,
        }
    }
}
