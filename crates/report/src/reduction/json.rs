//! The complete report, for programs. Within `benchwright.reduction/1` fields are only added.

use std::io::{self, Write};

use benchwright_analysis::reduce::{Evaluated, Forecast, Level, Why};
use serde::Serialize;

use super::{ReducedBenchmark, ReductionReport, Source, Totals};
use crate::json::{BenchmarkWire, DiagnosticWire};

/// The value of the field `schema` in every document.
pub const SCHEMA_NAME: &str = "benchwright.reduction/1";

/// The JSON Schema of the documents, published as `docs/schema/reduction.schema.json`.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/reduction.schema.json");

pub(super) fn write(report: &ReductionReport, out: &mut dyn Write) -> io::Result<()> {
    let options = &report.options;
    let document = ReportWire {
        schema: SCHEMA_NAME,
        tool_version: &report.tool_version,
        mode: options.mode.name(),
        threshold: options.threshold,
        metric_note: &report.metric_note,
        resamples: options.resampling.resamples,
        seed: options.resampling.seed.to_string(),
        warmup_values: options.warmup,
        is_warmup_counted: options.is_warmup_counted,
        sources: report.sources.iter().map(SourceWire::from).collect(),
        totals: TotalsWire::from(Totals::of(report)),
        benchmarks: report.benchmarks.iter().map(ReducedWire::from).collect(),
        diagnostics: report.diagnostics.iter().map(DiagnosticWire::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct ReportWire<'a> {
    schema: &'static str,
    tool_version: &'a str,
    mode: &'static str,
    threshold: f64,
    metric_note: &'a str,
    resamples: usize,
    seed: String,
    warmup_values: u32,
    is_warmup_counted: bool,
    sources: Vec<SourceWire<'a>>,
    totals: TotalsWire,
    benchmarks: Vec<ReducedWire<'a>>,
    diagnostics: Vec<DiagnosticWire<'a>>,
}

#[derive(Serialize)]
struct SourceWire<'a> {
    title: &'a str,
    project: &'a str,
    run: Option<&'a str>,
}

impl<'a> From<&'a Source> for SourceWire<'a> {
    fn from(source: &'a Source) -> Self {
        SourceWire { title: &source.title, project: &source.project, run: source.run.as_deref() }
    }
}

#[derive(Serialize)]
struct TotalsWire {
    seconds_before: f64,
    seconds_after: f64,
    saved_ratio: f64,
    unstable: usize,
    full: usize,
    stable: usize,
    floor: usize,
}

impl From<Totals> for TotalsWire {
    fn from(totals: Totals) -> Self {
        let of =
            |why: Why| Why::ALL.iter().zip(totals.counts).find(|(one, _)| **one == why).map_or(0, |(_, n)| n);
        TotalsWire {
            seconds_before: totals.before_seconds,
            seconds_after: totals.after_seconds,
            saved_ratio: totals.saved(),
            unstable: of(Why::Unstable),
            full: of(Why::Full),
            stable: of(Why::Stable),
            floor: of(Why::Floor),
        }
    }
}

#[derive(Serialize)]
struct ReducedWire<'a> {
    source: usize,
    benchmark: BenchmarkWire<'a>,
    written_name: &'a str,
    metric: &'static str,
    levels: Vec<LevelWire<'a>>,
    why: &'static str,
    is_stable: bool,
    chosen: ChoiceWire,
    full: ChoiceWire,
    change: f64,
    forecast: Option<ForecastWire>,
    configurations: Vec<ConfigurationWire<'a>>,
}

impl<'a> From<&'a ReducedBenchmark> for ReducedWire<'a> {
    fn from(benchmark: &'a ReducedBenchmark) -> Self {
        let reduction = &benchmark.reduction;
        let level = |(at, level): (usize, &'a Level)| LevelWire {
            name: &level.name,
            full: level.size,
            chosen: reduction.chosen.configuration.0.get(at).copied().unwrap_or(level.size),
            is_kept: level.is_kept,
        };
        let (averages, intervals) = (reduction.averages, reduction.intervals);
        ReducedWire {
            source: benchmark.source,
            benchmark: BenchmarkWire::from(&benchmark.id),
            written_name: &benchmark.name,
            metric: benchmark.metric,
            levels: benchmark.levels.iter().enumerate().map(level).collect(),
            why: benchmark.why.word(),
            is_stable: reduction.is_stable,
            chosen: ChoiceWire::of(&reduction.chosen, averages.0, intervals.0.map(|ends| [ends.lo, ends.hi])),
            full: ChoiceWire::of(&reduction.full, averages.1, intervals.1.map(|ends| [ends.lo, ends.hi])),
            change: reduction.change(),
            forecast: benchmark.forecast.map(ForecastWire::from),
            configurations: benchmark.curve.iter().map(ConfigurationWire::from).collect(),
        }
    }
}

#[derive(Serialize)]
struct LevelWire<'a> {
    name: &'a str,
    full: u32,
    chosen: u32,
    is_kept: bool,
}

#[derive(Serialize)]
struct ChoiceWire {
    seconds: f64,
    warmup_seconds: f64,
    instability: Option<f64>,
    average_ns: f64,
    interval_ns: Option<[f64; 2]>,
}

impl ChoiceWire {
    fn of(evaluated: &Evaluated, average_ns: f64, interval_ns: Option<[f64; 2]>) -> Self {
        ChoiceWire {
            seconds: evaluated.seconds,
            warmup_seconds: evaluated.warmup_seconds,
            instability: evaluated.instability,
            average_ns,
            interval_ns,
        }
    }
}

#[derive(Serialize)]
struct ForecastWire {
    repetitions: f64,
    lo: f64,
    hi: f64,
    limit: f64,
}

impl From<Forecast> for ForecastWire {
    fn from(Forecast { repetitions, interval, limit }: Forecast) -> Self {
        ForecastWire { repetitions, lo: interval.lo, hi: interval.hi, limit }
    }
}

#[derive(Serialize)]
struct ConfigurationWire<'a> {
    levels: &'a [u32],
    seconds: f64,
    instability: Option<f64>,
}

impl<'a> From<&'a Evaluated> for ConfigurationWire<'a> {
    fn from(evaluated: &'a Evaluated) -> Self {
        ConfigurationWire {
            levels: &evaluated.configuration.0,
            seconds: evaluated.total_seconds(),
            instability: evaluated.instability,
        }
    }
}
