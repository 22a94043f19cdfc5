//! `reduce --refresh`: the choices for what of a plan is out of date.

use std::collections::BTreeMap;

use benchwright_analysis::reduce::{Options, Stability, by_name, recommended};
use benchwright_config::{Goal, Plan, PlannedBenchmark};
use benchwright_model::{BenchmarkId, Diagnostic, Severity};
use benchwright_store::RunRecord;

use super::warmup::{self, WarmupCut};
use super::work::{self, Wanted};
use super::{SEED, comparing, nothing, plan, selection, stability};
use crate::args::{Global, ReduceArgs, Selection};
use crate::commands::refresh::{RefreshRequest, refresh};
use crate::exit::Outcome;
use crate::terminal::Terminal;
use benchwright_session::Problem;
use benchwright_session::leveled::{self, Leveled};
use benchwright_session::project;

/// Measures what is out of date, and chooses for it as the plan says that was chosen before.
pub(super) fn run(global: &Global, args: &ReduceArgs) -> Result<Outcome, Problem> {
    let selection =
        Selection { filter: args.filter.clone(), skip: args.skip.clone(), ..Selection::default() };
    let request = RefreshRequest {
        plan: args.plan.clone(),
        selection,
        measuring: args.measuring.clone(),
        dry_run: args.dry_run,
    };
    refresh(global, &request, &|record, plan| chosen(global, args, record, plan))
}

fn chosen(
    global: &Global,
    args: &ReduceArgs,
    record: &RunRecord,
    known: &Plan,
) -> Result<BTreeMap<BenchmarkId, PlannedBenchmark>, Problem> {
    let mut terminal = Terminal::new(global);
    let mut sets = [leveled::of_run(record)?];
    warmup::cut(&mut sets, WarmupCut::of(&args.warmup)?, args.jobs);
    let (planned, diagnostics) = match &known.goal {
        Goal::Stability { threshold, mode, .. } => {
            let mut options =
                Options { mode: stability::mode(mode), threshold: *threshold, ..Options::default() };
            options.resampling.seed = args.measuring.seed.unwrap_or(SEED);
            of_stability(&sets, known, options, args.jobs)
        }
        Goal::Compare { change, power, false_alarms } => {
            let (change, power, false_alarms) = (*change, *power, *false_alarms);
            let shares = comparing::Shares { change, power, false_alarms, budget: None };
            let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal)?;
            let all = known.benchmarks.len().max(sets[0].benchmarks.len());
            let wanted = comparing::wanted(&settings, shares, all)?;
            let planner = comparing::Planner { settings: &settings, wanted: &wanted, budget: None };
            let (found, errors) = planner.planned(&sets, args.jobs);
            (plan::comparing_entries(&sets, &found, &planner), errors)
        }
    };
    let diagnostics: Vec<Diagnostic> = sets[0].diagnostics.iter().cloned().chain(diagnostics).collect();
    diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    if planned.is_empty() && diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(nothing(&diagnostics));
    }
    Ok(planned)
}

fn of_stability(
    sets: &[Leveled],
    known: &Plan,
    options: Options,
    jobs: Option<u32>,
) -> (BTreeMap<BenchmarkId, PlannedBenchmark>, Vec<Diagnostic>) {
    let wanted = Wanted {
        metric: &|id: &BenchmarkId| metric(known, id),
        options,
        has_curve: false,
        has_forecast: false,
    };
    let (found, errors) = work::reduce(sets, &wanted, jobs);
    let usual = match &known.goal {
        Goal::Stability { metric, .. } => metric.as_str(),
        Goal::Compare { .. } => "",
    };
    (plan::stability_entries(sets, &found, usual), errors)
}

/// The metric that the plan has for a benchmark, or for others of its harness.
fn metric(known: &Plan, id: &BenchmarkId) -> &'static dyn Stability {
    let entry = known.benchmarks.get(id);
    let akin = || known.benchmarks.iter().find(|(other, _)| other.harness == id.harness);
    let entry = entry.or_else(|| akin().map(|(_, planned)| planned));
    let usual = match &known.goal {
        Goal::Stability { metric, .. } => Some(metric),
        Goal::Compare { .. } => None,
    };
    let name = entry.and_then(|planned| planned.metric.as_ref().or(usual));
    name.and_then(|name| by_name(name)).unwrap_or_else(|| recommended(&id.harness).0)
}
