//! Keeping what is measured: lock, journal, store, and going on where a run was cut off.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::{BenchmarkId, Event, Instance, Run, RunId, RunKind, Trial, Version};
use benchwright_places::Local;
use benchwright_runner::{Build, MachineLock, RepositoryLock};
use benchwright_store::{
    Journal, JournalContent, JournalError, JournalHeader, RunRecord, Store, journal_path, left_over_journals,
    prepare_directory,
};
use benchwright_worker::{Worker, machine};

use crate::args::{CompareArgs, Global, Measuring};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::project::{self, Project};
use crate::run_id;

/// The option of a journal that holds the command line.
const COMMAND: &str = "command";

/// The locks of a measuring command.
pub(crate) struct Locks {
    _repository: RepositoryLock,
    _machine: MachineLock,
}

/// One measuring benchwright per machine and one per repository; a second one waits, or with `no_wait` says so.
pub(crate) fn lock(project: &Project, no_wait: bool, progress: &Progress) -> Result<Locks, Problem> {
    let wait = no_wait.then_some(Duration::ZERO);
    let mut tell = |holder: &benchwright_runner::Holder| {
        progress
            .say(&format!("waiting for another benchwright (process {}): {}", holder.pid, holder.command));
    };
    let repository = RepositoryLock::acquire(&project.results(), wait, &project.interrupt, &mut tell)?;
    let machine = MachineLock::acquire(wait, &project.interrupt, &mut tell)?;
    Ok(Locks { _repository: repository, _machine: machine })
}

/// A short name of what is the same only if `of` is.
pub(crate) fn digest(of: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// This machine as a place for trials.
pub(crate) fn here(project: &Project) -> Result<Local, Problem> {
    let environment = benchwright_runner::common_environment(&project.cache);
    // One directory per lock: benchwrights with different ones measure at the same time.
    let lock = digest(std::env::var_os("BENCHWRIGHT_LOCK").unwrap_or_default());
    let scratch = project.cache.dir().join("scratch").join(lock);
    // The lock is held, so whatever lies there was left by a run that was killed.
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).map_err(|error| {
        let what = format!("make the directory `{}`", scratch.display());
        Problem::failed(anyhow::Error::new(error).context(what), "")
    })?;
    Ok(Local::new(Worker::new(environment, scratch), project.interrupt.clone()))
}

/// A run about to begin.
pub(crate) struct NewRun(Run);

/// What is known of a run before it begins.
pub(crate) fn new_run(kind: RunKind, base: Option<Version>, head: Version, seed: u64) -> NewRun {
    let started_at = run_id::now();
    NewRun(Run {
        id: run_id::new_run_id(started_at),
        kind,
        command: command(),
        started_at,
        ended_at: None,
        seed,
        base,
        head,
        environment: machine::environment(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        settings: BTreeMap::new(),
    })
}

impl NewRun {
    /// With its settings, and the tool chains of its builds among the facts about the environment.
    pub(crate) fn with_settings<'a>(
        self,
        settings: BTreeMap<String, String>,
        builds: impl IntoIterator<Item = &'a Build>,
    ) -> Run {
        let mut run = self.0;
        for (harness, toolchain) in builds.into_iter().flat_map(|build| &build.toolchains) {
            let line = toolchain.lines().next().unwrap_or_default().to_owned();
            run.environment.facts.insert(harness.clone(), line);
        }
        Run { settings, ..run }
    }
}

/// The journal of an interrupted run, open for going on.
pub(crate) struct Opened {
    journal: Journal,
    pub(crate) content: JournalContent,
}

/// The arguments of the run to go on with, and its journal; the arguments as they are if none was asked for.
pub(crate) fn resumed(global: &Global, args: &CompareArgs) -> Result<(CompareArgs, Option<Opened>), Problem> {
    let Some(asked) = &args.resume else { return Ok((args.clone(), None)) };
    let opened = open_journal(global, asked)?;
    let original = match crate::parse(&opened.content) {
        Some(crate::args::Command::Compare(original)) => original,
        // The demo is a comparison under another name.
        Some(crate::args::Command::Demo(demo)) => crate::commands::demo::comparison(&demo),
        _ => {
            let error = anyhow::anyhow!("go on with run {}", opened.content.header.run.id);
            return Err(Problem::misuse(error, "it is not a comparison; try `benchwright run --resume`"));
        }
    };
    // What concerns showing may be said anew; what concerns measuring must stay as it was.
    let mut going_on = CompareArgs { output: args.output.clone(), resume: None, ..original };
    going_on.measuring = going_on_measuring(&going_on.measuring, &args.measuring, &opened);
    if args.place.max_cost.is_some() {
        going_on.place.max_cost.clone_from(&args.place.max_cost);
    }
    going_on.dry_run = args.dry_run;
    going_on.all |= args.all;
    if !args.verdict.fail_on.is_empty() {
        going_on.verdict.fail_on.clone_from(&args.verdict.fail_on);
    }
    Ok((going_on, Some(opened)))
}

/// How a resumed run measures: as it began, but with the time and patience it is given now.
pub(crate) fn going_on_measuring(original: &Measuring, now: &Measuring, opened: &Opened) -> Measuring {
    Measuring {
        seed: Some(opened.content.header.run.seed),
        budget: now.budget.clone().or_else(|| original.budget.clone()),
        no_wait: now.no_wait,
        ..original.clone()
    }
}

/// Opens the journal of the run called `asked`, or the latest that was left.
pub(crate) fn open_journal(global: &Global, asked: &str) -> Result<Opened, Problem> {
    let (dir, paths) = journals(global)?;
    let is_asked = |path: &&PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        asked == "latest" || name.starts_with(asked)
    };
    let Some(path) = paths.iter().rev().find(is_asked) else {
        let names: Vec<String> =
            paths.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
        let hint = if names.is_empty() {
            "every run came to its end; nothing is left to go on with".to_owned()
        } else {
            format!("runs that can go on: {}", names.join(", "))
        };
        let error = anyhow::anyhow!("no interrupted run `{asked}` in `{}`", dir.display());
        return Err(Problem::misuse(error, hint));
    };
    let (journal, content) = Journal::reopen(path)?;
    Ok(Opened { journal, content })
}

fn journals(global: &Global) -> Result<(PathBuf, Vec<PathBuf>), Problem> {
    let (root, _) = project::open_store(global)?;
    let dir = project::results(&root);
    let paths = left_over_journals(&dir)
        .map_err(|error| Problem::failed(anyhow::Error::new(error).context("look for journals"), ""))?;
    Ok((dir, paths))
}

/// The journal of the present run, and what it already holds.
pub(crate) struct Kept {
    /// The run: of a resumed one as it began.
    pub(crate) run: Run,
    pub(crate) journal: Journal,
    pub(crate) recalled: Vec<Trial>,
    /// The instances these ran on.
    pub(crate) instances: Vec<Instance>,
}

impl Kept {
    /// Begins a journal, or goes on with that of an interrupted run. Journals that others left are taken into the store.
    pub(crate) fn start(
        project: &Project,
        run: Run,
        benchmarks: Vec<BenchmarkId>,
        identity: BTreeMap<String, String>,
        resumed: Option<Opened>,
        progress: &mut Progress,
    ) -> Result<Kept, Problem> {
        prepare_directory(&project.results())?;
        if let Some(opened) = resumed {
            return Kept::go_on(&run, &benchmarks, identity, opened, progress);
        }
        take_up(project, progress);
        let mut options = identity;
        options.insert(COMMAND.to_owned(), serde_json::Value::from(run.command.clone()).to_string());
        let header = JournalHeader { run: run.clone(), benchmarks, options };
        let journal = Journal::create(&journal_path(&project.results(), &run.id), &header)?;
        Ok(Kept { run, journal, recalled: Vec::new(), instances: Vec::new() })
    }

    fn go_on(
        run: &Run,
        benchmarks: &[BenchmarkId],
        identity: BTreeMap<String, String>,
        opened: Opened,
        progress: &mut Progress,
    ) -> Result<Kept, Problem> {
        let Opened { journal, content } = opened;
        for diagnostic in content.diagnostics {
            progress.event(&Event::Noticed(diagnostic));
        }
        let mut header = content.header;
        header.options.remove(COMMAND);
        if header.run.settings != run.settings
            || header.benchmarks != benchmarks
            || header.options != identity
        {
            let error = anyhow::anyhow!(
                "go on with run {}: settings or benchmarks are not those it began with",
                header.run.id
            );
            let hint = "restore benchwright.toml, benchwright.plan.toml, own models and the tool chain, or start anew; what was measured is kept";
            return Err(Problem::misuse(error, hint));
        }
        progress.say(&format!(
            "going on with run {}: {} trials are there already",
            header.run.id,
            content.trials.len()
        ));
        Ok(Kept { run: header.run, journal, recalled: content.trials, instances: content.instances })
    }

    /// Puts the run into the store. Its journal goes when the run is complete, and stays for a resume when it is not.
    pub(crate) fn save(self, project: &Project, record: &RunRecord) -> Result<(), Problem> {
        // Old check-outs and builds go, at most once a day; that they cannot is no concern of this run.
        let _ = project.cache.housekeep();
        Store::open(&project.results())?.save(record)?;
        if !record.is_partial {
            self.journal.discard()?;
        }
        Ok(())
    }
}

/// The command line; what is not text is made so, for people.
fn command() -> Vec<String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// The command line a journal was begun with.
pub(crate) fn original_command(content: &JournalContent) -> Option<Vec<String>> {
    let text = content.header.options.get(COMMAND)?;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.as_array()?.iter().map(|argument| argument.as_str().map(str::to_owned)).collect()
}

/// Removes the journal of a stored run that nobody went on with for a month.
fn forget_if_old(journal: &Path) {
    const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
    let age = journal.metadata().and_then(|metadata| metadata.modified()).map(|at| at.elapsed());
    if let Ok(Ok(age)) = age
        && age > KEPT
        // One that is being written is locked.
        && let Ok((journal, _)) = Journal::reopen(journal)
    {
        let _ = journal.discard();
    }
}

/// Takes journals of killed runs into the store, so that nothing measured is lost; they stay for a resume.
pub(crate) fn take_up(project: &Project, progress: &mut Progress) {
    let mut unreadable = Vec::new();
    let mut taken = || -> Result<Vec<RunId>, Problem> {
        let mut store = Store::open(&project.results())?;
        let mut taken = Vec::new();
        for path in left_over_journals(&project.results())? {
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if store.contains(&RunId(name))? {
                forget_if_old(&path);
                continue;
            }
            let content = match Journal::reopen(&path) {
                Ok((_, content)) => content,
                Err(JournalError::InUse { .. }) => continue,
                Err(error) => {
                    unreadable.push(Problem::from(error));
                    continue;
                }
            };
            let run = content.header.run.clone();
            taken.push(run.id.clone());
            store.save(&RunRecord {
                run,
                trials: content.trials,
                comparison: None,
                instances: content.instances,
                builds: Vec::new(),
                diagnostics: content.notes,
                is_partial: true,
            })?;
        }
        Ok(taken)
    };
    match taken() {
        Ok(runs) => {
            for run in runs {
                progress
                    .say(&format!("took up run {run}, which was cut off; `--resume {run}` goes on with it"));
            }
        }
        Err(problem) => progress.say(&format!("{problem}")),
    }
    for problem in unreadable {
        progress.say(&format!("{problem}"));
    }
}
