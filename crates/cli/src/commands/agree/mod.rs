//! `benchwright agree`: whether two runs of the same comparison say the same.
//!
//! 1. [`told`] reads what each run says: stored comparisons, files of raw samples, pairs of files;
//! 2. [`run`] sets them against each other, by verdicts or by medians, and shows it.

mod told;

use std::collections::HashMap;

use benchwright_analysis::agree::{Growth, MIN_RESULTS, Pair, Reading, Repeats, TwoRuns, interval_size};
use benchwright_config::{Layer, Settings};
use benchwright_model::{BenchmarkId, Diagnostic, Finding, Severity, Verdict};
use benchwright_report::agreement::{AgreementReport, WantedInterval};

use crate::args::{AgreeArgs, Global};
use crate::commands::reduce::positive_share;
use crate::exit::Outcome;
use crate::output::Formats;
use crate::terminal::Terminal;
use benchwright_session::Problem;
use benchwright_session::project;
use benchwright_session::words::count;
use told::Told;

/// What counts as a change found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// What the run's rule said.
    Verdicts,
    /// The paper's interval of the ratio of medians.
    Medians,
}

/// Reads both runs and shows whether they agree.
pub(crate) fn run(global: &Global, args: &AgreeArgs) -> Result<Outcome, Problem> {
    let formats = Formats::of(&args.output)?;
    formats.check_agreement()?;
    let by = if args.by == "medians" { By::Medians } else { By::Verdicts };
    let wanted = match &args.wanted_interval {
        Some(text) => WantedInterval::Size(positive_share("--wanted-interval", text)?),
        None => WantedInterval::FirstRun,
    };
    let mut terminal = Terminal::new(global);
    let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal)?;
    let terminal = terminal.configured(settings.colour);
    let told = told::read(global, &settings, &args.runs, args.seed)?;
    let report = report(&settings, args, told, by, wanted)?;
    formats.write_agreement(&report, terminal)?;
    if !formats.shows_diagnostics() {
        report.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    }
    let failed = report.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(Outcome { failed, ..Outcome::default() })
}

fn selection(args: &AgreeArgs) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    for (key, value) in [("filter", &args.filter), ("skip", &args.skip)] {
        if let Some(value) = value {
            layer.set(key, value)?;
        }
    }
    Ok(layer)
}

fn report(
    settings: &Settings,
    args: &AgreeArgs,
    told: [Told; 2],
    by: By,
    wanted: WantedInterval,
) -> Result<AgreementReport, Problem> {
    let least = args.min_results.unwrap_or(if by == By::Medians { MIN_RESULTS } else { 1 });
    let mut diagnostics: Vec<Diagnostic> = told.iter().flat_map(|told| told.diagnostics.clone()).collect();
    diagnostics.extend(told.iter().filter_map(|told| not_measured(told, settings)));
    diagnostics.extend(other_comparison(&told));
    let readings = told.each_ref().map(|told| {
        let all = match by {
            By::Verdicts => told.findings.iter().filter_map(Reading::of_finding).collect(),
            By::Medians => told.samples.iter().filter_map(|sample| sample.reading(args.seed)).collect(),
        };
        let (enough, few) = selected(all, settings, least);
        diagnostics.extend(few.iter().map(|id| too_few(id, told, least)));
        enough
    });
    let [first, second] = readings;
    let found = TwoRuns::of(first, second);
    if found.pairs.is_empty() {
        let error = "no benchmark was measured by both runs";
        let hint = format!(
            "{} only in the first, {} only in the second; --min-results {least} leaves out those with fewer",
            found.only_first.len(),
            found.only_second.len()
        );
        return Err(Problem::failed(error, hint));
    }
    let repeats = found.pairs.iter().map(|pair| needed(pair, &told, by, wanted, args.seed)).collect();
    let is_same_code = told.iter().all(|told| told.is_same_code());
    let by = describe(by, &told);
    let runs = told.map(|told| told.run);
    let tool_version = env!("CARGO_PKG_VERSION").into();
    Ok(AgreementReport { runs, by, found, wanted, repeats, is_same_code, diagnostics, tool_version })
}

fn describe(by: By, [first, second]: &[Told; 2]) -> String {
    match by {
        By::Medians => {
            "medians: 99 % bootstrap interval of the ratio of medians of processes excludes zero".into()
        }
        By::Verdicts if first.rule == second.rule => {
            format!("verdicts of the rule `{}`; same and undecided are both no change found", first.rule)
        }
        By::Verdicts => format!(
            "verdicts of the rules `{}` and `{}`; same and undecided are both no change found",
            first.rule, second.rule
        ),
    }
}

/// Readings of selected benchmarks with enough results; and benchmarks that had fewer.
fn selected(all: Vec<Reading>, settings: &Settings, least: u32) -> (Vec<Reading>, Vec<BenchmarkId>) {
    let wanted = all.into_iter().filter(|reading| settings.selection.accepts(&reading.benchmark.to_string()));
    // An identical build has no results and needs none.
    let has_enough = |reading: &Reading| reading.results >= least || reading.effect.is_none();
    let (enough, few): (Vec<Reading>, Vec<Reading>) = wanted.partition(has_enough);
    (enough, few.into_iter().map(|reading| reading.benchmark).collect())
}

fn too_few(benchmark: &BenchmarkId, told: &Told, least: u32) -> Diagnostic {
    let message = format!("is left out: fewer than {least} results in {}", told.run.title);
    let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning(benchmark.to_string(), message) };
    note.hint("--min-results 1 takes it")
}

/// What is said of benchmarks that a run has no duet of: they are no change found, and no disagreement either.
fn not_measured(told: &Told, settings: &Settings) -> Option<Diagnostic> {
    let is_named = |finding: &&Finding| {
        finding.verdict == Verdict::NotMeasured && settings.selection.accepts(&finding.benchmark.to_string())
    };
    let names: Vec<String> =
        told.findings.iter().filter(is_named).map(|finding| finding.benchmark.to_string()).collect();
    let n = u32::try_from(names.len()).unwrap_or(u32::MAX);
    let message = format!("{} left out, not measured: {}", count(n, "benchmark"), names.join(", "));
    (n > 0).then(|| Diagnostic {
        severity: Severity::Note,
        ..Diagnostic::warning(told.run.title.clone(), message)
    })
}

/// What is said where the runs did not compare the same, or are one run.
fn other_comparison([first, second]: &[Told; 2]) -> Option<Diagnostic> {
    if first.run.run.is_some() && first.run.run == second.run.run {
        return Some(Diagnostic::warning(
            "",
            "a run is set against itself: it agrees with itself in everything",
        ));
    }
    let (Some(one), Some(other)) = (&first.versions, &second.versions) else { return None };
    (one != other).then(|| {
        Diagnostic::warning("", "the runs did not compare the same versions: a difference need not be noise")
            .hint("`benchwright show` lists what each run compared")
    })
}

/// How many results of each run the wanted interval takes. Asked for the first run's size, it is a question to the second alone, and
/// only where the intervals overlap.
fn needed(pair: &Pair, told: &[Told; 2], by: By, wanted: WantedInterval, seed: u64) -> [Option<Repeats>; 2] {
    let of = |told: &Told, size: f64| {
        let benchmark = &pair.first.benchmark;
        match by {
            By::Medians => {
                let sample = told.samples.iter().find(|sample| sample.benchmark == *benchmark)?;
                Some(Growth::Medians { sample, seed }.needed(size))
            }
            By::Verdicts => {
                let duets = told.duets.get(benchmark)?;
                (!duets.is_empty()).then(|| Growth::Duets(duets).needed(size))
            }
        }
    };
    match wanted {
        WantedInterval::Size(size) => told.each_ref().map(|told| of(told, size)),
        WantedInterval::FirstRun => {
            let size = pair.first.effect.as_ref().map(interval_size);
            let overlaps = pair.overlaps() == Some(true);
            [None, size.filter(|_| overlaps).and_then(|size| of(&told[1], size))]
        }
    }
}

/// ln(head / base) of every duet by benchmark.
type Duets = HashMap<BenchmarkId, Vec<f64>>;
