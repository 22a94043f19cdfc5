//! From a reduction to `benchwright.plan.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use benchwright_config::{Goal, Levels, PLAN_FILE_NAME, Plan, PlanSource, PlannedBenchmark, find_plan, read_plan};
use benchwright_model::Environment;
use benchwright_report::reduction::{ReducedBenchmark, ReductionReport};
use benchwright_runner::Repository;

use crate::args::{Global, ReduceArgs};
use crate::commands::show;
use crate::leveled::Leveled;
use crate::output::to_file;
use crate::problem::Problem;
use crate::progress::count;
use crate::terminal::Terminal;
use crate::{project, run_id};

/// Writes the plan: where it was asked for, and for a stored run in a repository anyway.
pub(super) fn write(
    global: &Global,
    args: &ReduceArgs,
    sets: &[Leveled],
    report: &ReductionReport,
    terminal: Terminal,
) -> Result<(), Problem> {
    let Some(path) = target(global, args, sets)? else { return Ok(()) };
    let mut plan = made(sets, report)?;
    if args.filter.is_some() || args.skip.is_some() {
        keep_others(&mut plan, &path)?;
    }
    to_file(&path, |out| write!(out, "{plan}"))?;
    let benchmarks = count(u32::try_from(plan.benchmarks.len()).unwrap_or(u32::MAX), "benchmark");
    terminal.say(&format!("wrote {} ({benchmarks}); commit it, and `run` and `compare` follow it", path.display()));
    Ok(())
}

/// The file to write, if any.
fn target(global: &Global, args: &ReduceArgs, sets: &[Leveled]) -> Result<Option<PathBuf>, Problem> {
    if args.no_plan {
        return Ok(None);
    }
    if let Some(path) = &args.plan {
        return Ok(Some(project::directory(global)?.join(path)));
    }
    if sets.iter().any(|set| set.source.run.is_none()) {
        return Ok(None);
    }
    let root = project::work_tree(&Repository::discover(&project::directory(global)?)?)?;
    Ok(Some(root.join(PLAN_FILE_NAME)))
}

/// The plan of everything that was reduced.
fn made(sets: &[Leveled], report: &ReductionReport) -> Result<Plan, Problem> {
    let usual = usual_metric(&report.benchmarks);
    let mut plan = Plan {
        made: show::time(run_id::now()),
        by: report.tool_version.clone(),
        goal: Goal::Stability {
            metric: usual.to_lowercase(),
            threshold: report.options.threshold,
            mode: report.options.mode.name().to_owned(),
        },
        sources: sets.iter().map(|set| (set.source.project.clone(), source(set))).collect(),
        benchmarks: BTreeMap::new(),
    };
    for benchmark in &report.benchmarks {
        let source = sets[benchmark.source].source.project.clone();
        let planned = planned(benchmark, source, usual);
        if plan.benchmarks.insert(benchmark.id.clone(), planned).is_some() {
            let error = anyhow::anyhow!("write one plan: `{}` is in several sets of results", benchmark.id);
            return Err(Problem::misuse(error, "name one with --from, or give --no-plan"));
        }
    }
    Ok(plan)
}

fn usual_metric(benchmarks: &[ReducedBenchmark]) -> &'static str {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for benchmark in benchmarks {
        *counts.entry(benchmark.metric).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, n)| *n).map_or("", |(metric, _)| metric)
}

/// What is said about where the numbers come from; of the environment, what decides whether results can be compared.
fn source(set: &Leveled) -> PlanSource {
    let harnesses: Vec<&str> = set.benchmarks.iter().map(|benchmark| benchmark.id.harness.as_str()).collect();
    let mut origin = set.origin.clone();
    let decides = |fact: &str| Environment::HARDWARE.contains(&fact) || harnesses.contains(&fact);
    origin.environment.retain(|fact, _| decides(fact));
    origin
}

fn planned(benchmark: &ReducedBenchmark, source: String, usual: &str) -> PlannedBenchmark {
    let reduction = &benchmark.reduction;
    let sizes = &reduction.chosen.configuration.0;
    let named = |names: &[&str]| {
        let at = benchmark.levels.iter().position(|level| names.contains(&level.name.as_str()));
        at.and_then(|at| sizes.get(at)).copied()
    };
    // Without suite runs the two levels there are, whatever their names, are processes and what they measure.
    let innermost = sizes.last().copied().unwrap_or(1);
    let processes = sizes.len().checked_sub(2).and_then(|at| sizes.get(at)).copied().unwrap_or(1);
    PlannedBenchmark {
        source,
        instances: named(&["instance"]).unwrap_or(1),
        levels: Levels { run: named(&["suite run"]).unwrap_or(1), iteration: processes, second: innermost },
        metric: (benchmark.metric != usual).then(|| benchmark.metric.to_lowercase()),
        instability: reduction.chosen.instability,
        is_stable: reduction.is_stable,
        seconds: reduction.chosen.total_seconds(),
        full_seconds: reduction.full.total_seconds(),
        code: None,
        duets: None,
        iterations: None,
        iteration_time: None,
    }
}

/// Takes over the entries of benchmarks that were not asked for this time.
fn keep_others(plan: &mut Plan, path: &Path) -> Result<(), Problem> {
    let Some(known) = path.parent().and_then(find_plan).filter(|known| known == path) else { return Ok(()) };
    let (old, _) = read_plan(&known)?;
    if old.goal != plan.goal {
        let error = anyhow::anyhow!("renew a part of `{}`: it was made with other settings", path.display());
        return Err(Problem::misuse(error, "leave --filter and --skip away, or write elsewhere with --plan"));
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
