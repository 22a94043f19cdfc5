//! The complete report, for programs. Within `benchwright.agreement/1` fields are only added.

use std::io::{self, Write};

use benchwright_analysis::agree::{
    Agreement, Among, Coverage, Disputed, Pair, Reading, Repeats, interval_size,
};
use serde::Serialize;

use super::{AgreementReport, ComparedRun, WantedInterval};
use crate::json::{BenchmarkWire, DiagnosticWire};

/// The value of the field `schema` in every document.
pub const SCHEMA_NAME: &str = "benchwright.agreement/1";

/// The JSON Schema of the documents, published as `docs/schema/agreement.schema.json`.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/agreement.schema.json");

pub(super) fn write(report: &AgreementReport, out: &mut dyn Write) -> io::Result<()> {
    let found = &report.found;
    let [first, second] = &report.runs;
    let document = ReportWire {
        schema: SCHEMA_NAME,
        tool_version: &report.tool_version,
        first: RunWire::from(first),
        second: RunWire::from(second),
        by: &report.by,
        is_same_code: report.is_same_code,
        wanted_interval: match report.wanted {
            WantedInterval::FirstRun => None,
            WantedInterval::Size(size) => Some(size),
        },
        totals: TotalsWire {
            benchmarks: found.pairs.len(),
            agreement: found.agreement(),
            same_change: found.count(Agreement::SameChange),
            no_change: found.count(Agreement::NoChange),
            opposite: found.count(Agreement::Opposite),
            possible: found.count(Agreement::Possible),
            coverage: CoverageWire::from(found.coverage(Among::All)),
            coverage_of_changed: CoverageWire::from(found.coverage(Among::Changed)),
            disputed: found.disputed().map(DisputedWire::from),
        },
        benchmarks: found.pairs.iter().zip(&report.repeats).map(PairWire::from).collect(),
        only_first: found.only_first.iter().map(BenchmarkWire::from).collect(),
        only_second: found.only_second.iter().map(BenchmarkWire::from).collect(),
        diagnostics: report.diagnostics.iter().map(DiagnosticWire::from).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

#[derive(Serialize)]
struct ReportWire<'a> {
    schema: &'static str,
    tool_version: &'a str,
    first: RunWire<'a>,
    second: RunWire<'a>,
    by: &'a str,
    is_same_code: bool,
    wanted_interval: Option<f64>,
    totals: TotalsWire,
    benchmarks: Vec<PairWire<'a>>,
    only_first: Vec<BenchmarkWire<'a>>,
    only_second: Vec<BenchmarkWire<'a>>,
    diagnostics: Vec<DiagnosticWire<'a>>,
}

#[derive(Serialize)]
struct RunWire<'a> {
    title: &'a str,
    run: Option<&'a str>,
}

impl<'a> From<&'a ComparedRun> for RunWire<'a> {
    fn from(run: &'a ComparedRun) -> Self {
        RunWire { title: &run.title, run: run.run.as_deref() }
    }
}

#[derive(Serialize)]
struct TotalsWire {
    benchmarks: usize,
    agreement: Option<f64>,
    same_change: usize,
    no_change: usize,
    opposite: usize,
    possible: usize,
    coverage: CoverageWire,
    coverage_of_changed: CoverageWire,
    disputed: Option<DisputedWire>,
}

#[derive(Serialize)]
struct CoverageWire {
    benchmarks: usize,
    first_in_second: usize,
    second_in_first: usize,
    both: usize,
}

impl From<Coverage> for CoverageWire {
    fn from(Coverage { benchmarks, first_in_second, second_in_first, both }: Coverage) -> Self {
        CoverageWire { benchmarks, first_in_second, second_in_first, both }
    }
}

#[derive(Serialize)]
struct DisputedWire {
    benchmarks: usize,
    median: f64,
    upper_quartile: f64,
    largest: f64,
}

impl From<Disputed> for DisputedWire {
    fn from(Disputed { benchmarks, median, upper_quartile, largest }: Disputed) -> Self {
        DisputedWire { benchmarks, median, upper_quartile, largest }
    }
}

#[derive(Serialize)]
struct PairWire<'a> {
    benchmark: BenchmarkWire<'a>,
    metric: &'a str,
    agreement: &'static str,
    agrees: bool,
    first: ReadingWire,
    second: ReadingWire,
    is_first_covered: Option<bool>,
    is_second_covered: Option<bool>,
    disputed_change: Option<f64>,
}

impl<'a> From<(&'a Pair, &'a [Option<Repeats>; 2])> for PairWire<'a> {
    fn from((pair, repeats): (&'a Pair, &'a [Option<Repeats>; 2])) -> Self {
        let agreement = pair.agreement();
        PairWire {
            benchmark: BenchmarkWire::from(&pair.first.benchmark),
            metric: &pair.first.metric.name,
            agreement: agreement.word(),
            agrees: agreement.agrees(),
            first: ReadingWire::of(&pair.first, repeats[0]),
            second: ReadingWire::of(&pair.second, repeats[1]),
            is_first_covered: pair.is_first_covered(),
            is_second_covered: pair.is_second_covered(),
            disputed_change: pair.disputed_change(),
        }
    }
}

#[derive(Serialize)]
struct ReadingWire {
    verdict: &'static str,
    change: Option<f64>,
    lo: Option<f64>,
    hi: Option<f64>,
    interval_size: Option<f64>,
    results: u32,
    needed: Option<NeededWire>,
}

impl ReadingWire {
    fn of(reading: &Reading, repeats: Option<Repeats>) -> Self {
        let part = |of: fn(&benchwright_model::Effect) -> f64| reading.effect.as_ref().map(of);
        ReadingWire {
            verdict: reading.verdict.name(),
            change: part(|effect| effect.change()),
            lo: part(|effect| effect.lo.exp_m1()),
            hi: part(|effect| effect.hi.exp_m1()),
            interval_size: part(interval_size),
            results: reading.results,
            needed: repeats.map(NeededWire::from),
        }
    }
}

#[derive(Serialize)]
struct NeededWire {
    kind: &'static str,
    results: Option<u32>,
}

impl From<Repeats> for NeededWire {
    fn from(repeats: Repeats) -> Self {
        match repeats {
            Repeats::Enough(n) => NeededWire { kind: "enough", results: Some(n) },
            Repeats::About(n) => NeededWire { kind: "about", results: Some(n) },
            Repeats::Unknown => NeededWire { kind: "unknown", results: None },
        }
    }
}
