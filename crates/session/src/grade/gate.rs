//! Whether a gate works: slowed code has to fail it, unchanged code has to pass.

use std::time::Instant;

use benchwright_config::FailOn;
use benchwright_model::Version;
use benchwright_probe::Change;
use benchwright_report::gate::Gate;
use benchwright_report::grade::{GateTrial, GradeReport};

use super::calls;
use super::source::Source;
use super::suite::SuiteRequest;
use super::{Graded, grade_store};
use crate::compare::{self, CompareRequest};
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;
use crate::{decide, keep};

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
    let locks = keep::lock(&project, listener)?;
    project.is_measuring = true;
    let function = function(&project, &source, request, listener)?;
    drop(locks);
    let mut trial = GateTrial {
        function: source.functions[function].address(),
        settings: described(&project),
        ..GateTrial::default()
    };
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
                format!("cannot slow `{function}` down: {reason}"),
                "--function names another",
            ));
        }
        let (mut failed, mut tried) = (0, 0);
        for _ in 0..request.times {
            failed += u32::from(attempt(&slowed, &mut trial)?);
            tried += 1;
        }
        trial.slowdowns.push((*slowdown, failed, tried));
    }
    trial.seconds = began.elapsed().as_secs_f64() / f64::from(comparisons.max(1));
    let report = GradeReport {
        title: version.title(),
        gate: Some(trial),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        ..GradeReport::default()
    };
    Ok(Graded { report, problems: Vec::new(), is_interrupted: project.interrupt.is_set() })
}

/// What decides whether the gate fails.
fn described(project: &Project) -> String {
    let settings = &project.settings;
    let budget =
        settings.schedule.budget.map(|it| format!(", budget {}", benchwright_config::format_duration(it)));
    format!("threshold {}{}", super::threshold(settings), budget.unwrap_or_default())
}

/// The function that is slowed down.
fn function(
    project: &Project,
    source: &Source,
    request: &GateRequest,
    listener: &mut dyn Listener,
) -> Result<usize, Problem> {
    if let Some(text) = &request.function {
        let found = benchwright_probe::find(&source.functions, text).map_err(|error| {
            Problem::misuse(error.to_string(), "an address, or the end of one: `Parser.parse`")
        })?;
        if let Some(problem) = &found.problem {
            return Err(Problem::misuse(
                format!("cannot slow `{found}` down: {problem}"),
                "--function names another",
            ));
        }
        return Ok(source.functions.iter().position(|it| std::ptr::eq(it, found)).unwrap_or_default());
    }
    let public = source.public();
    let (counting, _) = source.edited(project, &public, Change::Count, "calls counted")?;
    let called = calls::of_benchmarks(project, &request.suite.run.selection, &counting, None, listener)?;
    let benchmarks = |at: usize| {
        called.by_benchmark.values().filter(|records| records.get(at).is_some_and(|it| it.calls > 0)).count()
    };
    let most = (0..public.len()).max_by_key(|at| (benchmarks(*at), std::cmp::Reverse(*at)));
    match most.filter(|at| benchmarks(*at) > 0) {
        Some(at) => Ok(public[at]),
        None => Err(Problem::failed("no benchmark calls a public function", "--function names one")),
    }
}
