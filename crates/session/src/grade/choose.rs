//! Which benchmarks to run: those that call what changed, or the best for a given time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use benchwright_analysis::grade::{self as analysis, Candidate};
use benchwright_model::{BenchmarkId, Diagnostic, Version};
use benchwright_probe::{Change, Record};
use benchwright_report::grade::{GradeReport, Selection};

use super::Graded;
use super::calls;
use super::source::Source;
use super::suite::{self, Measured, SuiteRequest};
use crate::decide;
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::Project;

/// What to choose.
#[derive(Clone)]
pub struct ChooseRequest {
    /// The version, and how the times of its benchmarks are measured if they are not known.
    pub suite: SuiteRequest,
    /// Only benchmarks that call functions which differ from this version.
    pub changed: Option<String>,
    /// The time that one run of them may take.
    pub budget: Option<Duration>,
}

/// Chooses benchmarks by the functions that they call.
pub fn choose(request: &ChooseRequest, listener: &mut dyn Listener) -> Result<Graded, Problem> {
    let run = &request.suite.run;
    let mut project = Project::open(&run.workspace, &run.selection, run.settings.clone(), listener)?;
    decide::check_cores(&project.settings)?;
    let version = super::version(&project, run.revision.as_deref())?;
    let source = Source::read(&project, &version)?;
    let (functions, what) = match &request.changed {
        None => (source.public(), "public functions".to_owned()),
        Some(base) => {
            let base = project.repository.resolve(base)?;
            let functions = changed(&project, &source, &base)?;
            (functions, format!("functions that changed since {}", base.title()))
        }
    };
    if functions.is_empty() {
        let error = format!("no {what} that could be counted");
        return Err(Problem::failed(error, "a change to data, tests or build files needs the whole suite"));
    }
    project.is_measuring = true;
    let (counting, skipped) = source.edited(&project, &functions, Change::Count, "calls counted")?;
    let called = calls::of_benchmarks(&project, &run.selection, &counting, (None, calls::MOMENT), listener)?;
    let ids: Vec<BenchmarkId> = called.by_benchmark.keys().cloned().collect();
    let (times, mut diagnostics) = suite::measured_or_stored(&request.suite, &version, &ids, listener)?;
    diagnostics.extend(called.diagnostics);
    // What changed and cannot be counted may be called by any benchmark.
    if request.changed.is_some() {
        diagnostics.extend(skipped.iter().map(|(function, reason)| {
            Diagnostic::warning(function, format!("changed, and its calls cannot be counted: {reason}"))
        }));
    }
    let candidates = candidates(&called.by_benchmark, &times);
    let reaching: BTreeSet<usize> =
        (0..candidates.len()).filter(|at| !candidates[*at].covers.is_empty()).collect();
    let (kept, is_best): (Vec<usize>, bool) = match (request.budget, &request.changed) {
        (Some(budget), _) => {
            let kept = analysis::best_within(&candidates, budget.as_secs_f64());
            (kept.candidates, kept.is_best)
        }
        (None, Some(_)) => (reaching.into_iter().collect(), true),
        (None, None) => {
            let kept = analysis::cheapest_cover(&candidates);
            (kept.candidates, kept.is_best)
        }
    };
    let covered = |of: &[usize]| -> BTreeSet<usize> {
        of.iter().flat_map(|at| candidates[*at].covers.clone()).collect()
    };
    let (found, all) = (covered(&kept), covered(&(0..ids.len()).collect::<Vec<_>>()));
    let cost = |of: &[usize]| of.iter().map(|at| candidates[*at].cost).sum::<f64>();
    let selection = Selection {
        goal: goal(request, &what),
        kept: kept.iter().map(|at| ids[*at].to_string()).collect(),
        seconds: [cost(&kept), cost(&(0..ids.len()).collect::<Vec<_>>())],
        covered: [found.len(), all.len()],
        lost: all.difference(&found).map(|at| source.functions[functions[*at]].address()).collect(),
        is_best,
    };
    let report = GradeReport {
        title: version.title(),
        selection: Some(selection),
        diagnostics,
        tool_version: env!("CARGO_PKG_VERSION").into(),
        ..GradeReport::default()
    };
    Ok(Graded { report, problems: Vec::new(), is_interrupted: project.interrupt.is_set() })
}

/// The functions that each benchmark calls, and the time of one run of it.
fn candidates(called: &BTreeMap<BenchmarkId, Vec<Record>>, times: &Measured) -> Vec<Candidate> {
    let seconds: BTreeMap<BenchmarkId, f64> =
        times.spreads().into_iter().map(|(id, (_, seconds))| (id, seconds)).collect();
    let candidate = |(id, records): (&BenchmarkId, &Vec<Record>)| {
        let covers = records.iter().enumerate().filter(|(_, record)| record.calls > 0).map(|(at, _)| at);
        Candidate { covers: covers.collect(), cost: seconds.get(id).copied().unwrap_or_default() }
    };
    called.iter().map(candidate).collect()
}

fn goal(request: &ChooseRequest, what: &str) -> String {
    match (request.budget, &request.changed) {
        (Some(budget), _) => {
            format!("as many {what} as possible, in {}", benchwright_config::format_duration(budget))
        }
        (None, Some(_)) => format!("all benchmarks that call {what}"),
        (None, None) => format!("the least time that reaches as many {what} as the whole suite"),
    }
}

/// The functions that the base does not have, or has with another text.
fn changed(project: &Project, source: &Source, base: &Version) -> Result<Vec<usize>, Problem> {
    let before = Source::read(project, base)?;
    let mut texts: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (at, function) in before.functions.iter().enumerate() {
        texts.entry(function.address()).or_default().insert(before.text_of(at));
    }
    let is_changed = |at: &usize| {
        let function = &source.functions[*at];
        function.problem.is_none()
            && !texts.get(&function.address()).is_some_and(|known| known.contains(source.text_of(*at)))
    };
    Ok((0..source.functions.len()).filter(is_changed).collect())
}
