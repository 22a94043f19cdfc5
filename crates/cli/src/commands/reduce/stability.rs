//! Configurations whose values vary little.

use std::collections::BTreeSet;

use benchwright_analysis::reduce::changes::LEAST_CHANGE;
use benchwright_analysis::reduce::{Mode, Options, Stability, by_name, recommended};
use benchwright_model::{BenchmarkId, Diagnostic};
use benchwright_report::reduction::{ReducedBenchmark, ReductionReport};
use benchwright_report::scale;

use super::warmup::WarmupCut;
use super::work::{self, Wanted};
use super::{Context, SEED, nothing, plan, positive_share};
use crate::args::ReduceArgs;
use benchwright_session::Problem;
use benchwright_session::leveled::Leveled;

/// Of a long list so many are named.
const NAMED: usize = 5;

pub(super) fn options(args: &ReduceArgs) -> Result<Options, Problem> {
    let typed = &args.stability;
    let mut options = Options {
        mode: mode(&typed.mode),
        threshold: positive_share("--threshold", &typed.threshold)?,
        warmup: WarmupCut::of(&args.warmup)?.count(),
        is_warmup_counted: typed.count_warmup,
        ..Options::default()
    };
    options.resampling.seed = args.measuring.seed.unwrap_or(SEED);
    Ok(options)
}

/// The mode called `name`.
pub(super) fn mode(name: &str) -> Mode {
    if name == Mode::Prototype.name() { Mode::Prototype } else { Mode::Paper }
}

/// Reduces, shows, and writes the plan; returns what there is to say about the input.
pub(super) fn run(
    context: &Context<'_>,
    sets: &[Leveled],
    options: Options,
) -> Result<Vec<Diagnostic>, Problem> {
    let typed = context.args.stability.metric.as_deref().and_then(by_name);
    let wanted = Wanted {
        metric: &|id: &BenchmarkId| typed.unwrap_or_else(|| recommended(&id.harness).0),
        options,
        has_curve: context.formats.shows_curves(),
        has_forecast: context.formats.shows_forecasts(),
    };
    let (benchmarks, errors) = work::reduce(sets, &wanted, context.args.jobs);
    let said = sets.iter().flat_map(|set| set.diagnostics.clone()).chain(errors);
    let diagnostics: Vec<Diagnostic> = said.chain(off(&benchmarks)).collect();
    context.tell(&diagnostics);
    if benchmarks.is_empty() {
        return Err(nothing(&diagnostics));
    }
    let report = ReductionReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        options,
        metric_note: metric_note(typed, sets),
        benchmarks,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    // Before the plan: what is wrong with that must not cost the table.
    context.formats.write_reduction(&report, context.terminal)?;
    plan::write(context, sets, plan::of_stability(sets, &report))?;
    Ok(report.diagnostics)
}

/// From this distance on a chosen configuration measures something else than the full one: the paper's smallest change.
const OFF: f64 = LEAST_CHANGE;

/// Warns of configurations whose average is far from that of everything: stable values of the wrong size.
fn off(benchmarks: &[ReducedBenchmark]) -> Option<Diagnostic> {
    let mut far: Vec<&ReducedBenchmark> =
        benchmarks.iter().filter(|one| one.reduction.change().abs() > OFF).collect();
    far.sort_by(|one, other| other.reduction.change().abs().total_cmp(&one.reduction.change().abs()));
    let name = |one: &&ReducedBenchmark| format!("{} ({})", one.name, scale::change(one.reduction.change()));
    let named: Vec<String> = far.iter().take(NAMED).map(name).collect();
    let more = match far.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!far.is_empty()).then(|| {
        let message = format!(
            "measured as chosen, {} of {} benchmarks are off by more than {} from everything that was measured: {}{more}",
            far.len(),
            benchmarks.len(),
            scale::share(OFF),
            named.join(", ")
        );
        Diagnostic::warning("", message).hint(
            "their values are stable and wrong; a lower --threshold or another --metric measures more (--evaluate compares them), \
             --warmup auto cuts a slow beginning",
        )
    })
}

/// Which metric, and why.
pub(super) fn metric_note(typed: Option<&dyn Stability>, sets: &[Leveled]) -> String {
    if let Some(metric) = typed {
        return metric.name().to_owned();
    }
    let all = sets.iter().flat_map(|set| &set.benchmarks).map(|benchmark| recommended(&benchmark.id.harness));
    let found: BTreeSet<(&str, &str)> = all.map(|(metric, why)| (metric.name(), why)).collect();
    let parts: Vec<String> = found.iter().map(|(name, why)| format!("{name} for {why}")).collect();
    format!("{} (by language; --metric takes another)", parts.join(", "))
}
