//! Turns choices into `benchwright.plan.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_analysis::reduce::for_compare::Wanted;
use benchwright_config::{DuetRange, Goal, Levels, PLAN_FILE_NAME, Plan, PlannedBenchmark, read_plan};
use benchwright_harness::Project as HarnessProject;
use benchwright_model::BenchmarkId;
use benchwright_report::compare_plan::PlannedComparison;
use benchwright_report::reduction::{ReducedBenchmark, ReductionReport};
use benchwright_runner::Repository;

use super::comparing::{self, Planner};
use crate::leveled::Leveled;
use crate::listener::Silent;
use crate::problem::{Problem, because};
use crate::project::Project;
use crate::request::{Selection, Workspace};
use crate::{follow, project, run_id};

/// Where to write a plan.
#[derive(Clone, Copy)]
pub struct PlanTarget<'a> {
    /// Where to look for the repository.
    pub workspace: &'a Workspace,
    /// The file. `None` is the plan of the repository, if all results are stored runs.
    pub file: Option<&'a Path>,
    /// Whether only some benchmarks were asked for, so that the entries of the others stay.
    pub is_part: bool,
}

/// Writes the plan to the given file, or for stored runs to the plan of the repository. Returns the file, if
/// one was written, and the number of its benchmarks.
pub fn write(
    target: PlanTarget<'_>,
    sets: &[Leveled],
    mut plan: Plan,
) -> Result<Option<(PathBuf, usize)>, Problem> {
    let Some(path) = self::path(target, sets)? else { return Ok(None) };
    check_twice(sets)?;
    add_codes(target.workspace, sets, &mut plan);
    if target.is_part {
        keep_others(&mut plan, &path)?;
    }
    write_file(&path, &plan)?;
    Ok(Some((path, plan.benchmarks.len())))
}

/// The file to write, if any.
fn path(target: PlanTarget<'_>, sets: &[Leveled]) -> Result<Option<PathBuf>, Problem> {
    let directory = target.workspace.directory()?;
    match target.file {
        Some(path) => Ok(Some(directory.join(path))),
        None if sets.iter().any(|set| set.source.run.is_none()) => Ok(None),
        None => Ok(Some(project::work_tree(&Repository::discover(&directory)?)?.join(PLAN_FILE_NAME))),
    }
}

/// Writes a plan completely or not at all.
pub fn write_file(path: &Path, plan: &Plan) -> Result<(), Problem> {
    let beside = path.with_extension("toml.new");
    let written = std::fs::write(&beside, plan.to_string()).and_then(|()| std::fs::rename(&beside, path));
    written
        .map_err(|error| Problem::failed(because(format!("write the plan `{}`", path.display()), error), ""))
}

/// Fails if two sets have the same benchmark, because a plan has one entry per benchmark.
fn check_twice(sets: &[Leveled]) -> Result<(), Problem> {
    let mut seen = std::collections::BTreeSet::new();
    let all = sets.iter().flat_map(|set| &set.benchmarks);
    match all.map(|benchmark| &benchmark.id).find(|id| !seen.insert(*id)) {
        None => Ok(()),
        Some(id) => {
            let error = format!("write one plan: `{id}` is in several sets of results");
            Err(Problem::misuse(error, "name one with --from, or give --no-plan"))
        }
    }
}

/// The plan of all benchmarks that were reduced.
pub fn of_stability(sets: &[Leveled], report: &ReductionReport) -> Plan {
    let usual = usual_metric(&report.benchmarks).to_lowercase();
    let benchmarks = stability_entries(sets, &report.benchmarks, &usual);
    let (threshold, mode) = (report.options.threshold, report.options.mode.name().to_owned());
    made(sets, Goal::Stability { metric: usual, threshold, mode }, benchmarks)
}

/// The plan of all benchmarks that were planned for comparisons.
pub fn of_comparing(
    sets: &[Leveled],
    wanted: &Wanted,
    entries: BTreeMap<BenchmarkId, PlannedBenchmark>,
) -> Plan {
    let Wanted { change, power, false_alarms, .. } = *wanted;
    made(sets, Goal::Compare { change, power, false_alarms }, entries)
}

fn made(sets: &[Leveled], goal: Goal, benchmarks: BTreeMap<BenchmarkId, PlannedBenchmark>) -> Plan {
    Plan {
        made: run_id::text(run_id::now()),
        by: env!("CARGO_PKG_VERSION").into(),
        goal,
        sources: sets.iter().map(|set| (set.source.project.clone(), set.origin.clone())).collect(),
        benchmarks,
    }
}

fn usual_metric(benchmarks: &[ReducedBenchmark]) -> &'static str {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for benchmark in benchmarks {
        *counts.entry(benchmark.metric).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, n)| *n).map_or("", |(metric, _)| metric)
}

/// An entry for every reduced benchmark. The entry names its metric unless it is `usual`.
pub fn stability_entries(
    sets: &[Leveled],
    benchmarks: &[ReducedBenchmark],
    usual: &str,
) -> BTreeMap<BenchmarkId, PlannedBenchmark> {
    let entry = |benchmark: &ReducedBenchmark| {
        let (set, metric) = (&sets[benchmark.source], benchmark.metric.to_lowercase());
        let reduction = &benchmark.reduction;
        let named = |name: &str| {
            let at = benchmark.levels.iter().position(|level| level.name == name);
            at.and_then(|at| reduction.chosen.configuration.0.get(at)).copied()
        };
        // Without suite runs there are two levels, whatever their names: processes and the values they
        // measure.
        let (second, iteration) = match reduction.chosen.configuration.0.as_slice() {
            [.., processes, values] => (*values, *processes),
            [values] => (*values, 1),
            [] => (1, 1),
        };
        let planned = PlannedBenchmark {
            source: set.source.project.clone(),
            instances: named("instance").unwrap_or(1),
            levels: Levels { run: named("suite run").unwrap_or(1), iteration, second },
            metric: (metric != usual).then_some(metric),
            instability: reduction.chosen.instability,
            is_stable: reduction.is_stable,
            seconds: reduction.chosen.total_seconds(),
            full_seconds: reduction.full.total_seconds(),
            code: None,
            duets: None,
            iterations: None,
            iteration_time: unusual(set.iteration_time),
        };
        (benchmark.id.clone(), planned)
    };
    benchmarks.iter().map(entry).collect()
}

/// A benchmark that is undecided after the planned number of duets continues up to this many times that
/// number. Noise is often twice what it was, and twice the noise needs four times the duets. Also, the plan
/// is made to find changes; showing that there is none takes longer.
const SLACK: u32 = 4;

/// An entry for every benchmark that was planned for comparisons.
pub fn comparing_entries(
    sets: &[Leveled],
    benchmarks: &[PlannedComparison],
    planner: &Planner<'_>,
) -> BTreeMap<BenchmarkId, PlannedBenchmark> {
    let entry = |benchmark: &PlannedComparison| {
        let set = &sets[benchmark.source];
        let measured = set.benchmarks.iter().find(|one| one.id == benchmark.id)?;
        let (plan, costs) = (&benchmark.plan, comparing::costs(measured));
        let levels = measured.series.levels();
        let values = measured.series.full().sequential(levels);
        let recorded = levels.last().map_or(1, |level| level.size);
        let processes = values / u64::from(recorded.max(1));
        let usual = planner.usual(set, measured);
        let iteration_time = usual.map_or(set.iteration_time, |usual| Some(usual.iteration_time));
        // The usual number is not written, so that the stop rules of a harness can choose another one.
        let is_usual = usual.is_some_and(|usual| usual.iterations == plan.iterations);
        let slack = if planner.budget.is_some() { 1 } else { SLACK };
        let cap = plan.processes.saturating_mul(slack).min(usual.map_or(u32::MAX, |usual| usual.most_duets));
        let planned = PlannedBenchmark {
            source: set.source.project.clone(),
            instances: 1,
            levels: Levels { run: 1, iteration: plan.processes, second: plan.iterations },
            metric: None,
            instability: None,
            is_stable: plan.is_reached(),
            seconds: plan.predicted_seconds / 2.0,
            full_seconds: processes as f64 * costs.process(recorded),
            code: None,
            duets: Some(DuetRange { floor: plan.floor, cap: cap.max(plan.floor) }),
            iterations: (!is_usual).then_some(plan.iterations),
            iteration_time: unusual(iteration_time),
        };
        Some((benchmark.id.clone(), planned))
    };
    benchmarks.iter().filter_map(entry).collect()
}

/// The length of iterations, unless it is the usual one.
fn unusual(time: Option<Duration>) -> Option<Duration> {
    time.filter(|time| *time != follow::SECOND)
}

/// Adds the fingerprints of the benchmarks' own code, if the files of the version still exist. Without them
/// the plan works, but changes of code that make it out of date are not noticed.
fn add_codes(workspace: &Workspace, sets: &[Leveled], plan: &mut Plan) {
    let built: Vec<_> = sets.iter().filter_map(|set| set.built.as_ref()).collect();
    if built.is_empty() {
        return;
    }
    let Ok(project) = Project::open(workspace, &Selection::default(), Default::default(), &mut Silent) else {
        return;
    };
    for (version, builds) in built {
        let Ok(checkout) = project.cache.checkout(&project.repository, version) else { continue };
        for (id, planned) in plan.benchmarks.iter_mut().filter(|(_, planned)| planned.code.is_none()) {
            let has_it = |package: &str| package == id.package;
            let build = builds.iter().find(|build| {
                build.harness == id.harness && build.executables.iter().any(|one| has_it(&one.package))
            });
            let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
            if let (Some(build), Some(harness)) = (build, harness) {
                let of = HarnessProject { harness: build.harness.clone(), dir: build.dir.clone().into() };
                planned.code = harness.own_code(&checkout.root, &of, id).map(|code| code.fingerprint());
            }
        }
    }
}

/// Takes over the entries of benchmarks that were not asked for this time.
fn keep_others(plan: &mut Plan, path: &Path) -> Result<(), Problem> {
    if !path.is_file() {
        return Ok(());
    }
    let (old, _) = read_plan(path)?;
    if old.goal != plan.goal {
        let error = format!("renew a part of `{}`: it was made with other settings", path.display());
        return Err(Problem::misuse(
            error,
            "leave out --filter and --skip, or write to another file with --plan",
        ));
    }
    for (id, planned) in old.benchmarks {
        plan.benchmarks.entry(id).or_insert(planned);
    }
    for (name, source) in old.sources {
        plan.sources.entry(name).or_insert(source);
    }
    plan.drop_unused_sources();
    Ok(())
}
