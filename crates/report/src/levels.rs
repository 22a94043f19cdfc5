//! A run of one version over its levels: the time of each benchmark, and how much of its spread is between
//! processes and how much within them.

use std::collections::BTreeMap;
use std::io::{self, Write};

use benchwright_analysis::value::{median, relative_spread, steady};
use benchwright_formats::moment;
use benchwright_formats::separated::exact;
use benchwright_model::{BenchmarkId, Measurement, Metric, Nature, Position, Run, RunKind, Trial};
use serde::Serialize;

use crate::escape::terminal;
use crate::overview::{elapsed, machine, plural, row_name};
use crate::stops::StopWire;
use crate::text::{Align, Cell, Column, Line, Palette, Table, TextOptions, Tone, shorten};
use crate::{csv, scale, stops};

/// The value of the field `schema` in the JSON document.
pub const SCHEMA_NAME: &str = "benchwright.levels/1";

/// The JSON Schema of the documents, published as `docs/schema/levels.schema.json`.
pub const SCHEMA: &str = include_str!("../../../docs/schema/levels.schema.json");

/// Set-up is reported if it takes at least this share of a process's time.
const MUCH_SETUP: f64 = 0.5;

/// One metric of one benchmark over all processes of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelRow {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The metric.
    pub metric: Metric,
    /// Median of the process medians, in the metric's unit.
    pub median: f64,
    /// Relative robust spread of the process medians. `None` for one process.
    pub between: Option<f64>,
    /// Median over processes of the relative robust spread of a process's samples. `None` for single samples.
    pub within: Option<f64>,
    /// Processes with values.
    pub processes: usize,
    /// Samples after warm-up, of all processes.
    pub samples: usize,
    /// Median share of a process's time that was not spent on measuring, in [0, 1]. `None` if the harness
    /// does not report how many operations it timed.
    pub setup_ratio: Option<f64>,
    /// Processes that failed.
    pub failed: usize,
}

/// The rows of a run, by benchmark. Metrics computed from others are left out. A benchmark that only failed
/// has one row, of time, without processes.
pub fn rows(trials: &[Trial]) -> Vec<LevelRow> {
    let mut by_benchmark: BTreeMap<&BenchmarkId, Vec<&Trial>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| matches!(trial.position, Position::Levels { .. })) {
        by_benchmark.entry(&trial.benchmark).or_default().push(trial);
    }
    by_benchmark.into_iter().flat_map(|(id, trials)| rows_of(id, &trials)).collect()
}

/// Writes the rows as a table.
pub fn write_text(run: &Run, trials: &[Trial], options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let limit = options.width.unwrap_or(usize::MAX).max(1);
    let palette = Palette { colour: options.colour };
    let rows = rows(trials);
    writeln!(out, "{}", one_line(&format!("version  {}", run.head.title()), limit))?;
    writeln!(out, "{}\n", one_line(&format!("on       {}", machine(run)), limit))?;
    let columns = vec![
        Column::new("benchmark", Align::Left, None),
        Column::new("median", Align::Right, None),
        Column::new("± between", Align::Right, Some(3)),
        Column::new("± within", Align::Right, Some(2)),
        Column::new("processes", Align::Right, Some(4)),
        Column::new("samples", Align::Right, Some(1)),
        Column::new("set-up", Align::Right, Some(0)),
        Column::new("failed", Align::Right, None),
    ];
    let mut lines = Vec::new();
    let has_packages = rows.iter().any(|row| row.benchmark.package != rows[0].benchmark.package);
    let mut package = None;
    for row in &rows {
        if has_packages && package != Some(&row.benchmark.package) {
            package = Some(&row.benchmark.package);
            lines.push(Line::Heading(Cell::toned(terminal(&row.benchmark.package), Tone::Strong)));
        }
        lines.push(Line::Row(cells(row, has_packages)));
    }
    Table { columns, lines }.write(limit, palette, out)?;
    stops::write_text(trials, limit, palette, out)?;
    writeln!(out, "\n{}", palette.paint(Tone::Strong, &one_line(&last_line(run, &rows), limit)))
}

/// Writes the rows as one JSON document.
pub fn write_json(run: &Run, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(trials);
    let document = LevelsWire {
        schema: SCHEMA_NAME,
        run: &run.id.0,
        kind: run.kind.word(),
        version: run.head.title(),
        commit: run.head.commit.as_deref(),
        started_at: moment(run.started_at),
        seed: run.seed.to_string(),
        tool_version: &run.tool_version,
        environment: &run.environment.facts,
        settings: &run.settings,
        rows: rows.iter().map(RowWire::from).collect(),
        stops: stops::wires(trials),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Writes the rows as CSV with a heading row.
pub fn write_csv(trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    let heading = "harness,package,benchmark,metric,unit,median,spread_between,spread_within,processes,samples,\
                   setup_ratio,failed";
    csv::write_record(heading.split(','), out)?;
    let optional = |number: Option<f64>| number.map(exact).unwrap_or_default();
    for row in rows(trials) {
        let fields = [
            row.benchmark.harness.clone(),
            row.benchmark.package.clone(),
            row.benchmark.name.clone(),
            row.metric.name.clone(),
            row.metric.unit.word().to_owned(),
            exact(row.median),
            optional(row.between),
            optional(row.within),
            row.processes.to_string(),
            row.samples.to_string(),
            optional(row.setup_ratio),
            row.failed.to_string(),
        ];
        csv::write_record(fields.iter().map(String::as_str), out)?;
    }
    Ok(())
}

fn one_line(text: &str, limit: usize) -> String {
    shorten(&terminal(text), limit)
}

fn rows_of(id: &BenchmarkId, trials: &[&Trial]) -> Vec<LevelRow> {
    let measured: Vec<(&Trial, &Measurement)> =
        trials.iter().filter_map(|trial| Some((*trial, trial.outcome.measurement()?))).collect();
    let has_failed = |trial: &&&Trial| trial.outcome.measurement().is_none() && !trial.is_cut_off();
    let failed = trials.iter().filter(has_failed).count();
    let mut metrics: Vec<&Metric> = Vec::new();
    for series in measured.iter().flat_map(|(_, measurement)| &measurement.series) {
        if series.metric.nature != Nature::Derived && !metrics.contains(&&series.metric) {
            metrics.push(&series.metric);
        }
    }
    if metrics.is_empty() {
        let empty = LevelRow {
            benchmark: id.clone(),
            metric: Metric::time(),
            median: f64::NAN,
            between: None,
            within: None,
            processes: 0,
            samples: 0,
            setup_ratio: None,
            failed,
        };
        return vec![empty];
    }
    metrics.into_iter().map(|metric| row_of(id, metric, &measured, failed)).collect()
}

/// One value has no spread.
fn spread_of_several(values: &[f64]) -> Option<f64> {
    if values.len() < 2 { None } else { relative_spread(values) }
}

fn row_of(id: &BenchmarkId, metric: &Metric, measured: &[(&Trial, &Measurement)], failed: usize) -> LevelRow {
    let series: Vec<&[f64]> = measured
        .iter()
        .filter_map(|(_, measurement)| Some(steady(measurement, measurement.series(&metric.name)?)))
        .collect();
    let medians: Vec<f64> = series.iter().filter_map(|values| median(values)).collect();
    let within: Vec<f64> = series.iter().filter_map(|values| spread_of_several(values)).collect();
    let setups: Vec<f64> = measured.iter().filter_map(|(trial, m)| setup_ratio(trial, m)).collect();
    LevelRow {
        benchmark: id.clone(),
        metric: metric.clone(),
        median: median(&medians).unwrap_or(f64::NAN),
        between: spread_of_several(&medians),
        within: median(&within),
        processes: series.len(),
        samples: series.iter().map(|values| values.len()).sum(),
        setup_ratio: median(&setups).filter(|_| metric.is_time()),
        failed,
    }
}

/// The share of the process's time outside its timed operations.
fn setup_ratio(trial: &Trial, measurement: &Measurement) -> Option<f64> {
    let times = &measurement.series("time")?.values;
    let wall = trial.usage.wall.as_secs_f64();
    if wall <= 0.0 || measurement.operations.len() != times.len() {
        return None;
    }
    let timed: f64 = times.iter().zip(&measurement.operations).map(|(time, n)| time * *n as f64).sum();
    Some((1.0 - timed / wall).clamp(0.0, 1.0))
}

fn cells(row: &LevelRow, indented: bool) -> Vec<Cell> {
    let indent = if indented { "  " } else { "" };
    let spread = |ratio: Option<f64>| Cell::new(ratio.map(scale::share).unwrap_or_default());
    let setup = row.setup_ratio.map(scale::share).unwrap_or_default();
    let much = row.setup_ratio.is_some_and(|ratio| ratio >= MUCH_SETUP);
    let median = if row.processes == 0 { String::new() } else { scale::value(row.median, &row.metric.unit) };
    vec![
        Cell::new(format!("{indent}{}", terminal(&row_name(&row.benchmark, &row.metric)))),
        Cell::new(median),
        spread(row.between),
        spread(row.within),
        Cell::new(row.processes.to_string()),
        Cell::new(row.samples.to_string()),
        Cell::toned(setup, if much { Tone::Doubt } else { Tone::Plain }),
        Cell::toned(if row.failed == 0 { String::new() } else { row.failed.to_string() }, Tone::Bad),
    ]
}

fn last_line(run: &Run, rows: &[LevelRow]) -> String {
    let times = rows.iter().filter(|row| row.metric.is_main());
    let (benchmarks, processes) = times.fold((0, 0), |(n, sum), row| (n + 1, sum + row.processes));
    let mut parts = vec![plural(benchmarks, "benchmark"), format!("{processes} processes")];
    parts.extend(elapsed(run).map(scale::duration).filter(|_| run.kind != RunKind::Imported));
    parts.push(match run.kind {
        RunKind::Imported => imported_from(run),
        RunKind::Compare | RunKind::Levels => format!("seed {}", run.seed),
    });
    parts.join(" · ")
}

/// The source of an imported run: `imported from results.json (jmh-json)`.
fn imported_from(run: &Run) -> String {
    let known = |key: &str| run.settings.get(key).map(String::as_str).unwrap_or_default();
    format!("imported from {} ({})", known("source"), known("format"))
}

#[derive(Serialize)]
struct LevelsWire<'a> {
    schema: &'static str,
    run: &'a str,
    kind: &'static str,
    version: String,
    commit: Option<&'a str>,
    started_at: String,
    seed: String,
    tool_version: &'a str,
    environment: &'a BTreeMap<String, String>,
    settings: &'a BTreeMap<String, String>,
    rows: Vec<RowWire<'a>>,
    stops: Vec<StopWire>,
}

#[derive(Serialize)]
struct RowWire<'a> {
    harness: &'a str,
    package: &'a str,
    name: &'a str,
    metric: &'a str,
    unit: &'a str,
    direction: &'static str,
    median: f64,
    spread_between: Option<f64>,
    spread_within: Option<f64>,
    processes: usize,
    samples: usize,
    setup_ratio: Option<f64>,
    failed: usize,
}

impl<'a> From<&'a LevelRow> for RowWire<'a> {
    fn from(row: &'a LevelRow) -> Self {
        RowWire {
            harness: &row.benchmark.harness,
            package: &row.benchmark.package,
            name: &row.benchmark.name,
            metric: &row.metric.name,
            unit: row.metric.unit.word(),
            direction: row.metric.direction.word(),
            median: row.median,
            spread_between: row.between,
            spread_within: row.within,
            processes: row.processes,
            samples: row.samples,
            setup_ratio: row.setup_ratio,
            failed: row.failed,
        }
    }
}
