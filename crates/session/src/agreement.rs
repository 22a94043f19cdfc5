//! Whether two runs of the same comparison agree.
//!
//! 1. `told` reads the findings of each run from stored comparisons, files of raw samples, or pairs of files;
//! 2. [`report`] compares them by verdicts or by medians.

mod told;

use std::collections::HashMap;

use benchwright_analysis::agree::{Growth, MIN_RESULTS, Pair, Reading, Repeats, TwoRuns, interval_size};
use benchwright_config::Settings;
use benchwright_model::{BenchmarkId, Diagnostic, Finding, Severity, Verdict};
use benchwright_report::agreement::{AgreementReport, WantedInterval};

use crate::problem::Problem;
use crate::request::Workspace;
use crate::words::count;
use told::Told;

/// How a change is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// By the verdicts of the run.
    Verdicts,
    /// The paper's interval of the ratio of medians.
    Medians,
}

/// Which runs to compare, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct AgreementRequest {
    /// Names of two runs, or base and head of the first and of the second.
    pub runs: Vec<String>,
    /// How a change is recognised.
    pub by: By,
    /// How small intervals should be.
    pub wanted: WantedInterval,
    /// Benchmarks with fewer results in one of the runs are left out. `None` uses the default number.
    pub least: Option<u32>,
    /// Seed for resampling.
    pub seed: u64,
}

/// Compares both runs.
pub fn report(
    workspace: &Workspace,
    settings: &Settings,
    request: &AgreementRequest,
) -> Result<AgreementReport, Problem> {
    let AgreementRequest { runs, by, wanted, least, seed } = request;
    let (by, wanted, seed) = (*by, *wanted, *seed);
    let told = told::read(workspace, settings, runs, seed)?;
    let least = least.unwrap_or(if by == By::Medians { MIN_RESULTS } else { 1 });
    let mut diagnostics: Vec<Diagnostic> = told.iter().flat_map(|told| told.diagnostics.clone()).collect();
    diagnostics.extend(told.iter().filter_map(|told| not_measured(told, settings)));
    diagnostics.extend(other_comparison(&told));
    let readings = told.each_ref().map(|told| {
        let all = match by {
            By::Verdicts => told.findings.iter().filter_map(Reading::of_finding).collect(),
            By::Medians => told.samples.iter().filter_map(|sample| sample.reading(seed)).collect(),
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
            "{} are only in the first run, {} only in the second; --min-results {least} leaves out benchmarks with fewer results",
            found.only_first.len(),
            found.only_second.len()
        );
        return Err(Problem::failed(error, hint));
    }
    let repeats = found.pairs.iter().map(|pair| needed(pair, &told, by, wanted, seed)).collect();
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
            format!("verdicts of the rule `{}`; same and undecided both count as no change", first.rule)
        }
        By::Verdicts => format!(
            "verdicts of the rules `{}` and `{}`; same and undecided both count as no change",
            first.rule, second.rule
        ),
    }
}

/// Readings of selected benchmarks with enough results, and the benchmarks that have fewer.
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
    note.hint("--min-results 1 includes it")
}

/// A note on benchmarks that a run did not measure. They count neither as a change nor as a disagreement.
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

/// A warning if the runs compared different versions, or if both names are the same run.
fn other_comparison([first, second]: &[Told; 2]) -> Option<Diagnostic> {
    if first.run.run.is_some() && first.run.run == second.run.run {
        return Some(Diagnostic::warning("", "both names are the same run, so they agree in everything"));
    }
    let (Some(one), Some(other)) = (&first.versions, &second.versions) else { return None };
    (one != other).then(|| {
        Diagnostic::warning(
            "",
            "the runs did not compare the same versions, so they may differ for other reasons than noise",
        )
        .hint("`benchwright show` lists what each run compared")
    })
}

/// How many results each run needs for the wanted interval. If the wanted size is that of the first run, the
/// answer is for the second run alone, and only if the intervals overlap.
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

/// ln(head / base) of every duet, by benchmark.
type Duets = HashMap<BenchmarkId, Vec<f64>>;
