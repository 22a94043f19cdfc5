//! Whether a gate works: slowed code has to fail it, unchanged code has to pass.

use std::collections::BTreeSet;
use std::time::Instant;

use benchwright_config::FailOn;
use benchwright_model::{BenchmarkId, Version};
use benchwright_probe::{Change, Record};
use benchwright_report::gate::Gate;
use benchwright_report::grade::{GateTrial, GradeReport, TriedSlowdown};

use super::calls;
use super::source::Source;
use super::suite::SuiteRequest;
use super::{Graded, grade_store};
use crate::compare::{self, CompareRequest};
use crate::decide;
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;

/// What to try.
#[derive(Clone)]
pub struct GateRequest {
    /// The version and the settings of the gate.
    pub suite: SuiteRequest,
    /// The function that is slowed down; none: the public one that most benchmarks call.
    pub function: Option<String>,
    /// Slowdowns, smallest first.
    pub slowdowns: Vec<f64>,
    /// How often each is tried, and unchanged code.
    pub times: u32,
}

/// Tries the gate.
pub fn grade(request: &GateRequest, listener: &mut dyn Listener) -> Result<Graded, Problem> {
    let run = &request.suite.run;
    let mut project = Project::open(&run.workspace, &run.selection, run.settings.clone(), listener)?;
    decide::check_cores(&project.settings)?;
    if project.settings.decision.fail_on == FailOn::Never {
        let error = "`fail-on` is `never`: the gate passes whatever becomes slower";
        return Err(Problem::misuse(error, "set `fail-on = \"slower\"` or leave it out"));
    }
    let version = super::version(&project, run.revision.as_deref())?;
    let source = Source::read(&project, &version)?;
    project.is_measuring = true;
    let (function, reaching) = function(&project, &source, request, listener)?;
    let mut trial = GateTrial {
        function: source.functions[function].address(),
        settings: described(&project),
        ..GateTrial::default()
    };
    let mut slowed_versions = Vec::new();
    let mut comparisons = 0;
    let began = Instant::now();
    let mut attempt = |head: &Version, trial: &mut GateTrial| -> Result<bool, Problem> {
        let mut workspace = run.workspace.clone();
        workspace.results = Some(grade_store(&project));
        let compared = CompareRequest {
            workspace,
            settings: run.settings.clone(),
            selection: run.selection.clone(),
            versions: Some(Box::new((version.clone(), head.clone()))),
            measures_identical: head.tree == version.tree,
            ..CompareRequest::default()
        };
        let finished = compare::plan(&compared, None, listener)?.run(listener)?;
        comparisons += 1;
        if let Some(problem) = finished.problems.into_iter().next() {
            return Err(problem);
        }
        let decision = &finished.settings.decision;
        let failed = finished.comparison.findings.iter().any(|finding| finding.fails);
        let could_see = Gate::of(&finished.comparison, decision.require_decided).could_see();
        trial.blind += u32::from(!could_see && !failed);
        Ok(failed)
    };
    for _ in 0..request.times {
        let failed = attempt(&version, &mut trial)?;
        trial.false_alarms = (trial.false_alarms.0 + u32::from(failed), trial.false_alarms.1 + 1);
    }
    for slowdown in &request.slowdowns {
        let change = Change::SlowDown { factor: *slowdown };
        let label = format!("{} slower by {:.0} %", trial.function, 100.0 * slowdown);
        let (slowed, skipped) = source.edited(&project, &[function], change, &label)?;
        if let Some((function, reason)) = skipped.first() {
            return Err(Problem::failed(
                format!("slow `{function}` down: {reason}"),
                "--function names another",
            ));
        }
        let mut tried = TriedSlowdown { slowdown: *slowdown, ..TriedSlowdown::default() };
        for _ in 0..request.times {
            tried.failed += u32::from(attempt(&slowed, &mut trial)?);
            tried.tried += 1;
        }
        trial.slowdowns.push(tried);
        slowed_versions.push(slowed);
    }
    trial.seconds = began.elapsed().as_secs_f64() / f64::from(comparisons.max(1));
    measure(&project, request, (&mut trial, &slowed_versions), reaching, listener)?;
    let report = GradeReport {
        title: version.title(),
        gate: Some(trial),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        ..GradeReport::default()
    };
    Ok(Graded { report, problems: Vec::new(), is_interrupted: project.interrupt.is_set() })
}

/// Measures inside the programs what the slowdowns became, by a benchmark that calls the function.
fn measure(
    project: &Project,
    request: &GateRequest,
    (trial, slowed): (&mut GateTrial, &[Version]),
    reaching: BenchmarkId,
    listener: &mut dyn Listener,
) -> Result<(), Problem> {
    let only = BTreeSet::from([reaching]);
    let selection = &request.suite.run.selection;
    for (tried, slowed) in trial.slowdowns.iter_mut().zip(slowed) {
        let called =
            calls::of_benchmarks(project, selection, slowed, (Some(&only), calls::A_WHILE), listener)?;
        tried.real = called.by_benchmark.values().find_map(|records| calls::slowdown(records.first()?));
    }
    Ok(())
}

/// What decides whether the gate fails.
fn described(project: &Project) -> String {
    let settings = &project.settings;
    let budget =
        settings.schedule.budget.map(|it| format!(", budget {}", benchwright_config::format_duration(it)));
    format!("threshold {}{}", super::threshold(settings), budget.unwrap_or_default())
}

/// The function that is slowed down, and a benchmark that calls it.
fn function(
    project: &Project,
    source: &Source,
    request: &GateRequest,
    listener: &mut dyn Listener,
) -> Result<(usize, BenchmarkId), Problem> {
    let candidates = match &request.function {
        Some(text) => vec![source.find(text)?],
        None => source.public(),
    };
    let (counting, _) = source.edited(project, &candidates, Change::Count, "calls counted")?;
    let called = calls::of_benchmarks(
        project,
        &request.suite.run.selection,
        &counting,
        (None, calls::MOMENT),
        listener,
    )?;
    let callers = |at: usize| {
        let calls = move |records: &Vec<Record>| records.get(at).is_some_and(|it| it.calls > 0);
        called.by_benchmark.iter().filter(move |(_, records)| calls(records)).map(|(id, _)| id)
    };
    let most = (0..candidates.len()).max_by_key(|at| (callers(*at).count(), std::cmp::Reverse(*at)));
    let found = most.and_then(|at| Some((candidates[at], callers(at).next()?.clone())));
    found.ok_or_else(|| {
        let what =
            request.function.as_ref().map_or("a public function".to_owned(), |text| format!("`{text}`"));
        Problem::failed(format!("no benchmark calls {what}"), "--function names another")
    })
}
