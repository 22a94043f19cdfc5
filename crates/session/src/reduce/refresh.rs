//! Renews a plan: finds what is out of date and makes new entries for it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use benchwright_config::{Layer, PLAN_FILE_NAME, Plan, PlannedBenchmark, find_plan, read_plan};
use benchwright_model::{BenchmarkId, RunKind, Side, Trial};
use benchwright_store::{RunRecord, Store};

use super::plan::write_file;
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;
use crate::request::{Selection, Workspace};
use crate::stale::{self, Codes, Stale, Why};
use crate::{keep, prepare};

/// A plan, and what is out of date in it.
#[derive(Debug)]
pub struct Renewal {
    /// Its file.
    pub path: PathBuf,
    /// Its content.
    pub plan: Plan,
    /// The benchmarks that exist.
    codes: Codes,
    /// What is out of date.
    pub found: Vec<Stale>,
}

impl Renewal {
    /// Builds the working tree and finds what is out of date in `file`, or else in the plan of the
    /// repository.
    pub fn look(
        workspace: &Workspace,
        selection: &Selection,
        settings: Layer,
        file: Option<PathBuf>,
        listener: &mut dyn Listener,
    ) -> Result<Renewal, Problem> {
        let project = Project::open(workspace, selection, settings, listener)?;
        let path = file.or_else(|| find_plan(&project.root)).ok_or_else(|| {
            let error = format!("no `{PLAN_FILE_NAME}` in `{}`", project.root.display());
            Problem::misuse(error, "`benchwright reduce` makes one from a run in full")
        })?;
        let (plan, diagnostics) = read_plan(&path)?;
        diagnostics.iter().for_each(|diagnostic| listener.notice(diagnostic));
        let (codes, found) = look(&project, selection, &plan, listener)?;
        Ok(Renewal { path, plan, codes, found })
    }

    /// The benchmarks that have to be measured in full.
    pub fn to_measure(&self) -> BTreeSet<BenchmarkId> {
        let there = self.found.iter().filter(|stale| self.codes.contains_key(&stale.benchmark));
        there.map(|stale| stale.benchmark.clone()).collect()
    }

    /// Puts new choices into the plan, with their source.
    pub fn enter(&mut self, record: &RunRecord, chosen: BTreeMap<BenchmarkId, PlannedBenchmark>) {
        let source = record.run.id.to_string();
        self.plan.sources.insert(source.clone(), stale::source(&record.run));
        for (id, planned) in chosen {
            let code = self.codes.get(&id).cloned().flatten();
            self.plan.benchmarks.insert(id, PlannedBenchmark { code, source: source.clone(), ..planned });
        }
    }

    /// Writes the plan without the benchmarks that no longer exist.
    pub fn write(mut self) -> Result<PathBuf, Problem> {
        let gone = self.found.iter().filter(|stale| stale.why == Why::Removed).map(|stale| &stale.benchmark);
        for id in gone {
            self.plan.benchmarks.remove(id);
        }
        self.plan.drop_unused_sources();
        write_file(&self.path, &self.plan)?;
        Ok(self.path)
    }
}

/// The benchmarks of the working tree, and what is out of date in the plan for them.
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
    /// Number of runs that are searched. Older ones no longer matter.
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
