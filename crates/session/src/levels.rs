//! Measures one version over its levels of repetition.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use benchwright_analysis::predict::Prediction;
use benchwright_config::{Layer, Levels, Settings, format_duration};
use benchwright_model::{BenchmarkId, Diagnostic, Event, FailureSummary, Run, RunKind, Side, Version};
use benchwright_runner::{Build, LevelCounts, LevelsPlan, Measured, Shapes, levels};
use benchwright_store::RunRecord;
use benchwright_worker::Subject;

use crate::follow::{self, Followed, SECOND};
use crate::keep::{self, Kept, Locks, OpenedJournal, Recorder};
use crate::listener::Listener;
use crate::problem::Problem;
use crate::project::{COMMAND_HARNESS, Project};
use crate::request::{PlanChoice, Selection, Workspace};
use crate::stopping::{self, Purpose, Stops};
use crate::{decide, forecast, foretell, outside, prepare, run_id, stale};

/// What to measure.
#[derive(Clone, Default)]
pub struct RunRequest {
    /// The repository to work in, its configuration and the cache.
    pub workspace: Workspace,
    /// The version: anything `git rev-parse` takes. `None` means the working tree.
    pub revision: Option<String>,
    /// Settings that take precedence over the environment and the configuration file.
    pub settings: Layer,
    /// Which benchmarks to measure.
    pub selection: Selection,
    /// If given, only these of them are measured.
    pub only: Option<BTreeSet<BenchmarkId>>,
    /// Which plan to follow.
    pub plan: PlanChoice,
    /// How often to measure.
    pub repetition: Repetition,
}

/// How often benchmarks are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repetition {
    /// As the plan says. Without a plan it is a quick look: one pass, a few processes.
    #[default]
    Usual,
    /// As the levels in the settings say, even if there is a plan.
    Levels,
    /// So many passes over the suite with processes of the usual length, whatever a plan says.
    Passes(u32),
}

impl RunRequest {
    /// The plan to follow. `None` if the request says how often to repeat.
    fn followed(&self, project: &Project) -> Result<Option<Followed>, Problem> {
        match self.repetition {
            Repetition::Levels | Repetition::Passes(_) => Ok(None),
            Repetition::Usual => Followed::find(&project.root, &self.plan, &self.selection),
        }
    }
}

/// Plans a run and prepares everything for it: waits for other runs, and builds. With `resumed` it continues
/// an interrupted run, and `request` has to be the request of that run.
pub fn plan(
    request: &RunRequest,
    resumed: Option<OpenedJournal>,
    listener: &mut dyn Listener,
) -> Result<PlannedRun, Problem> {
    let mut project =
        Project::open(&request.workspace, &request.selection, request.settings.clone(), listener)?;
    decide::check_cores(&project.settings)?;
    let followed = request.followed(&project)?;
    let version = version(&project, request, resumed.as_ref())?;
    let locks = keep::lock(&project, listener)?;
    project.is_measuring = true;
    let drafted = draft(&project, request, version, followed, listener)?;
    Ok(PlannedRun { project, drafted, resumed, _locks: locks })
}

/// Predicts what a run would measure, and how long that would take.
pub fn preview(
    request: &RunRequest,
    resumed: Option<OpenedJournal>,
    listener: &mut dyn Listener,
) -> Result<RunPreview, Problem> {
    let project = Project::open(&request.workspace, &request.selection, request.settings.clone(), listener)?;
    let followed = request.followed(&project)?;
    let version = version(&project, request, resumed.as_ref())?;
    let drafted = draft(&project, request, version, followed, listener)?;
    drafted.notices.iter().for_each(|notice| listener.notice(notice));
    Ok(drafted.preview)
}

fn version(
    project: &Project,
    request: &RunRequest,
    resumed: Option<&OpenedJournal>,
) -> Result<Version, Problem> {
    Ok(match (resumed, &request.revision) {
        (Some(opened), _) => opened.content.header.run.head.clone(),
        (None, Some(revision)) => project.repository.resolve(revision)?,
        (None, None) if project.is_outside => outside::here(project, &request.workspace)?,
        (None, None) => project.repository.snapshot(&project.cache)?.version,
    })
}

/// The benchmarks that will be measured, and the predicted time.
pub struct RunPreview {
    /// The benchmarks to measure, and how.
    pub plan: LevelsPlan,
    /// The predicted time.
    pub prediction: Prediction,
    /// The plan that is followed.
    pub followed: Option<Followed>,
}

/// A plan and everything needed to carry it out.
struct Draft {
    preview: RunPreview,
    build: Build,
    run: Run,
    notices: Vec<Diagnostic>,
}

/// Builds the version and decides everything that measuring depends on.
fn draft(
    project: &Project,
    request: &RunRequest,
    version: Version,
    followed: Option<Followed>,
    listener: &mut dyn Listener,
) -> Result<Draft, Problem> {
    let arguments = prepare::arguments(project, &request.selection);
    let build = prepare::build(project, &version, Side::Head, &arguments, listener)?;
    let mut subjects = prepare::selected(project, &build);
    subjects.retain(|subject| request.only.as_ref().is_none_or(|only| only.contains(&subject.benchmark)));
    let usual = prepare::shapes(project, &arguments).into();
    let (plan, stops) = levels_plan(project, request, followed.as_ref(), (subjects, usual))?;
    if project.given.has_samples {
        refuse_other_samples(project, &plan)?;
    }
    if plan.subjects.is_empty() {
        return Err(prepare::no_benchmarks("in this version", &build));
    }
    let Stops { mut notices, settings } = stops;
    let run = new_run(project, version, (&plan, settings), &build, followed.as_ref());
    let told = |followed: &Followed| stale::notices(project, &build, &run, followed, "measured in full");
    notices.extend(followed.as_ref().map(told).unwrap_or_default());
    let prediction = forecast::levels(project, &plan, followed.as_ref(), listener);
    Ok(Draft { preview: RunPreview { plan, prediction, followed }, build, run, notices })
}

/// A run that is built, planned and ready to be measured. It holds the lock of the machine until it is
/// dropped.
pub struct PlannedRun {
    project: Project,
    drafted: Draft,
    resumed: Option<OpenedJournal>,
    _locks: Locks,
}

impl PlannedRun {
    /// A preview of the plan.
    pub fn preview(&self) -> &RunPreview {
        &self.drafted.preview
    }

    /// The settings it was planned with.
    pub fn settings(&self) -> &Settings {
        &self.project.settings
    }

    /// Measures the run and stores the results in any case. Errors are among the
    /// [problems](FinishedRun::problems).
    pub fn run(self, listener: &mut dyn Listener) -> Result<FinishedRun, Problem> {
        let PlannedRun { project, drafted, resumed, _locks } = self;
        let Draft { preview, build, run, notices } = drafted;
        let ids: Vec<BenchmarkId> =
            preview.plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect();
        let benchmarks = ids.len() as u32;
        let mut kept = Kept::start(&project, run.clone(), ids, identity(&build), resumed, listener)?;
        let mut place = keep::here(&project)?;
        let RunPreview { plan, prediction, followed } = preview;
        let enough = foretell::enough(&prediction, plan.budget);
        let predicted = Some(prediction.range);
        listener.event(&Event::Started { run: Box::new(run), benchmarks, predicted, enough });
        let recalled = std::mem::take(&mut kept.recalled);
        let mut recorder = Recorder { journal: &mut kept.journal, listener };
        let measured = levels(&plan, &mut place, recalled, &project.interrupt, &mut recorder);
        Ok(conclude(&project, &build, kept, measured, followed.as_ref(), notices))
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct FinishedRun {
    /// Everything that was stored.
    pub record: RunRecord,
    /// The settings it was planned with.
    pub settings: Settings,
    /// Failed trials by benchmark.
    pub failures: Vec<FailureSummary>,
    /// Why it ended early, and what could not be stored. The results are valid nevertheless.
    pub problems: Vec<Problem>,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
    /// Whether resuming it later saves any work.
    pub can_go_on: bool,
}

/// Stores what was measured.
fn conclude(
    project: &Project,
    build: &Build,
    kept: Kept,
    measured: Measured,
    followed: Option<&Followed>,
    notices: Vec<Diagnostic>,
) -> FinishedRun {
    let unstable = followed.map(|followed| {
        let found = stale::unstable(&followed.plan, &measured.trials);
        stale::diagnostics(&followed.file, &found, "")
    });
    let record = RunRecord {
        run: Run { ended_at: Some(run_id::now()), ..kept.run.clone() },
        trials: measured.trials,
        comparison: None,
        instances: Vec::new(),
        builds: prepare::records(Side::Head, build),
        diagnostics: [build.diagnostics.clone(), measured.diagnostics, notices, unstable.unwrap_or_default()]
            .concat(),
        is_partial: measured.is_partial,
    };
    let saved = kept.save(project, &record);
    FinishedRun {
        can_go_on: keep::can_go_on(&record),
        is_interrupted: record.is_partial && project.interrupt.is_set(),
        record,
        settings: project.settings.clone(),
        failures: measured.failures,
        problems: measured.error.map(Problem::from).into_iter().chain(saved.err()).collect(),
    }
}

/// Fails if the trials of a benchmark cannot take the number of samples per process that was asked for.
fn refuse_other_samples(project: &Project, plan: &LevelsPlan) -> Result<(), Problem> {
    for subject in &plan.subjects {
        let id = &subject.benchmark;
        let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
        let (Some(harness), Some(program), Ok(shape)) = (harness, &subject.head, plan.shapes.of(id)) else {
            continue;
        };
        if let Some(why) = harness.other_samples(&program.executable, shape) {
            let error = format!("`second={}` is not possible for `{id}`: {why}", shape.iterations);
            return Err(Problem::misuse(error, "leave `second` out, or leave the benchmark out with --skip"));
        }
    }
    Ok(())
}

/// The run as it begins.
fn new_run(
    project: &Project,
    version: Version,
    (plan, of_stops): (&LevelsPlan, BTreeMap<String, String>),
    build: &Build,
    followed: Option<&Followed>,
) -> Run {
    let mut settings = decide::record(&project.settings, &plan_rule(project));
    settings.extend(of_stops);
    // The numbers that the processes of this run get, which may differ from those of comparisons.
    let first = plan.subjects.first().map(|subject| plan.shapes.by_harness.get(&subject.benchmark.harness));
    if let Some(shape) = first.flatten() {
        settings.insert("iterations".into(), shape.iterations.to_string());
        settings.insert("iteration-time".into(), format_duration(shape.iteration_time));
    }
    match (followed, plan.counts.first()) {
        (Some(followed), _) => {
            let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
            settings.insert("plan".into(), followed.digest(ids));
        }
        (None, Some(LevelCounts { suite_runs, iterations })) => {
            settings.insert("levels".into(), format!("run={suite_runs},iteration={iterations}"));
        }
        (None, None) => {}
    }
    keep::new_run(RunKind::Levels, None, version, plan.seed).with_settings(settings, [build])
}

/// What must be the same for a run to be resumed, in addition to its settings.
fn identity(build: &Build) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("build".to_owned(), build.key.clone()),
        ("benchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ])
}

/// The rule that a run of one version records. It has no verdicts, but a later comparison may use the rule.
fn plan_rule(project: &Project) -> benchwright_analysis::Rule {
    decide::judge(&project.settings, 0).rule
}

/// The plan of these subjects. Their trials have these shapes unless settings or a plan file change them.
fn levels_plan(
    project: &Project,
    request: &RunRequest,
    followed: Option<&Followed>,
    (subjects, mut shapes): (Vec<Subject>, Shapes),
) -> Result<(LevelsPlan, Stops), Problem> {
    let (settings, given) = (&project.settings, &project.given);
    // Without levels and without a plan a run is a quick look: one pass, a few processes of the usual length.
    let is_whole = request.repetition == Repetition::Levels || followed.is_some();
    let usual = match request.repetition {
        Repetition::Passes(runs) => Levels { run: runs, iteration: 1, second: 0 },
        _ if is_whole => settings.levels,
        _ => Levels { run: 1, iteration: 5, second: 0 },
    };
    for (harness, shape) in &mut shapes.by_harness {
        if is_whole {
            shape.iterations = usual.second;
        }
        if is_whole && !given.has_iteration_time {
            // A sample of a command is one run of it. Iterations with a minimum time would run it more often
            // than asked for.
            let is_exact = harness == COMMAND_HARNESS && given.has_samples;
            shape.iteration_time = if is_exact { Duration::from_nanos(1) } else { SECOND };
        }
    }
    if let Some(followed) = followed {
        let ids = subjects.iter().map(|subject| &subject.benchmark);
        followed.shape(&mut shapes, ids, given, follow::exactly);
    }
    let counts = subjects.iter().map(|subject| {
        let planned = followed.and_then(|followed| followed.planned(&subject.benchmark));
        let levels = planned.map_or(usual, |planned| planned.levels);
        LevelCounts { suite_runs: levels.run, iterations: levels.iteration }
    });
    let counts = counts.collect();
    let seed = settings.schedule.seed.unwrap_or_else(run_id::fresh_seed);
    let purpose = match request.repetition {
        // Processes as comparisons have them.
        Repetition::Passes(_) => Purpose::Comparison,
        _ if is_whole => Purpose::Levels,
        _ => Purpose::QuickLook,
    };
    let (shapes, stops) = stopping::choose(project, shapes, &subjects, (purpose, seed))?;
    let plan = LevelsPlan {
        counts,
        subjects,
        shapes,
        fillers: settings.schedule.fillers,
        limits: decide::trial_limits(settings, true),
        cores: decide::cores(settings),
        niceness: settings.schedule.niceness,
        seed,
        budget: settings.schedule.budget,
    };
    Ok((plan, stops))
}
