//! `benchwright compare`: the main job.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use benchwright_analysis::Rule;
use benchwright_analysis::predict::{self, Prediction};
use benchwright_config::{Accepted, ThresholdTable};
use benchwright_model::{
    BenchmarkId, Comparison, Diagnostic, Event, Finding, Metric, Reason, Run, RunKind, Side, Trial, Verdict,
    Version,
};
use benchwright_places::Place;
use benchwright_runner::{
    Arguments, Build, BuildRelinker, ComparePlan, Compared, Repository, Shapes, compare,
};
use benchwright_store::{RunRecord, Store};

use crate::args::{CompareArgs, Global};
use crate::commands::compare_recorded;
use crate::exit::Outcome;
use crate::follow::Followed;
use crate::keep::{Kept, Opened};
use crate::prepare::{self, Matched};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::project::{self, Project, flag_layer};
use crate::stopping::{self, Purpose};
use crate::{
    accepted, decide, dry_run, foretell, keep, output, outside, place, resume, run_id, slurm, stale,
};

/// Compares two versions, or goes on with an interrupted comparison.
pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<Outcome, Problem> {
    let started = Instant::now();
    let formats = output::Formats::of(&args.output)?;
    if let Some(sides) = compare_recorded::named(global, args)? {
        return compare_recorded::run(global, args, sides);
    }
    let (args, resumed) = resume::resumed(global, args)?;
    let mut flags = flag_layer(global, &args.selection, Some(&args.measuring), Some(&args.verdict))?;
    if let Some(pairing) = &args.pairing {
        flags.set("pairing", pairing)?;
    }
    if let Some(cost) = &args.place.max_cost {
        flags.set("lambda.max-cost", cost)?;
    }
    if let Some(architecture) = &args.place.architecture {
        flags.set("lambda.architecture", architecture)?;
    }
    if args.against.is_none() {
        // Only commands that are compared with each other need no repository.
        Repository::discover(&project::directory(global)?)?;
    }
    let mut project = Project::open(global, &args.selection, flags)?;
    if let Some(against) = &args.against {
        project.put_against(global, &args.selection.commands, against)?;
    }
    place::adjust(&mut project, &args)?;
    project.architecture = place::architecture(&project, &args.place);
    let mut progress = Progress::new(project.terminal);
    let pair = versions(&project, &args, resumed.as_ref(), &mut progress)?;
    let lock = if args.dry_run { None } else { Some(keep::lock(&project, &progress)?) };
    let waited = lock.as_ref().map_or(Duration::ZERO, |lock| lock.waited);
    project.is_measuring = !args.dry_run;
    project.rivals();
    let mut side = Comparing::prepare(&project, &args, pair, &mut progress)?;
    // The budget is for the whole command: building counts, waiting for others does not.
    let whole = side.plan.budget;
    let left = || whole.map(|whole| (whole + waited).saturating_sub(started.elapsed()));
    side.plan.budget = left();
    if let Some(followed) = &side.followed {
        dry_run::tell_followed(&project, &side.plan, followed, &progress);
    }
    if args.dry_run {
        let staying = place::foretell(&project, &args.place, &mut side.plan, &mut side.notices)?;
        side.notices.iter().for_each(|notice| progress.event(&Event::Noticed(notice.clone())));
        let (prediction, told) = place::prediction(&project, &args.place, &side.plan, &staying)?;
        return dry_run::compare(&side.plan, &side.matched, &prediction, &told, &mut progress);
    }
    // What was sent under the name of the interrupted run is found under that name again.
    let id = resumed.as_ref().map_or(&side.run.id, |opened| &opened.content.header.run.id).clone();
    let builds = [&side.base, &side.head];
    let mut chosen = place::choose(&project, &args.place, &id, builds, &mut side.plan, &mut side.notices)?;
    let mut kept =
        Kept::start(&project, side.run.clone(), side.benchmarks(), side.identity(), resumed, &mut progress)?;
    side.plan.budget = left();
    let predicted = place::prediction(&project, &args.place, &side.plan, &chosen.staying())?.0;
    let compared = side.measure(&project, chosen.place(), &predicted, &mut kept, &mut progress);
    drop(progress);
    chosen.conclude(project.terminal);
    side.conclude(&project, &args, compared, kept, &formats)
}

/// Base and head: as typed, or as the journal of the interrupted run says.
fn versions(
    project: &Project,
    args: &CompareArgs,
    resumed: Option<&Opened>,
    progress: &mut Progress,
) -> Result<(Version, Version), Problem> {
    if let Some(opened) = resumed {
        let run = &opened.content.header.run;
        if let Some(base) = run.base.clone() {
            return Ok((base, run.head.clone()));
        }
    }
    if let Some(against) = &args.against {
        return outside::sides(project, &args.selection.commands, against);
    }
    let base = args.base.as_deref().unwrap_or("HEAD");
    let pair = project.repository.resolve_pair(&project.cache, base, args.head.as_deref())?;
    for diagnostic in pair.head.diagnostics {
        progress.event(&Event::Noticed(diagnostic));
    }
    for diagnostic in benchwright_runner::surroundings(&project.cache, &project.repository) {
        progress.event(&Event::Noticed(diagnostic));
    }
    Ok((pair.base, pair.head.version))
}

/// Both versions built, matched and planned.
struct Comparing {
    base: Build,
    head: Build,
    arguments: HashMap<String, Arguments>,
    matched: Matched,
    plan: ComparePlan,
    run: Run,
    followed: Option<Followed>,
    /// What is wrong with the plan that is followed, and with what is accepted.
    notices: Vec<Diagnostic>,
    accepted: Vec<Accepted>,
}

impl Comparing {
    fn prepare(
        project: &Project,
        args: &CompareArgs,
        (base_version, head_version): (Version, Version),
        progress: &mut Progress,
    ) -> Result<Comparing, Problem> {
        let arguments = prepare::arguments(project, &args.selection);
        let base = prepare::build(project, &base_version, Side::Base, &arguments, progress)?;
        let head = prepare::build(project, &head_version, Side::Head, &arguments, progress)?;
        // The A/A check is asked for in order to see the machine's noise.
        let measure_all = args.all || base_version.tree == head_version.tree;
        let matched = prepare::matched(project, &base, &head, measure_all);
        if matched.subjects.is_empty() && matched.identical.is_empty() {
            return Err(prepare::no_benchmarks("that both versions have", &head));
        }
        let seed = project.settings.schedule.seed.unwrap_or_else(run_id::fresh_seed);
        let judge = decide::judge(&project.settings, seed);
        let earlier = Earlier::of(project, &matched);
        let are_given = decide::says_how_much(&project.settings.trial);
        let shapes = Shapes { are_given, ..prepare::shapes(project, &arguments).into() };
        let guesses = prepare::guesses(&head, &shapes);
        let is_here = matches!(args.place.on.as_str(), "" | "local");
        let mut plan = ComparePlan {
            subjects: matched.subjects.clone(),
            layouts: decide::layouts(&project.settings, &judge.rule),
            duets: decide::limits(
                &project.settings,
                &judge.rule,
                matched.subjects.iter().map(|subject| &subject.benchmark),
            ),
            judge,
            shapes,
            fillers: project.settings.schedule.fillers,
            limits: decide::trial_limits(&project.settings, is_here),
            pairing: decide::pairing(&project.settings),
            cores: decide::cores(&project.settings),
            niceness: project.settings.schedule.niceness,
            seed,
            budget: project.settings.schedule.budget,
            due: due(project).unwrap_or_default(),
            durations: earlier.durations,
            guesses,
            spreads: earlier.spreads,
        };
        let mut settings = decide::record(&project.settings, &plan.judge.rule);
        if !is_here {
            settings.insert("on".into(), args.place.on.clone());
            settings.extend(place::record(project, &args.place));
        }
        let followed = Followed::find(&project.root, &args.plan, &args.selection)?;
        if let Some(followed) = &followed {
            followed.apply(&mut plan, &project.settings, (&args.measuring, &args.verdict));
            let ids = plan.subjects.iter().map(|subject| &subject.benchmark);
            settings.insert("plan".into(), followed.digest(ids));
        }
        let purpose = (Purpose::Comparison, seed);
        let stops = stopping::apply(project, &mut plan.shapes, &plan.subjects, purpose)?;
        settings.extend(stops.settings);
        let run = keep::new_run(RunKind::Compare, Some(base_version), head_version, seed)
            .with_settings(settings, [&base, &head]);
        // Before anything is measured: a file that cannot be read must not cost an hour.
        let (accepted, mut notices) = accepted::of(&project.root, &base.root)?;
        notices.extend(stops.notices);
        notices.extend(unmatched(project, args, [&base, &head]));
        if let Some(followed) = &followed {
            notices.extend(stale::notices(project, &head, &run, followed, "measured as without a plan"));
        }
        Ok(Comparing { base, head, arguments, matched, plan, run, followed, notices, accepted })
    }

    /// What must be the same for a run to go on, beside its settings: the programs.
    fn identity(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("base build".to_owned(), self.base.key.clone()),
            ("head build".to_owned(), self.head.key.clone()),
            ("benchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ])
    }

    fn benchmarks(&self) -> Vec<BenchmarkId> {
        self.plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect()
    }

    fn measure(
        &self,
        project: &Project,
        place: &mut dyn Place,
        predicted: &Prediction,
        kept: &mut Kept,
        progress: &mut Progress,
    ) -> Compared {
        let benchmarks = self.plan.subjects.len() as u32;
        let run = Box::new(self.run.clone());
        let enough = foretell::enough(predicted, self.plan.budget);
        progress.event(&Event::Started { run, benchmarks, predicted: Some(predicted.range), enough });
        let recalled = std::mem::take(&mut kept.recalled);
        let before = recalled.clone();
        let mut relinker = BuildRelinker {
            cache: &project.cache,
            repository: &project.repository,
            harnesses: &project.harnesses,
            arguments: &self.arguments,
            interrupt: &project.interrupt,
            base: &self.base,
            head: &self.head,
        };
        let (journal, interrupt) = (&mut kept.journal, &project.interrupt);
        let mut compared =
            compare(&self.plan, place, &mut relinker, journal, recalled, interrupt, &mut |event| {
                progress.event(&event);
            });
        // Judged anew, a benchmark may need less than was measured: that is kept all the same.
        let key = |trial: &Trial| (trial.benchmark.clone(), trial.position, trial.side);
        let known: HashSet<_> = compared.trials.iter().map(key).collect();
        compared.trials.extend(before.into_iter().filter(|trial| !known.contains(&key(trial))));
        // A run that may go on will want them again.
        if !compared.is_partial {
            relinker.discard(self.plan.seed);
        }
        compared
    }

    /// Stores and shows what was found.
    fn conclude(
        self,
        project: &Project,
        args: &CompareArgs,
        compared: Compared,
        kept: Kept,
        formats: &output::Formats,
    ) -> Result<Outcome, Problem> {
        let mut builds = prepare::records(Side::Base, &self.base);
        builds.extend(prepare::records(Side::Head, &self.head));
        let run = Run { ended_at: Some(run_id::now()), ..kept.run.clone() };
        let (trials, error) = (compared.trials.clone(), compared.error);
        let mut instances = kept.instances.clone();
        instances.extend(compared.instances.iter().filter(|new| !kept.instances.contains(new)).cloned());
        let diagnostics = [compared.diagnostics, self.notices, slurm::instance_notes(&trials)].concat();
        let mut comparison = comparison(
            run.clone(),
            &self.plan.judge.rule,
            &project.settings.thresholds,
            self.matched,
            [&self.base, &self.head],
            Compared { error: None, diagnostics, ..compared },
        );
        accepted::apply(&mut comparison.findings, &self.accepted);
        let is_partial = comparison.is_partial;
        let record = RunRecord {
            run,
            trials,
            comparison: Some(comparison),
            instances,
            builds,
            diagnostics: Vec::new(),
            is_partial,
        };
        let again = kept.again.clone();
        let saved = kept.save(project, &record);
        let Some(comparison) = &record.comparison else { return Ok(Outcome::FAILED) };
        let written = formats.write(comparison, &record.trials, project.terminal, args.all);
        if keep::can_go_on(&record) {
            project.terminal.say(&format!("to go on: benchwright compare --resume {}{again}", record.run.id));
        }
        Outcome::explain(comparison, formats, project.terminal);
        let mut outcome = Outcome::of(comparison, &project.settings.decision);
        // Cut off by the user, it says nothing of what is left: that must not look like "nothing got slower".
        outcome.failed |= is_partial && project.interrupt.is_set();
        // Nor does what went wrong hide what was found.
        for problem in error.map(Problem::from).into_iter().chain(saved.err()).chain(written.err()) {
            outcome.failed = true;
            project.terminal.complain(&problem);
        }
        Ok(outcome)
    }
}

/// What earlier runs tell about the benchmarks at hand. Without a store, or with one that cannot be read, predictions are merely
/// worse.
#[derive(Default)]
struct Earlier {
    durations: HashMap<BenchmarkId, Duration>,
    spreads: HashMap<BenchmarkId, f64>,
}

impl Earlier {
    fn of(project: &Project, matched: &Matched) -> Earlier {
        let Ok(store) = Store::open_read_only(&project.results()) else { return Earlier::default() };
        let ids: Vec<BenchmarkId> =
            matched.subjects.iter().map(|subject| subject.benchmark.clone()).collect();
        let ratios = store.ratios(&ids).unwrap_or_default();
        let spread = |(id, runs): (BenchmarkId, Vec<Vec<f64>>)| Some((id, predict::typical_spread(&runs)?));
        Earlier {
            durations: store.durations(&ids).unwrap_or_default(),
            spreads: ratios.into_iter().filter_map(spread).collect(),
        }
    }
}

/// Benchmarks that the last comparison had no time for; a comparison with a budget begins with them. None without a readable
/// store.
fn due(project: &Project) -> Option<HashSet<BenchmarkId>> {
    /// Comparisons are looked for among so many runs.
    const RECENT: usize = 20;
    let store = Store::open_read_only(&project.results()).ok()?;
    let runs = store.runs(RECENT).ok()?;
    let last = runs.iter().find(|run| run.kind == RunKind::Compare)?;
    let findings = store.comparison(&last.id).ok()??.findings;
    let is_due = |finding: &Finding| matches!(finding.reason, Reason::OutOfBudget { .. });
    Some(findings.into_iter().filter(is_due).map(|finding| finding.benchmark).collect())
}

/// Warnings about patterns of thresholds that no benchmark of either version matches, unless benchmarks were left out on
/// purpose.
fn unmatched(project: &Project, args: &CompareArgs, builds: [&Build; 2]) -> Vec<Diagnostic> {
    let selection = &args.selection;
    let is_narrowed = project.settings.selection.filter.is_some()
        || selection.harness.is_some()
        || !selection.commands.command.is_empty();
    if is_narrowed {
        return Vec::new();
    }
    let ids: Vec<&BenchmarkId> =
        builds.into_iter().flat_map(|build| build.benchmarks().map(|(id, _)| id)).collect();
    project.settings.thresholds.unmatched(&ids)
}

fn comparison(
    run: Run,
    rule: &Rule,
    thresholds: &ThresholdTable,
    matched: Matched,
    builds: [&Build; 2],
    compared: Compared,
) -> Comparison {
    let mut findings = compared.findings;
    findings.extend(matched.identical.into_iter().map(|benchmark| identical(benchmark, thresholds)));
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for diagnostic in builds.iter().flat_map(|build| &build.diagnostics).chain(&compared.diagnostics) {
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
