//! Renewing a plan: what is out of date is measured again in full, and only its entries are rewritten.
//!
//! Which levels are chosen from what was measured is the business of `reduce`, which hands it in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use benchwright_config::{PLAN_FILE_NAME, Plan, PlannedBenchmark, find_plan, read_plan};
use benchwright_model::{BenchmarkId, RunKind, Side, Trial};
use benchwright_report::visible_line;
use benchwright_store::{RunRecord, Store};

use crate::args::{Global, Measuring, Output, PlanArgs, RunArgs, Selection as SelectionArgs};
use crate::commands::run::run_only;
use crate::exit::Outcome;
use crate::flags::flag_layer;
use crate::progress::Progress;
use crate::terminal::{Terminal, print};
use benchwright_session::project::Project;
use benchwright_session::stale::{self, Codes, Stale, Why};
use benchwright_session::words::count;
use benchwright_session::{Listener, Problem, Selection, because};
use benchwright_session::{keep, prepare};

/// What to renew.
#[derive(Debug, Clone, Default)]
pub(crate) struct RefreshRequest {
    /// The plan; none: that of the repository.
    pub(crate) plan: Option<PathBuf>,
    /// Which benchmarks are looked at.
    pub(crate) selection: SelectionArgs,
    /// How processes measure.
    pub(crate) measuring: Measuring,
    /// Only say what is out of date.
    pub(crate) dry_run: bool,
}

/// Chooses, for the benchmarks of a run in full, what a plan says of them. `code` and `source` are filled in afterwards.
pub(crate) type Choose<'a> =
    dyn Fn(&RunRecord, &Plan) -> Result<BTreeMap<BenchmarkId, PlannedBenchmark>, Problem> + 'a;

/// Measures what is out of date and rewrites its entries.
pub(crate) fn refresh(
    global: &Global,
    request: &RefreshRequest,
    choose: &Choose<'_>,
) -> Result<Outcome, Problem> {
    let flags = flag_layer(global, &request.selection, Some(&request.measuring), None)?;
    let selection = request.selection.selection(None)?;
    let terminal = Terminal::new(global);
    let mut progress = Progress::new(terminal);
    let project = Project::open(&global.interruptible(), &selection, flags, &mut progress)?;
    let path = plan_path(&project, request)?;
    let (mut plan, diagnostics) = read_plan(&path)?;
    diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
    let (codes, found) = look(&project, &selection, &plan, &mut progress)?;
    drop(progress);
    let to_measure = to_measure(&found, &codes);
    tell(&found)?;
    if request.dry_run || found.is_empty() {
        return Ok(Outcome::default());
    }
    let mut outcome = Outcome::default();
    if !to_measure.is_empty() {
        let record;
        (record, outcome) = run_only(global, &in_full(request), Some(&to_measure))?;
        let Some(record) = record.filter(|record| !record.is_partial) else {
            // Half of the full configuration is no full configuration; what was measured is kept for a resume.
            return Ok(Outcome { failed: true, ..outcome });
        };
        let chosen = choose(&record, &plan)?;
        enter(&mut plan, &record, chosen, &codes);
    }
    let gone = found.iter().filter(|stale| stale.why == Why::Removed).map(|stale| &stale.benchmark);
    gone.for_each(|id| drop(plan.benchmarks.remove(id)));
    plan.drop_unused_sources();
    write(&path, &plan)?;
    terminal.say(&format!("wrote {}", path.display()));
    Ok(outcome)
}

fn plan_path(project: &Project, request: &RefreshRequest) -> Result<PathBuf, Problem> {
    let path = request.plan.clone().or_else(|| find_plan(&project.root));
    path.ok_or_else(|| {
        let error = format!("no `{PLAN_FILE_NAME}` in `{}`", project.root.display());
        Problem::misuse(error, "`benchwright reduce` makes one from a run in full")
    })
}

/// The working tree's benchmarks, and what of the plan is out of date for them.
fn look(
    project: &Project,
    selection: &Selection,
    plan: &Plan,
    listener: &mut dyn Listener,
) -> Result<(Codes, Vec<Stale>), Problem> {
    let version = project.repository.snapshot(&project.cache)?.version;
    let arguments = prepare::arguments(project, selection);
    let build = prepare::build(project, &version, Side::Head, &arguments, listener)?;
    let is_wanted = |id: &BenchmarkId| project.settings.selection.accepts(&id.to_string());
    let codes = stale::codes(&project.harnesses, &build, &is_wanted);
    let run = keep::new_run(RunKind::Levels, None, version, 0).with_settings(BTreeMap::new(), [&build]);
    let trials = latest_trials(project)?;
    let mut found = stale::stale(plan, &codes, &project.harnesses, &run.environment, &trials);
    found.retain(|stale| is_wanted(&stale.benchmark));
    Ok((codes, found))
}

/// The trials of the newest run that followed a plan.
fn latest_trials(project: &Project) -> Result<Vec<Trial>, Problem> {
    /// Older ones are no news.
    const LOOKED_AT: usize = 20;
    let Ok(store) = Store::open_read_only(&project.results()) else { return Ok(Vec::new()) };
    for row in store.runs(LOOKED_AT)?.into_iter().filter(|row| row.kind == RunKind::Levels) {
        let record = store.load(&row.id)?;
        if record.run.settings.contains_key("plan") {
            return Ok(record.trials);
        }
    }
    Ok(Vec::new())
}

fn to_measure(found: &[Stale], codes: &Codes) -> BTreeSet<BenchmarkId> {
    let there = found.iter().filter(|stale| codes.contains_key(&stale.benchmark));
    there.map(|stale| stale.benchmark.clone()).collect()
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
fn in_full(request: &RefreshRequest) -> RunArgs {
    RunArgs {
        rev: None,
        rev_flag: None,
        levels: None,
        full: true,
        selection: request.selection.clone(),
        measuring: request.measuring.clone(),
        plan: PlanArgs::default(),
        output: Output::default(),
        dry_run: false,
        resume: None,
    }
}

/// Puts new choices into the plan, with where they come from.
fn enter(
    plan: &mut Plan,
    record: &RunRecord,
    chosen: BTreeMap<BenchmarkId, PlannedBenchmark>,
    codes: &Codes,
) {
    let source = record.run.id.to_string();
    plan.sources.insert(source.clone(), stale::source(&record.run));
    for (id, planned) in chosen {
        let code = codes.get(&id).cloned().flatten();
        plan.benchmarks.insert(id, PlannedBenchmark { code, source: source.clone(), ..planned });
    }
}

/// Writes a plan: whole, or not at all.
pub(crate) fn write(path: &Path, plan: &Plan) -> Result<(), Problem> {
    let beside = path.with_extension("toml.new");
    let written = std::fs::write(&beside, plan.to_string()).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        let what = format!("write the plan `{}`", path.display());
        Problem::failed(because(what, error), "")
    })
}
