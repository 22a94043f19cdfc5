//! `benchwright reduce --refresh`: measures the out-of-date benchmarks of a plan again in full, and rewrites
//! only their entries.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_config::{Plan, PlannedBenchmark};
use benchwright_model::{BenchmarkId, Severity};
use benchwright_report::visible_line;
use benchwright_session::reduce::SEED;
use benchwright_session::reduce::refresh::Renewal;
use benchwright_session::reduce::renew::{self, RenewalOptions};
use benchwright_session::reduce::warmup::WarmupCut;
use benchwright_session::stale::{Stale, Why};
use benchwright_session::words::count;
use benchwright_session::{Problem, project};
use benchwright_store::RunRecord;

use crate::args::{Global, Output, PlanArgs, ReduceArgs, RunArgs, Selection};
use crate::commands::reduce::{nothing, selection};
use crate::commands::run::run_only;
use crate::exit::Outcome;
use crate::flags::flag_layer;
use crate::progress::Progress;
use crate::terminal::{Terminal, print};

/// Measures what is out of date, chooses in the same way as the plan was made, and rewrites the entries.
pub(crate) fn refresh(global: &Global, args: &ReduceArgs) -> Result<Outcome, Problem> {
    let typed = Selection { filter: args.filter.clone(), skip: args.skip.clone(), ..Selection::default() };
    let flags = flag_layer(global, &typed, Some(&args.measuring), None)?;
    let terminal = Terminal::new(global);
    let mut progress = Progress::new(terminal);
    let workspace = global.interruptible();
    let mut renewal =
        Renewal::look(&workspace, &typed.selection(None)?, flags, args.plan.clone(), &mut progress)?;
    drop(progress);
    tell(&renewal.found)?;
    if args.dry_run || renewal.found.is_empty() {
        return Ok(Outcome::default());
    }
    let mut outcome = Outcome::default();
    let to_measure = renewal.to_measure();
    if !to_measure.is_empty() {
        let record;
        (record, outcome) = run_only(global, &in_full(args, typed), Some(&to_measure))?;
        let Some(record) = record.filter(|record| !record.is_partial) else {
            // An incomplete measurement cannot be used for a choice. Its results are kept, so that it can be
            // resumed.
            return Ok(Outcome { failed: true, ..outcome });
        };
        let chosen = chosen(global, args, &record, &renewal.plan)?;
        renewal.enter(&record, chosen);
    }
    let path = renewal.write()?;
    terminal.say(&format!("wrote {}", path.display()));
    Ok(outcome)
}

fn chosen(
    global: &Global,
    args: &ReduceArgs,
    record: &RunRecord,
    known: &Plan,
) -> Result<BTreeMap<BenchmarkId, PlannedBenchmark>, Problem> {
    let terminal = Terminal::new(global);
    let settings = project::settings_anywhere(&global.workspace(), selection(args)?, &mut terminal.hushed())?;
    let options = RenewalOptions {
        settings: &settings,
        warmup: WarmupCut::of(&args.warmup)?,
        seed: args.measuring.seed.unwrap_or(SEED),
        jobs: args.jobs,
    };
    let (planned, diagnostics) = renew::chosen(record, known, &options)?;
    diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    if planned.is_empty() && diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(nothing(&diagnostics));
    }
    Ok(planned)
}

/// A line per benchmark and reason.
fn tell(found: &[Stale]) -> Result<(), Problem> {
    let reason = |why: &Why| match why {
        Why::New => "new      ".to_owned(),
        Why::Removed => "removed  ".to_owned(),
        Why::Code => "changed  ".to_owned(),
        Why::Environment { fact, then, now } => format!("{fact} was `{then}`, is `{now}`:"),
        Why::Unstable { metric, value, .. } => format!("unstable ({metric} {value:.3}):"),
    };
    print(|out| {
        for Stale { benchmark, why } in found {
            writeln!(out, "{} {}", reason(why), visible_line(&benchmark.to_string()))?;
        }
        match found.is_empty() {
            true => writeln!(out, "the plan is up to date"),
            false => {
                let ids: BTreeSet<&BenchmarkId> = found.iter().map(|stale| &stale.benchmark).collect();
                writeln!(out, "\n{} out of date", count(ids.len() as u32, "benchmark"))
            }
        }
    })?;
    Ok(())
}

/// A run over the full configuration.
fn in_full(args: &ReduceArgs, selection: Selection) -> RunArgs {
    RunArgs {
        rev: None,
        rev_flag: None,
        levels: None,
        full: true,
        selection,
        measuring: args.measuring.clone(),
        plan: PlanArgs::default(),
        output: Output::default(),
        dry_run: false,
        resume: None,
    }
}
