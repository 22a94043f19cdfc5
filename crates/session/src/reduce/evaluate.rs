//! `reduce --evaluate`: compares ways to choose configurations on the user's own data.

use benchwright_analysis::reduce::evaluation::{self, Evaluand, Version};
use benchwright_analysis::reduce::{self, Options, Stability, metrics, recommended};
use benchwright_model::{Diagnostic, SampleKind};
use benchwright_report::evaluation::EvaluationReport;

use super::work::Metric;
use super::{stability, work};
use crate::leveled::{Leveled, LeveledBenchmark};

/// Evaluates the last set, which is the newest version, and follows the choices made for the first set
/// through all others. The report counts no benchmarks if nothing could be evaluated.
pub fn report(
    sets: &[Leveled],
    options: Options,
    metric: Option<Metric>,
    jobs: Option<u32>,
) -> EvaluationReport {
    let mut diagnostics: Vec<Diagnostic> = sets.iter().flat_map(|set| set.diagnostics.clone()).collect();
    let versions: Vec<Version<'_>> =
        sets.iter().map(|set| (set.source.title.clone(), suite(set, options, &mut diagnostics))).collect();
    let newest = versions.last().map(|(_, suite)| suite.as_slice()).unwrap_or_default();
    let jobs = work::jobs(jobs);
    let outcomes = evaluation::outcomes(newest, jobs);
    let forward = match versions.len() {
        _ if newest.is_empty() => Vec::new(),
        0 | 1 => Vec::new(),
        _ => evaluation::forward(&versions, &|name| metric.unwrap_or_else(|| metric_of(sets, name)), jobs),
    };
    EvaluationReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        metric_note: stability::metric_note(metric, sets),
        threshold: options.threshold,
        benchmarks: newest.len(),
        difference: evaluation::difference(&outcomes),
        metrics: metrics().iter().map(|metric| metric.name()).collect(),
        outcomes,
        forward,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// The benchmarks of a set that can be reduced.
fn suite<'a>(set: &'a Leveled, options: Options, diagnostics: &mut Vec<Diagnostic>) -> Vec<Evaluand<'a>> {
    let has_choice = |benchmark: &&LeveledBenchmark| {
        let seen = options.mode.seen(&benchmark.series);
        let is_enough = !reduce::configurations(seen.levels(), options.mode).is_empty();
        if !is_enough {
            let message = "cannot be evaluated: it has too few repetitions to say how stable they are";
            diagnostics.push(Diagnostic::error(&benchmark.name, message));
        }
        is_enough
    };
    let chosen: Vec<&LeveledBenchmark> = set.benchmarks.iter().filter(has_choice).collect();
    let evaluand = |benchmark: &'a LeveledBenchmark| Evaluand {
        name: &benchmark.name,
        series: &benchmark.series,
        options: work::options(benchmark, options),
    };
    chosen.into_iter().map(evaluand).collect()
}

/// The metric that is recommended for a benchmark.
fn metric_of(sets: &[Leveled], name: &str) -> &'static dyn Stability {
    let all = sets.iter().flat_map(|set| &set.benchmarks);
    let kind = all.into_iter().find(|one| one.name == name).map(|one| one.sample_kind);
    recommended(kind.unwrap_or(SampleKind::Other)).0
}
