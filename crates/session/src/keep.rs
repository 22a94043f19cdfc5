//! Stores what is measured: locks, journal, store, and resuming an interrupted run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use benchwright_config::format_duration;
use benchwright_model::{BenchmarkId, Diagnostic, Event, Instance, Run, RunId, RunKind, Trial, Version};
use benchwright_places::Local;
use benchwright_report::gate;
use benchwright_runner::{Build, LockError, MachineLock, NotKept, RepositoryLock, RunListener, short_hash};
use benchwright_store::{
    Journal, JournalContent, JournalError, JournalHeader, RunRecord, Store, journal_path, left_over_journals,
    prepare_directory,
};
use benchwright_worker::{Worker, machine};

use crate::listener::Listener;
use crate::problem::{Problem, because};
use crate::project::{self, Project};
use crate::request::Workspace;
use crate::run_id;

/// The option of a journal that holds the command line.
const COMMAND: &str = "command";

/// The locks of a measuring command.
pub struct Locks {
    _repository: RepositoryLock,
    _machine: MachineLock,
}

/// Takes both locks: one benchwright measures per machine and per repository, and a second one waits as long
/// as the settings allow. The wait is reported even with `-q`, because a command that seems to hang is worse.
pub fn lock(project: &Project, listener: &mut dyn Listener) -> Result<Locks, Problem> {
    let began = Instant::now();
    let wait = project.settings.schedule.wait;
    let left = || Some(wait.saturating_sub(began.elapsed()));
    let mut tell = |holder: &benchwright_runner::Holder| {
        listener.insist(&format!(
            "waiting for another benchwright (process {}): {}; at most {} (--wait), not counted in the budget",
            holder.pid,
            holder.command,
            format_duration(wait)
        ));
    };
    // The limit holds for both locks together.
    let whole = |error: LockError| match error {
        LockError::Busy { path, holder, .. } => LockError::Busy { path, holder, waited: wait },
        other => other,
    };
    let interrupt = &project.interrupt;
    let repository =
        RepositoryLock::acquire(&project.results(), left(), interrupt, &mut tell).map_err(whole)?;
    let machine = MachineLock::acquire(left(), interrupt, &mut tell).map_err(whole)?;
    let locks = [(repository.path(), repository.is_held()), (machine.path(), machine.is_held())];
    for (path, _) in locks.into_iter().filter(|(_, is_held)| !is_held) {
        let message = "this file system has no locks, so another benchwright may measure at the same time";
        let hint = "make sure that nothing else measures meanwhile; BENCHWRIGHT_LOCK can name a lock file on another file system";
        listener.notice(&Diagnostic::warning(path.display().to_string(), message).hint(hint));
    }
    Ok(Locks { _repository: repository, _machine: machine })
}

/// This machine as a place for trials.
pub fn here(project: &Project) -> Result<Local, Problem> {
    here_with(project, &[])
}

/// The same, where trials get these variables as well.
pub(crate) fn here_with(project: &Project, variables: &[(&str, &OsStr)]) -> Result<Local, Problem> {
    let mut environment = benchwright_runner::common_environment(&project.cache);
    for (name, value) in variables {
        environment = environment.with(name, value);
    }
    // One directory per lock: benchwrights with different ones measure at the same time.
    let lock = std::env::var_os("BENCHWRIGHT_LOCK").unwrap_or_default();
    let scratch = project.cache.dir().join("scratch").join(short_hash(&[lock.as_encoded_bytes()]));
    // The lock is held, so files in there were left by a run that was killed.
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).map_err(|error| {
        let what = format!("make the directory `{}`", scratch.display());
        Problem::failed(because(what, error), "")
    })?;
    Ok(Local::new(Worker::new(environment, scratch), project.interrupt.clone()))
}

/// A run before it begins.
pub struct NewRun(Run);

/// Makes a run from what is known before it begins.
pub fn new_run(kind: RunKind, base: Option<Version>, head: Version, seed: u64) -> NewRun {
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
    /// Its id.
    pub fn id(&self) -> &RunId {
        &self.0.id
    }

    /// Adds its settings, and the tool chains of its builds as facts about the environment.
    pub fn with_settings<'a>(
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

/// The journal of an interrupted run, opened for resuming it.
pub struct OpenedJournal {
    journal: Journal,
    /// Its content.
    pub content: JournalContent,
    /// Settings that are given again. This is allowed because they only affect how stored results are judged.
    pub changed: Vec<&'static str>,
}

/// Opens the journal of the run called `asked`, or with `latest` the newest journal.
pub fn open_journal(workspace: &Workspace, asked: &str) -> Result<OpenedJournal, Problem> {
    let (dir, paths) = journals(workspace)?;
    let is_asked = |path: &&PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        asked == "latest" || name.starts_with(asked)
    };
    let Some(path) = paths.iter().rev().find(is_asked) else {
        let names: Vec<String> =
            paths.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
        let hint = if names.is_empty() {
            "no run was interrupted; there is nothing to resume".to_owned()
        } else {
            format!("runs that can be resumed: {}", names.join(", "))
        };
        let error = format!("no interrupted run `{asked}` in `{}`", dir.display());
        return Err(Problem::misuse(error, hint));
    };
    let (journal, content) = Journal::reopen(path)?;
    Ok(OpenedJournal { journal, content, changed: Vec::new() })
}

fn journals(workspace: &Workspace) -> Result<(PathBuf, Vec<PathBuf>), Problem> {
    let (root, _) = project::open_store(workspace)?;
    let dir = project::results(&root);
    let paths = journals_in(&dir)?;
    Ok((dir, paths))
}

fn journals_in(results: &Path) -> Result<Vec<PathBuf>, Problem> {
    left_over_journals(results).map_err(|error| Problem::failed(because("look for journals", error), ""))
}

/// The journal of the current run, and what it already contains.
pub struct Kept {
    /// The run. A resumed run is as it was when it began.
    pub run: Run,
    /// The journal that results are written to.
    pub journal: Journal,
    /// The trials of the interrupted run.
    pub recalled: Vec<Trial>,
    /// The instances that these trials ran on.
    pub instances: Vec<Instance>,
}

impl Kept {
    /// Begins a journal, or continues that of an interrupted run. The content of other journals is stored
    /// first.
    pub fn start(
        project: &Project,
        run: Run,
        benchmarks: Vec<BenchmarkId>,
        identity: BTreeMap<String, String>,
        resumed: Option<OpenedJournal>,
        listener: &mut dyn Listener,
    ) -> Result<Kept, Problem> {
        let dir = project.results();
        prepare_directory(&dir).map_err(|error| {
            Problem::failed(because(format!("make the directory `{}`", dir.display()), error), "")
        })?;
        if let Some(opened) = resumed {
            return Kept::go_on(&run, &benchmarks, identity, opened, listener);
        }
        take_up(project, listener)?;
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
        opened: OpenedJournal,
        listener: &mut dyn Listener,
    ) -> Result<Kept, Problem> {
        let OpenedJournal { journal, content, changed } = opened;
        for diagnostic in content.diagnostics {
            listener.notice(&diagnostic);
        }
        let mut header = content.header;
        header.options.remove(COMMAND);
        // These settings affect the exit code alone.
        for key in changed.into_iter().chain([gate::FAIL_ON, gate::REQUIRE_DECIDED]) {
            match run.settings.get(key) {
                Some(value) => header.run.settings.insert(key.to_owned(), value.clone()),
                None => header.run.settings.remove(key),
            };
        }
        let mut others = differing(&header.run.settings, &run.settings);
        // Journals of earlier versions have more options, which are also among the settings.
        let is_other = |(key, value): &(&String, &String)| header.options.get(*key) != Some(value);
        others.extend(identity.iter().filter(is_other).map(|(key, _)| key.as_str()));
        if header.benchmarks != benchmarks {
            others.push("benchmarks");
        }
        if !others.is_empty() {
            let error = format!(
                "resume run {}: settings or benchmarks have changed since it began: {}",
                header.run.id,
                others.join(", ")
            );
            let hint = "restore benchwright.toml, benchwright.plan.toml, your own models and the tool chain, or start a new run; the results so far are kept";
            return Err(Problem::misuse(error, hint));
        }
        listener.say(&format!(
            "resuming run {}: {} trials are already measured",
            header.run.id,
            content.trials.len()
        ));
        let (recalled, instances) = (content.trials, content.instances);
        Ok(Kept { run: header.run, journal, recalled, instances })
    }

    /// Stores the run. The journal of a complete run is removed; that of an incomplete run stays, so that it
    /// can be resumed.
    pub fn save(self, project: &Project, record: &RunRecord) -> Result<(), Problem> {
        // Old check-outs and builds are removed too, at most once a day. A failure of this does not matter
        // for the run.
        let _ = project.cache.housekeep();
        Store::open(&project.results())?.save(record)?;
        if !record.is_partial {
            self.journal.discard()?;
        }
        Ok(())
    }
}

/// Writes results to the journal and passes events on.
pub(crate) struct Recorder<'a> {
    pub(crate) journal: &'a mut Journal,
    pub(crate) listener: &'a mut dyn Listener,
}

impl RunListener for Recorder<'_> {
    fn measured(&mut self, trial: &Trial) -> Result<(), NotKept> {
        self.journal.append(trial).map_err(not_kept)
    }

    fn instance(&mut self, instance: &Instance) -> Result<(), NotKept> {
        self.journal.append_instance(instance).map_err(not_kept)
    }

    fn event(&mut self, event: Event) {
        self.listener.event(&event);
    }
}

fn not_kept(error: JournalError) -> NotKept {
    let hint = error.hint();
    NotKept::new(error, hint)
}

/// Whether resuming a run saves any work. At other places, results may be waiting that are not in the journal
/// yet.
pub fn can_go_on(record: &RunRecord) -> bool {
    let may_wait_elsewhere = record.run.settings.contains_key("on");
    record.is_partial && (!record.trials.is_empty() || may_wait_elsewhere)
}

/// The keys that are not in both maps with the same value.
fn differing<'a>(then: &'a BTreeMap<String, String>, now: &'a BTreeMap<String, String>) -> Vec<&'a str> {
    let keys: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    keys.into_iter().filter(|key| then.get(*key) != now.get(*key)).map(String::as_str).collect()
}

/// The command line. Arguments that are not valid text are converted for display.
fn command() -> Vec<String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// The command line of the run that began the journal.
pub fn original_command(content: &JournalContent) -> Option<Vec<String>> {
    let text = content.header.options.get(COMMAND)?;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.as_array()?.iter().map(|argument| argument.as_str().map(str::to_owned)).collect()
}

/// Removes the journal of a stored run that was not resumed within a month.
fn forget_if_old(journal: &Path) {
    const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
    let age = journal.metadata().and_then(|metadata| metadata.modified()).map(|at| at.elapsed());
    if let Ok(Ok(age)) = age
        && age > KEPT
        // A journal that is being written is locked.
        && let Ok((journal, _)) = Journal::reopen(journal)
    {
        let _ = journal.discard();
    }
}

/// Stores the content of journals of killed runs, so that nothing measured is lost. The journals stay, so
/// that the runs can be resumed. Fails before anything is measured if the store cannot be used.
pub fn take_up(project: &Project, listener: &mut dyn Listener) -> Result<(), Problem> {
    let mut unreadable = Vec::new();
    let mut taken = || -> Result<Vec<RunId>, Problem> {
        let mut store = Store::open(&project.results())?;
        let mut taken = Vec::new();
        for path in journals_in(&project.results())? {
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
            let record = RunRecord {
                run: content.header.run.clone(),
                trials: content.trials,
                comparison: None,
                instances: content.instances,
                builds: Vec::new(),
                diagnostics: content.notes,
                is_partial: true,
            };
            store.save(&record)?;
            taken.extend(can_go_on(&record).then_some(record.run.id));
        }
        Ok(taken)
    };
    for run in taken()? {
        listener.say(&format!("recovered run {run}, which was cut off; `--resume {run}` continues it"));
    }
    for problem in unreadable {
        listener.say(&problem.text());
    }
    Ok(())
}
