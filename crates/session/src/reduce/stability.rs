//! Chooses configurations whose values vary little.

use std::collections::BTreeSet;

use benchwright_analysis::reduce::changes::LEAST_CHANGE;
use benchwright_analysis::reduce::{Mode, Options, Stability, recommended};
use benchwright_model::Diagnostic;
use benchwright_report::reduction::{ReducedBenchmark, ReductionReport};
use benchwright_report::scale;

use super::work::{self, Metric, Wanted};
use crate::leveled::{Leveled, LeveledBenchmark};

/// At most this many names of a long list are shown.
const NAMED: usize = 5;

/// The mode called `name`.
pub fn mode(name: &str) -> Mode {
    if name == Mode::Prototype.name() { Mode::Prototype } else { Mode::Paper }
}

/// What a report shows of each benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shown {
    /// Whether single configurations are shown.
    pub curves: bool,
    /// Whether it is shown how many repetitions unstable benchmarks would need.
    pub forecasts: bool,
}

/// Reduces every benchmark. `metric` replaces the metric of stability recommended for the language. The
/// report has no benchmarks if nothing could be reduced.
pub fn report(
    sets: &[Leveled],
    options: Options,
    metric: Option<Metric>,
    shown: Shown,
    jobs: Option<u32>,
) -> ReductionReport {
    let wanted = Wanted {
        metric: &|benchmark: &LeveledBenchmark| {
            metric.unwrap_or_else(|| recommended(benchmark.sample_kind).0)
        },
        options,
        has_curve: shown.curves,
        has_forecast: shown.forecasts,
    };
    let (benchmarks, errors) = work::reduce(sets, &wanted, jobs);
    let said = sets.iter().flat_map(|set| set.diagnostics.clone()).chain(errors);
    let diagnostics: Vec<Diagnostic> = said.chain(off(&benchmarks)).collect();
    ReductionReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        options,
        metric_note: metric_note(metric, sets),
        benchmarks,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// A chosen configuration that differs from the full one by this much measures something else. This is the
/// paper's smallest change.
const OFF: f64 = LEAST_CHANGE;

/// Warns of configurations whose average is far from that of all values: they are stable but wrong.
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
            "with the chosen configurations, {} of {} benchmarks differ by more than {} from the full measurement: {}{more}",
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

/// A note on which metric is used, and why.
pub fn metric_note(typed: Option<&dyn Stability>, sets: &[Leveled]) -> String {
    if let Some(metric) = typed {
        return metric.name().to_owned();
    }
    let all = sets.iter().flat_map(|set| &set.benchmarks).map(|benchmark| recommended(benchmark.sample_kind));
    let found: BTreeSet<(&str, &str)> = all.map(|(metric, why)| (metric.name(), why)).collect();
    let parts: Vec<String> = found.iter().map(|(name, why)| format!("{name} for {why}")).collect();
    format!("{} (by language; --metric takes another)", parts.join(", "))
}
