//! `reduce --evaluate`: compares ways to choose configurations on the user's own data.

use benchwright_analysis::reduce::evaluation::{self, Evaluand, Version};
use benchwright_analysis::reduce::{self, Options, Stability, by_name, metrics, recommended};
use benchwright_model::Diagnostic;
use benchwright_report::evaluation::EvaluationReport;

use super::{Context, nothing, stability, work};
use benchwright_session::Problem;
use benchwright_session::leveled::{Leveled, LeveledBenchmark};

/// Evaluates the last of the sets, the newest version, and follows choices of the first through all others; returns what there is to say
/// about the input.
pub(super) fn run(
    context: &Context<'_>,
    sets: &[Leveled],
    options: Options,
) -> Result<Vec<Diagnostic>, Problem> {
    let mut diagnostics: Vec<Diagnostic> = sets.iter().flat_map(|set| set.diagnostics.clone()).collect();
    let versions: Vec<Version<'_>> =
        sets.iter().map(|set| (set.source.title.clone(), suite(set, options, &mut diagnostics))).collect();
    context.tell(&diagnostics);
    let newest = versions.last().map(|(_, suite)| suite.as_slice()).unwrap_or_default();
    if newest.is_empty() {
        return Err(nothing(&diagnostics));
    }
    let jobs = work::jobs(context.args.jobs);
    let typed = context.args.stability.metric.as_deref().and_then(by_name);
    let outcomes = evaluation::outcomes(newest, jobs);
    let forward = match versions.len() {
        0 | 1 => Vec::new(),
        _ => evaluation::forward(&versions, &|name| typed.unwrap_or_else(|| metric_of(sets, name)), jobs),
    };
    let report = EvaluationReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        metric_note: stability::metric_note(typed, sets),
        threshold: options.threshold,
        benchmarks: newest.len(),
        difference: evaluation::difference(&outcomes),
        metrics: metrics().iter().map(|metric| metric.name()).collect(),
        outcomes,
        forward,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    context.formats.write_evaluation(&report, context.terminal)?;
    Ok(report.diagnostics)
}

/// The benchmarks of a set that can be reduced at all.
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
    let harness = all.into_iter().find(|one| one.name == name).map(|one| one.id.harness.as_str());
    recommended(harness.unwrap_or_default()).0
}
