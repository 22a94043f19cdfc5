//! Configurations that find changes.

use benchwright_analysis::Rule;
use benchwright_analysis::reduce::for_compare::{Costs, Design, Wanted, for_compare};
use benchwright_config::Settings;
use benchwright_model::Diagnostic;
use benchwright_report::compare_plan::{ComparePlanReport, PlannedComparison};

use super::{Context, nothing, plan, positive_share, work};
use crate::args::ComparingArgs;
use crate::decide;
use crate::leveled::{Leveled, LeveledBenchmark};
use crate::problem::Problem;

/// What was typed, as shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shares {
    pub(super) change: f64,
    pub(super) power: f64,
    pub(super) false_alarms: f64,
}

pub(super) fn shares(args: &ComparingArgs) -> Result<Shares, Problem> {
    let below_one = |flag: &str, text: &str| match positive_share(flag, text)? {
        share if share < 1.0 => Ok(share),
        _ => {
            let error = anyhow::anyhow!("`{flag}`: expected a share below 100%, got `{text}`");
            Err(Problem::misuse(error, ""))
        }
    };
    Ok(Shares {
        change: positive_share("--change", &args.change)?,
        power: below_one("--power", &args.power)?,
        false_alarms: below_one("--false-alarms", &args.false_alarms)?,
    })
}

/// Plans, shows, and writes the plan; returns what there is to say about the input.
pub(super) fn run(
    context: &Context<'_>,
    sets: &[Leveled],
    shares: Shares,
) -> Result<Vec<Diagnostic>, Problem> {
    let count = sets.iter().map(|set| set.benchmarks.len()).sum::<usize>();
    let wanted = wanted(context.settings, shares, count)?;
    let (benchmarks, errors) = planned(sets, &wanted, context.args.warmup, context.args.jobs);
    let said = sets.iter().flat_map(|set| set.diagnostics.clone()).chain(errors);
    let diagnostics: Vec<Diagnostic> = said.collect();
    context.tell(&diagnostics);
    if benchmarks.is_empty() {
        return Err(nothing(&diagnostics));
    }
    let report = ComparePlanReport {
        sources: sets.iter().map(|set| set.source.clone()).collect(),
        wanted,
        benchmarks,
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
    };
    context.formats.write_comparing(&report, context.terminal)?;
    plan::write(context, sets, plan::of_comparing(sets, &report, context.args.warmup))?;
    Ok(report.diagnostics)
}

/// What a plan has to reach under the rule of the settings.
pub(super) fn wanted(settings: &Settings, shares: Shares, benchmarks: usize) -> Result<Wanted, Problem> {
    let Rule::Paired(paired) = decide::judge(settings, 0).rule else {
        let error = anyhow::anyhow!("plan comparisons for the rule `{}`", settings.decision.rule.word());
        return Err(Problem::misuse(error, "plans are made for the rule `paired`"));
    };
    let Shares { change, power, false_alarms } = shares;
    Ok(Wanted {
        design: Design::Duets(paired),
        change,
        power,
        false_alarms,
        threshold: settings.thresholds.general.soft,
        ..Wanted::in_duets(u32::try_from(benchmarks).unwrap_or(u32::MAX))
    })
}

/// A plan for every benchmark; and of which nothing can be said.
pub(super) fn planned(
    sets: &[Leveled],
    wanted: &Wanted,
    warmup: u32,
    jobs: Option<u32>,
) -> (Vec<PlannedComparison>, Vec<Diagnostic>) {
    work::of_all(sets, jobs, |source, benchmark| one(source, benchmark, wanted, warmup))
}

fn one(
    source: usize,
    benchmark: &LeveledBenchmark,
    wanted: &Wanted,
    warmup: u32,
) -> Result<PlannedComparison, Diagnostic> {
    let series = work::after_warmup(benchmark, warmup)?;
    let costs = costs(benchmark, warmup);
    let plan = for_compare(&series, &costs, wanted).ok_or_else(|| {
        let message = "cannot be planned: nothing is repeated, so that nobody knows how processes differ";
        Diagnostic::error(&benchmark.name, message)
    })?;
    Ok(PlannedComparison { source, id: benchmark.id.clone(), name: benchmark.name.clone(), plan })
}

/// What a process of a benchmark costs.
pub(super) fn costs(benchmark: &LeveledBenchmark, warmup: u32) -> Costs {
    let iteration = benchmark.seconds_per_value;
    Costs { start: benchmark.process_seconds, warmup: f64::from(warmup) * iteration, iteration }
}
