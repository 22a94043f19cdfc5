//! Compares two versions: a request becomes a plan, which is then carried out.
//!
//! 1. [`CompareRequest`] names the versions, and the settings that differ from the repository's;
//! 2. [`plan`] builds both versions and decides what is measured, where and how. The result is a
//!    [`PlannedComparison`], which does not change afterwards. [`preview`] makes a plan only to show it: it
//!    does not wait for locks and contacts no other machine;
//! 3. [`PlannedComparison::run`] measures, and stores the results;
//! 4. [`FinishedComparison`] has the verdicts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use benchwright_analysis::Rule;
use benchwright_analysis::predict::{self, Prediction};
use benchwright_config::{Accepted, Layer, SettingError, Settings, ThresholdTable};
use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Event, Finding, Metric, Reason, Run, RunKind, Side, Trial, Verdict,
    Version,
};
use benchwright_places::Place;
use benchwright_runner::{
    Arguments, Build, BuildRelinker, ComparePlan, Compared, FIRST_DUETS, Repository, Shapes, compare,
};
use benchwright_store::{RunRecord, Store};
use benchwright_worker::Subject;

use crate::follow::Followed;
use crate::keep::{self, Kept, Locks, NewRun, OpenedJournal, Recorder};
use crate::listener::Listener;
use crate::place::{self, BoxedPlace, PlaceOrder, Placement};
use crate::prepare::{self, Matched};
use crate::problem::Problem;
use crate::project::Project;
use crate::request::{PlaceChoice, PlanChoice, Selection, Workspace};
use crate::stopping::{self, Purpose};
use crate::{accepted, decide, forecast, foretell, outside, run_id, stale};

/// A request for a comparison.
#[derive(Clone, Default)]
pub struct CompareRequest {
    /// The repository to work in, its configuration and the cache.
    pub workspace: Workspace,
    /// The old version: anything `git rev-parse` takes; `A..B` and `A...B` (merge base) work as in git.
    pub base: String,
    /// The new version. `None` means the working tree with its uncommitted changes.
    pub head: Option<String>,
    /// Settings that take precedence over the environment and the configuration file.
    pub settings: Layer,
    /// The versions, if they are known already, instead of `base` and `head`.
    pub versions: Option<Box<(Version, Version)>>,
    /// Which benchmarks.
    pub selection: Selection,
    /// Only these of them, if they are given.
    pub only: Option<BTreeSet<BenchmarkId>>,
    /// Which plan is followed.
    pub plan: PlanChoice,
    /// Where to measure.
    pub place: PlaceChoice,
    /// Whether benchmarks with identical builds are measured too.
    pub measures_identical: bool,
}

impl CompareRequest {
    /// Compares the working tree of the repository around `directory` with `base`.
    pub fn new(directory: impl Into<PathBuf>, base: impl Into<String>) -> CompareRequest {
        CompareRequest { workspace: Workspace::at(directory), base: base.into(), ..CompareRequest::default() }
    }

    /// Sets a setting by its name in `benchwright.toml`, such as `threshold` to `5%`.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        self.settings.set(key, value)
    }

    fn open(&self, listener: &mut dyn Listener) -> Result<Project, Problem> {
        if self.selection.against.is_none() {
            // Only a comparison of two commands works without a repository.
            Repository::discover(&self.workspace.directory()?)?;
        }
        let mut project = Project::open(&self.workspace, &self.selection, self.settings.clone(), listener)?;
        if self.place.is_here() {
            decide::check_cores(&project.settings)?;
        }
        place::adjust(&mut project, &self.place)?;
        Ok(project)
    }
}

/// Plans a comparison and prepares everything for it: waits for other runs, builds, and connects to the
/// place. With `resumed` it continues an interrupted comparison, and `request` has to be the request of that
/// comparison.
pub fn plan(
    request: &CompareRequest,
    resumed: Option<OpenedJournal>,
    listener: &mut dyn Listener,
) -> Result<PlannedComparison, Problem> {
    let mut project = request.open(listener)?;
    let versions = versions(&project, request, resumed.as_ref(), listener)?;
    let locks = keep::lock(&project, listener)?;
    project.is_measuring = true;
    let built = BuiltPair::of(&project, request, versions, listener)?;
    let new = built.new_run();
    // Requests that the interrupted run sent are stored at the place under its id.
    let id = resumed.as_ref().map_or(new.id(), |opened| &opened.content.header.run.id);
    let subjects = built.matched.subjects.clone();
    let has_fallback = request.place.has_fallback;
    let order = PlaceOrder { project: &project, run: id, builds: built.builds(), has_fallback };
    let placement = place::choose(&order, &request.place, subjects, listener)?;
    let drafted = draft(&project, request, &built, placement, new, listener)?;
    Ok(PlannedComparison { project, built, drafted, resumed, _locks: locks })
}

/// Predicts what a comparison would measure, and how long it would take.
pub fn preview(
    request: &CompareRequest,
    resumed: Option<OpenedJournal>,
    listener: &mut dyn Listener,
) -> Result<ComparisonPreview, Problem> {
    let project = request.open(listener)?;
    let versions = versions(&project, request, resumed.as_ref(), listener)?;
    let built = BuiltPair::of(&project, request, versions, listener)?;
    let placement = place::foretell(&project, &request.place, built.matched.subjects.clone())?;
    let new = built.new_run();
    let drafted = draft(&project, request, &built, placement, new, listener)?;
    // The diagnostics of programs for another processor were reported when these were built.
    let of_builds = if project.architecture.is_none() { built.diagnostics() } else { Vec::new() };
    of_builds.iter().chain(&drafted.notices).for_each(|notice| listener.notice(notice));
    Ok(ComparisonPreview { matched: built.matched, ..drafted.preview })
}

/// Base and head: as requested, or as recorded in the journal of the interrupted run.
fn versions(
    project: &Project,
    request: &CompareRequest,
    resumed: Option<&OpenedJournal>,
    listener: &mut dyn Listener,
) -> Result<(Version, Version), Problem> {
    if let Some(opened) = resumed {
        let run = &opened.content.header.run;
        if let Some(base) = run.base.clone() {
            return Ok((base, run.head.clone()));
        }
    }
    if let Some(versions) = &request.versions {
        return Ok((**versions).clone());
    }
    if let Some(against) = &request.selection.against {
        return outside::sides(project, &request.selection, against);
    }
    let base = if request.base.is_empty() { "HEAD" } else { &request.base };
    let pair = project.repository.resolve_pair(&project.cache, base, request.head.as_deref())?;
    pair.head.diagnostics.iter().for_each(|diagnostic| listener.notice(diagnostic));
    for diagnostic in benchwright_runner::surroundings(&project.cache, &project.repository) {
        listener.notice(&diagnostic);
    }
    Ok((pair.base, pair.head.version))
}

/// Both versions, built and matched.
struct BuiltPair {
    versions: (Version, Version),
    base: Build,
    head: Build,
    arguments: HashMap<String, Arguments>,
    matched: Matched,
    seed: u64,
}

impl BuiltPair {
    fn of(
        project: &Project,
        request: &CompareRequest,
        versions: (Version, Version),
        listener: &mut dyn Listener,
    ) -> Result<BuiltPair, Problem> {
        let arguments = prepare::arguments(project, &request.selection);
        let mut base = prepare::build(project, &versions.0, Side::Base, &arguments, listener)?;
        let mut head = prepare::build(project, &versions.1, Side::Head, &arguments, listener)?;
        // The purpose of an A/A comparison is to see the machine's noise, so identical builds are measured.
        let measure_all = request.measures_identical || versions.0.tree == versions.1.tree;
        let mut matched = prepare::matched(project, &mut base, &mut head, measure_all);
        if let Some(only) = &request.only {
            matched.keep(only);
        }
        prepare::check_matched(project, &matched, &base, &mut head)?;
        let seed = project.settings.schedule.seed.unwrap_or_else(run_id::fresh_seed);
        Ok(BuiltPair { versions, base, head, arguments, matched, seed })
    }

    fn builds(&self) -> [&Build; 2] {
        [&self.base, &self.head]
    }

    /// The diagnostics of both builds, without duplicates.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        prepare::diagnostics(self.builds().map(|build| build.diagnostics.as_slice()))
    }

    fn new_run(&self) -> NewRun {
        let (base, head) = self.versions.clone();
        keep::new_run(RunKind::Compare, Some(base), head, self.seed)
    }

    /// The programs. Like the settings, they must be the same for a run to be resumed.
    fn identity(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("base build".to_owned(), self.base.key.clone()),
            ("head build".to_owned(), self.head.key.clone()),
            ("benchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ])
    }
}

/// The benchmarks that will be measured, and the predicted time.
pub struct ComparisonPreview {
    /// The benchmarks to measure, and how.
    pub plan: ComparePlan,
    /// All benchmarks of both versions.
    pub matched: Matched,
    /// The predicted time.
    pub prediction: Prediction,
    /// A note on the place; empty for this machine.
    pub place_note: String,
}

/// A plan and everything needed to carry it out.
struct Draft {
    preview: ComparisonPreview,
    run: Run,
    place: Option<BoxedPlace>,
    accepted: Vec<Accepted>,
    /// Problems with the plan that is followed, with the accepted slowdowns, and with the place.
    notices: Vec<Diagnostic>,
}

/// Decides everything that measuring depends on.
fn draft(
    project: &Project,
    request: &CompareRequest,
    built: &BuiltPair,
    placement: Placement,
    new: NewRun,
    listener: &mut dyn Listener,
) -> Result<Draft, Problem> {
    let followed = Followed::find(&project.root, &request.plan, &request.selection)?;
    let judge = decide::judge(&project.settings, built.seed);
    let mut settings = decide::record(&project.settings, &judge.rule);
    if !request.place.is_here() {
        settings.insert("on".into(), request.place.on.clone());
        settings.extend(place::by_name(&request.place.on)?.record(project));
    }
    if let Some(followed) = &followed {
        let ids: HashSet<_> = built.matched.subjects.iter().map(|it| &it.benchmark).collect();
        settings.insert("plan".into(), followed.digest(ids.iter().copied()));
        let mut duets = followed.limits(&judge.rule, &project.settings, &project.given);
        duets.retain(|id, _| ids.contains(id));
        settings.extend(decide::record_plan(&duets));
    }
    let Placement { place, subjects, staying, notices: of_place } = placement;
    let is_here = request.place.is_here();
    let (plan, stops) = compare_plan(project, built, followed.as_ref(), (subjects, is_here))?;
    settings.extend(stops.settings);
    let run = new.with_settings(settings, built.builds());
    if let Some(followed) = &followed {
        forecast::tell_followed(project, &plan, followed, listener);
    }
    let (prediction, place_note) = place::prediction(project, &request.place, &plan, &staying)?;
    // Read before anything is measured, so that an unreadable file does not waste an hour.
    let (accepted, mut notices) = accepted::of(&project.root, &built.base.root)?;
    notices.extend(stops.notices);
    notices.extend(unmatched(project, &request.selection, built.builds()));
    if let Some(followed) = &followed {
        notices.extend(stale::notices(project, &built.head, &run, followed, "measured as without a plan"));
    }
    notices.extend(of_place);
    let preview = ComparisonPreview { plan, matched: built.matched.clone(), prediction, place_note };
    Ok(Draft { preview, run, place, accepted, notices })
}

/// Makes the plan of these subjects from the settings, earlier runs, and the plan file that is followed.
fn compare_plan(
    project: &Project,
    built: &BuiltPair,
    followed: Option<&Followed>,
    (subjects, is_here): (Vec<Subject>, bool),
) -> Result<(ComparePlan, stopping::Stops), Problem> {
    let settings = &project.settings;
    let ids: Vec<BenchmarkId> = subjects.iter().map(|subject| subject.benchmark.clone()).collect();
    let judge = decide::judge(settings, built.seed);
    let are_given = decide::says_how_much(&settings.trial);
    let usual = Shapes { are_given, ..prepare::shapes(project, &built.arguments).into() };
    let guesses = prepare::guesses(&built.head, &usual);
    let shapes = followed.map(|followed| followed.shape_comparing(&usual, &ids, &project.given));
    let shapes = shapes.unwrap_or(usual);
    let planned = followed.map(|followed| followed.durations(&shapes, &ids)).unwrap_or_default();
    let mut duets = decide::limits(settings, &judge.rule, &ids);
    duets.extend(followed.map(|it| it.limits(&judge.rule, settings, &project.given)).unwrap_or_default());
    let earlier = Earlier::of(project, &ids);
    let short = |id: &BenchmarkId| is_here && judge.rule.is_sequential() && earlier.was_short(id);
    let usual = |(id, time): (BenchmarkId, Duration)| {
        let saved = if short(&id) { shapes.saved(&id) } else { Duration::ZERO };
        (id, time.saturating_add(saved))
    };
    let durations: HashMap<_, _> = earlier.durations.clone().into_iter().map(usual).collect();
    let (shapes, stops) = stopping::choose(project, shapes, &subjects, (Purpose::Comparison, built.seed))?;
    let plan = ComparePlan {
        layouts: decide::layouts(settings, &judge.rule),
        duets,
        judge,
        shapes,
        fillers: settings.schedule.fillers,
        limits: decide::trial_limits(settings, is_here),
        pairing: decide::pairing(settings),
        cores: decide::cores(settings),
        niceness: settings.schedule.niceness,
        seed: built.seed,
        budget: settings.schedule.budget,
        due: due(project).unwrap_or_default(),
        // Times measured here replace those of the plan.
        durations: planned.into_iter().chain(durations).collect(),
        guesses,
        spreads: earlier.spreads,
        subjects,
    };
    Ok((plan, stops))
}

/// A comparison that is built, planned and ready to be measured. It holds the lock of the machine until it is
/// dropped.
pub struct PlannedComparison {
    project: Project,
    built: BuiltPair,
    drafted: Draft,
    resumed: Option<OpenedJournal>,
    _locks: Locks,
}

impl PlannedComparison {
    /// A preview of the plan.
    pub fn preview(&self) -> &ComparisonPreview {
        &self.drafted.preview
    }

    /// The settings it was planned with.
    pub fn settings(&self) -> &Settings {
        &self.project.settings
    }

    /// Measures the comparison and stores the results in any case. Errors are among the
    /// [problems](FinishedComparison::problems).
    pub fn run(self, listener: &mut dyn Listener) -> Result<FinishedComparison, Problem> {
        let PlannedComparison { project, built, drafted, resumed, _locks } = self;
        let Draft { preview, run, place, accepted, notices } = drafted;
        let Some(mut place) = place else { return Err(Problem::failed("no place to measure at", "")) };
        let benchmarks = preview.plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect();
        let mut kept = Kept::start(&project, run.clone(), benchmarks, built.identity(), resumed, listener)?;
        let plan = preview.plan;
        if !preview.place_note.is_empty() {
            listener.say(&preview.place_note);
        }
        let enough = foretell::enough(&preview.prediction, plan.budget);
        if plan.subjects.is_empty() {
            listener.say("nothing to measure");
        } else {
            listener.event(&Event::Started {
                run: Box::new(run),
                benchmarks: plan.subjects.len() as u32,
                predicted: Some(preview.prediction.range),
                enough,
            });
        }
        let compared = measure(&project, &built, &plan, place.as_mut(), &mut kept, listener);
        place.spent().into_iter().for_each(|text| listener.say(&text));
        Ok(conclude(&project, built, &plan.judge.rule, (&accepted, notices), compared, kept))
    }
}

fn measure(
    project: &Project,
    built: &BuiltPair,
    plan: &ComparePlan,
    place: &mut dyn Place,
    kept: &mut Kept,
    listener: &mut dyn Listener,
) -> Compared {
    let recalled = std::mem::take(&mut kept.recalled);
    let before = recalled.clone();
    let mut relinker = BuildRelinker {
        cache: &project.cache,
        repository: &project.repository,
        harnesses: &project.harnesses,
        arguments: &built.arguments,
        interrupt: &project.interrupt,
        base: &built.base,
        head: &built.head,
    };
    let mut recorder = Recorder { journal: &mut kept.journal, listener };
    let compared = compare(plan, place, &mut relinker, recalled, &project.interrupt, &mut recorder);
    let compared = with_unused(compared, before);
    // A run that is resumed needs these builds again.
    if !compared.is_partial {
        relinker.discard(plan.seed);
    }
    compared
}

/// Adds the trials from `before` that were not used. A benchmark that is judged again may need fewer trials,
/// and a trial that was cut off is measured again; all of them are kept.
pub(crate) fn with_unused(mut compared: Compared, before: Vec<Trial>) -> Compared {
    let key = |trial: &Trial| (trial.benchmark.clone(), trial.position, trial.side);
    let known: HashSet<_> = compared.trials.iter().map(key).collect();
    let is_unused = |trial: &Trial| trial.is_cut_off() || !known.contains(&key(trial));
    compared.trials.extend(before.into_iter().filter(is_unused));
    compared
}

/// The result of a comparison.
#[derive(Debug)]
pub struct FinishedComparison {
    /// The verdicts.
    pub comparison: Comparison,
    /// Everything that was measured.
    pub trials: Vec<Trial>,
    /// The settings it was planned with.
    pub settings: Settings,
    /// Why it ended early, and what could not be stored. The results are valid nevertheless.
    pub problems: Vec<Problem>,
    /// Whether the user interrupted it.
    pub is_interrupted: bool,
    /// Whether resuming it later saves any work.
    pub can_go_on: bool,
}

/// Stores the results.
fn conclude(
    project: &Project,
    built: BuiltPair,
    rule: &Rule,
    (accepted, notices): (&[Accepted], Vec<Diagnostic>),
    compared: Compared,
    kept: Kept,
) -> FinishedComparison {
    let mut builds = prepare::records(Side::Base, &built.base);
    builds.extend(prepare::records(Side::Head, &built.head));
    let run = Run { ended_at: Some(run_id::now()), ..kept.run.clone() };
    let (trials, error) = (compared.trials.clone(), compared.error);
    let mut instances = kept.instances.clone();
    instances.extend(compared.instances.iter().filter(|new| !kept.instances.contains(new)).cloned());
    let diagnostics = [compared.diagnostics, notices, place::instance_notes(&trials)].concat();
    let compared = Compared { error: None, diagnostics, ..compared };
    let thresholds = &project.settings.thresholds;
    let mut comparison =
        comparison(run.clone(), rule, thresholds, built.matched, [&built.base, &built.head], compared);
    accepted::apply(&mut comparison.findings, accepted);
    let is_partial = comparison.is_partial;
    let record = RunRecord {
        run,
        trials,
        comparison: Some(comparison.clone()),
        instances,
        builds,
        diagnostics: Vec::new(),
        is_partial,
    };
    let saved = kept.save(project, &record);
    FinishedComparison {
        can_go_on: keep::can_go_on(&record),
        comparison,
        trials: record.trials,
        settings: project.settings.clone(),
        problems: error.map(Problem::from).into_iter().chain(saved.err()).collect(),
        // An interrupted comparison has no verdict on the benchmarks that are left. This must not look like
        // "nothing got slower".
        is_interrupted: is_partial && project.interrupt.is_set(),
    }
}

/// Data of earlier runs about these benchmarks. If the store is missing or unreadable, predictions are only
/// less accurate.
#[derive(Default)]
struct Earlier {
    /// Median times of trials.
    durations: HashMap<BenchmarkId, Duration>,
    /// Number of duets in the newest comparison.
    duets: HashMap<BenchmarkId, usize>,
    spreads: HashMap<BenchmarkId, f64>,
}

impl Earlier {
    fn of(project: &Project, ids: &[BenchmarkId]) -> Earlier {
        let Ok(store) = Store::open_read_only(&project.results()) else { return Earlier::default() };
        let ratios = store.ratios(ids).unwrap_or_default();
        let newest = |(id, runs): (&BenchmarkId, &Vec<Vec<f64>>)| Some((id.clone(), runs.first()?.len()));
        let duets = ratios.iter().filter_map(newest).collect();
        let spread = |(id, runs): (BenchmarkId, Vec<Vec<f64>>)| Some((id, predict::typical_spread(&runs)?));
        Earlier {
            durations: store.durations(ids).unwrap_or_default(),
            duets,
            spreads: ratios.into_iter().filter_map(spread).collect(),
        }
    }

    /// Whether most trials of a benchmark were those of its short first duets.
    fn was_short(&self, id: &BenchmarkId) -> bool {
        self.duets.get(id).is_some_and(|duets| *duets < 2 * FIRST_DUETS as usize)
    }
}

/// Benchmarks that the last comparison had no time for; a comparison with a budget begins with them. `None`
/// if the store cannot be read.
fn due(project: &Project) -> Option<HashSet<BenchmarkId>> {
    /// How many of the newest runs are searched for a comparison.
    const RECENT: usize = 20;
    let store = Store::open_read_only(&project.results()).ok()?;
    let runs = store.runs(RECENT).ok()?;
    let last = runs.iter().find(|run| run.kind == RunKind::Compare)?;
    let findings = store.comparison(&last.id).ok()??.findings;
    let is_due = |finding: &Finding| matches!(finding.reason, Reason::OutOfBudget { .. });
    Some(findings.into_iter().filter(is_due).map(|finding| finding.benchmark).collect())
}

/// Warnings about threshold patterns that match no benchmark of either version. There are none if the user
/// left out benchmarks on purpose.
fn unmatched(project: &Project, selection: &Selection, builds: [&Build; 2]) -> Vec<Diagnostic> {
    let is_narrowed = project.settings.selection.filter.is_some()
        || selection.harness.is_some()
        || !selection.commands.is_empty();
    if is_narrowed {
        return Vec::new();
    }
    let ids: Vec<&BenchmarkId> =
        builds.into_iter().flat_map(|build| build.benchmarks().map(|(id, _)| id)).collect();
    project.settings.thresholds.unmatched(&ids)
}

pub(crate) fn comparison(
    run: Run,
    rule: &Rule,
    thresholds: &ThresholdTable,
    matched: Matched,
    builds: [&Build; 2],
    compared: Compared,
) -> Comparison {
    let mut findings = compared.findings;
    findings.extend(matched.identical.into_iter().map(|benchmark| identical(benchmark, thresholds)));
    let mut diagnostics = prepare::diagnostics(builds.map(|build| build.diagnostics.as_slice()));
    for diagnostic in &compared.diagnostics {
        if !diagnostics.contains(diagnostic) {
            diagnostics.push(diagnostic.clone());
        }
    }
    Comparison {
        run,
        rule: rule.name().into(),
        rule_note: rule.note(),
        findings,
        added: matched.added,
        removed: matched.removed,
        failures: compared.failures,
        diagnostics,
        is_partial: compared.is_partial,
    }
}

/// The finding of a benchmark that need not be measured.
fn identical(benchmark: BenchmarkId, thresholds: &ThresholdTable) -> Finding {
    let metric = Metric::time();
    let thresholds = thresholds.configured(&benchmark, &metric).unwrap_or(thresholds.general);
    Finding {
        benchmark,
        metric,
        verdict: Verdict::Same,
        reason: Reason::IdenticalBuild,
        effect: None,
        base: None,
        head: None,
        duets: Vec::new(),
        fresh: 0,
        quartets: 0,
        wild: 0.0,
        thresholds,
        fails: false,
        accepted: None,
        warnings: Vec::new(),
    }
}
