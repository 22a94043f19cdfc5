//! `benchwright run`: one version over its levels of repetition.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use benchwright_config::{Levels, format_duration};
use benchwright_model::{BenchmarkId, Diagnostic, Event, Run, RunKind, Side, Version};
use benchwright_runner::{Build, LevelCounts, LevelsPlan, Measured, Shapes, levels};
use benchwright_store::RunRecord;
use benchwright_worker::Subject;

use crate::args::{Global, RunArgs};
use crate::exit::Outcome;
use crate::follow::{self, Followed, SECOND};
use crate::keep::{self, Kept, Opened};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::project::{Project, flag_layer};
use crate::stopping::{self, Purpose, Stops};
use crate::{command_flags, decide, dry_run, foretell, output, outside, prepare, resume, run_id, stale};

/// Measures one version, or goes on with an interrupted run.
pub(crate) fn run(global: &Global, args: &RunArgs) -> Result<Outcome, Problem> {
    run_only(global, args, None).map(|(_, outcome)| outcome)
}

/// The same for `only` these benchmarks, if they are given. The record is that of the run; none where nothing was measured.
pub(crate) fn run_only(
    global: &Global,
    args: &RunArgs,
    only: Option<&BTreeSet<BenchmarkId>>,
) -> Result<(Option<RunRecord>, Outcome), Problem> {
    let started = Instant::now();
    let formats = output::Formats::of(&args.output)?;
    formats.check_levels()?;
    let (args, resumed) = resumed(global, args)?;
    let mut flags = flag_layer(global, &args.selection, Some(&args.measuring), None)?;
    if let Some(levels) = &args.levels {
        flags.set("levels", levels)?;
    }
    let mut project = Project::open(global, &args.selection, flags)?;
    let followed = followed(&project, &args)?;
    let mut progress = Progress::new(project.terminal);
    let version = match (&resumed, args.rev.as_deref().or(args.rev_flag.as_deref())) {
        (Some(opened), _) => opened.content.header.run.head.clone(),
        (None, Some(revision)) => project.repository.resolve(revision)?,
        (None, None) if project.is_outside => outside::here(&project, global)?,
        (None, None) => project.repository.snapshot(&project.cache)?.version,
    };
    let lock = if args.dry_run { None } else { Some(keep::lock(&project, &progress)?) };
    let waited = lock.as_ref().map_or(Duration::ZERO, |lock| lock.waited);
    project.is_measuring = !args.dry_run;
    let arguments = prepare::arguments(&project, &args.selection);
    let build = prepare::build(&project, &version, Side::Head, &arguments, &mut progress)?;
    let mut subjects = prepare::selected(&project, &build);
    subjects.retain(|subject| only.is_none_or(|only| only.contains(&subject.benchmark)));
    let shapes = prepare::shapes(&project, &arguments);
    let mut plan = plan(&project, &args, followed.as_ref(), subjects, shapes.into());
    let purpose = (purpose(&args, followed.as_ref()), plan.seed);
    let Stops { mut notices, settings } =
        stopping::apply(&project, &mut plan.shapes, &plan.subjects, purpose)?;
    if asks_for_samples(&args) {
        refuse_other_samples(&project, &plan)?;
    }
    plan.budget = plan.budget.map(|whole| (whole + waited).saturating_sub(started.elapsed()));
    if plan.subjects.is_empty() {
        return Err(prepare::no_benchmarks("in this version", &build));
    }
    let run = new_run(&project, version, (&plan, settings), &build, followed.as_ref());
    let told = |followed: &Followed| stale::notices(&project, &build, &run, followed, "measured in full");
    notices.extend(followed.as_ref().map(told).unwrap_or_default());
    if args.dry_run {
        notices.iter().for_each(|notice| progress.event(&Event::Noticed(notice.clone())));
        dry_run::levels(&project, &plan, followed.as_ref(), &mut progress)?;
        return Ok((None, Outcome::default()));
    }
    let benchmarks = plan.subjects.iter().map(|subject| subject.benchmark.clone()).collect();
    let identity = identity(&build);
    let mut kept = Kept::start(&project, run.clone(), benchmarks, identity, resumed, &mut progress)?;
    let mut place = keep::here(&project)?;
    let predicted = dry_run::levels_predicted(&project, &plan, followed.as_ref(), &progress);
    let enough = foretell::enough(&predicted, plan.budget);
    let benchmarks = plan.subjects.len() as u32;
    let predicted = Some(predicted.range);
    progress.event(&Event::Started { run: Box::new(run), benchmarks, predicted, enough });
    let recalled = std::mem::take(&mut kept.recalled);
    let measured = levels(&plan, &mut place, &mut kept.journal, recalled, &project.interrupt, &mut |event| {
        progress.event(&event);
    });
    drop(progress);
    let (record, outcome) = conclude(&project, &formats, &build, kept, measured, followed.as_ref(), notices);
    Ok((Some(record), outcome))
}

/// Whether the number of samples per process was typed.
fn asks_for_samples(args: &RunArgs) -> bool {
    args.levels.as_deref().is_some_and(|levels| levels.contains("second"))
}

/// The samples per process that were asked for are those that are taken, or nothing is measured.
fn refuse_other_samples(project: &Project, plan: &LevelsPlan) -> Result<(), Problem> {
    for subject in &plan.subjects {
        let id = &subject.benchmark;
        let harness = project.harnesses.iter().find(|harness| harness.name() == id.harness);
        let (Some(harness), Some(program), Ok(shape)) = (harness, &subject.head, plan.shapes.of(id)) else {
            continue;
        };
        if let Some(why) = harness.other_samples(&program.executable, shape) {
            let error = anyhow::anyhow!("`second={}` is not possible for `{id}`: {why}", shape.iterations);
            return Err(Problem::misuse(error, "leave `second` out, or leave the benchmark out with --skip"));
        }
    }
    Ok(())
}

/// Whether the command says how often to repeat, or leaves it to us.
fn purpose(args: &RunArgs, followed: Option<&Followed>) -> Purpose {
    let is_whole = args.full || args.levels.is_some() || followed.is_some();
    if is_whole { Purpose::Levels } else { Purpose::QuickLook }
}

/// The plan that is followed: none where the command line says how often to repeat.
fn followed(project: &Project, args: &RunArgs) -> Result<Option<Followed>, Problem> {
    match args.full || args.levels.is_some() {
        true => Ok(None),
        false => Followed::find(&project.root, &args.plan, &args.selection),
    }
}

/// A run as it begins.
fn new_run(
    project: &Project,
    version: Version,
    (plan, of_stops): (&LevelsPlan, BTreeMap<String, String>),
    build: &Build,
    followed: Option<&Followed>,
) -> Run {
    let mut settings = decide::record(&project.settings, &plan_rule(project));
    settings.extend(of_stops);
    // What processes were really told, which need not be what comparisons are.
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

/// What must be the same for a run to go on, beside its settings.
fn identity(build: &Build) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("build".to_owned(), build.key.clone()),
        ("benchwright".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
    ])
}

/// Stores and shows what was measured.
fn conclude(
    project: &Project,
    formats: &output::Formats,
    build: &Build,
    kept: Kept,
    measured: Measured,
    followed: Option<&Followed>,
    notices: Vec<Diagnostic>,
) -> (RunRecord, Outcome) {
    let terminal = project.terminal;
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
    let written = formats.write_levels(&record.run, &record.trials, terminal);
    for diagnostic in &record.diagnostics {
        terminal.notice(diagnostic);
    }
    if keep::can_go_on(&record) {
        terminal.say(&format!("to go on: benchwright run --resume {}", record.run.id));
    }
    for failure in &measured.failures {
        let (benchmark, how) = (&failure.benchmark, failure.kind.describe());
        terminal.say(&format!("error: {benchmark} {how} ({} trials)\n{}", failure.trials, failure.detail));
    }
    let is_cut = record.is_partial && project.interrupt.is_set();
    let mut failed = is_cut || !measured.failures.is_empty();
    for problem in measured.error.map(Problem::from).into_iter().chain(saved.err()).chain(written.err()) {
        failed = true;
        terminal.complain(&problem);
    }
    (record, Outcome { failed, ..Outcome::default() })
}

/// The rule a run of one version records: none decides, but a later comparison may ask.
fn plan_rule(project: &Project) -> benchwright_analysis::Rule {
    decide::judge(&project.settings, 0).rule
}

fn plan(
    project: &Project,
    args: &RunArgs,
    followed: Option<&Followed>,
    subjects: Vec<Subject>,
    mut shapes: Shapes,
) -> LevelsPlan {
    let settings = &project.settings;
    // Without levels and without a plan a run is a quick look: one pass, a few processes of the usual length.
    let is_whole = purpose(args, followed) == Purpose::Levels;
    let usual = if is_whole { settings.levels } else { Levels { run: 1, iteration: 5, second: 0 } };
    for (harness, shape) in &mut shapes.by_harness {
        if is_whole {
            shape.iterations = usual.second;
        }
        if is_whole && args.measuring.iteration_time.is_none() {
            // A sample of a command is one run; with time left there would be more than were asked for.
            let is_exact = harness == command_flags::HARNESS && asks_for_samples(args);
            shape.iteration_time = if is_exact { Duration::from_nanos(1) } else { SECOND };
        }
    }
    if let Some(followed) = followed {
        let ids = subjects.iter().map(|subject| &subject.benchmark);
        followed.shape(&mut shapes, ids, &args.measuring, follow::exactly);
    }
    let counts = subjects.iter().map(|subject| {
        let planned = followed.and_then(|followed| followed.planned(&subject.benchmark));
        let levels = planned.map_or(usual, |planned| planned.levels);
        LevelCounts { suite_runs: levels.run, iterations: levels.iteration }
    });
    LevelsPlan {
        counts: counts.collect(),
        subjects,
        shapes,
        fillers: settings.schedule.fillers,
        limits: decide::trial_limits(settings, true),
        cores: decide::cores(settings),
        niceness: settings.schedule.niceness,
        seed: settings.schedule.seed.unwrap_or_else(run_id::fresh_seed),
        budget: settings.schedule.budget,
    }
}

/// The arguments of the run to go on with, and its journal.
fn resumed(global: &Global, args: &RunArgs) -> Result<(RunArgs, Option<Opened>), Problem> {
    let Some(asked) = &args.resume else { return Ok((args.clone(), None)) };
    let opened = keep::open_journal(global, asked)?;
    let seed = opened.content.header.run.seed;
    match crate::parse(&opened.content) {
        Some(crate::args::Command::Run(original)) => {
            resume::check_run(&opened)?;
            let measuring = keep::going_on_measuring(&original.measuring, &args.measuring, seed);
            let (output, dry_run) = (args.output.clone(), args.dry_run);
            Ok((RunArgs { measuring, output, dry_run, resume: None, ..original }, Some(opened)))
        }
        _ => {
            let error = anyhow::anyhow!("go on with run {}", opened.content.header.run.id);
            Err(Problem::misuse(error, "it is a comparison; try `benchwright compare --resume`"))
        }
    }
}
