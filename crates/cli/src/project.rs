//! The repository a command works in, and its settings.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_config::{Layer, Settings, find_file, read_environment, read_file};
use benchwright_harness::{Architecture, Definitions, Harness};
use benchwright_model::Side;
use benchwright_process::Interrupt;
use benchwright_runner::{Arguments, Cache, Repository};
use benchwright_store::{Store, StoreError};
use benchwright_worker::machine;

use crate::args::{CommandArgs, Global, Measuring, Selection, VerdictArgs};
use crate::command_flags;
use crate::outside;
use crate::problem::{Problem, misconfigured};
use crate::terminal::Terminal;

/// Everything a command that measures needs.
pub(crate) struct Project {
    pub(crate) repository: Repository,
    pub(crate) root: PathBuf,
    pub(crate) cache: Cache,
    pub(crate) settings: Settings,
    pub(crate) harnesses: Vec<Box<dyn Harness>>,
    pub(crate) interrupt: Interrupt,
    pub(crate) terminal: Terminal,
    /// Whether the machine's lock is held, so that nobody else uses the check-outs.
    pub(crate) is_measuring: bool,
    /// What builds are made for, where that is not this machine.
    pub(crate) architecture: Option<Architecture>,
    /// Whether there is no repository: typed commands run where one stands.
    pub(crate) is_outside: bool,
    /// What base is measured with, where that is another command than head's.
    pub(crate) base_harnesses: Option<Vec<Box<dyn Harness>>>,
    /// What else wants to run on this machine, once it was looked at.
    rivals: OnceCell<f64>,
    /// Its noise floor, once it was measured.
    noise_floor: OnceCell<Option<f64>>,
}

impl Project {
    /// Processes per processor that want to run beside us. They are counted once: whoever builds asks before, because what a build
    /// leaves running for a moment is no load.
    pub(crate) fn rivals(&self) -> f64 {
        *self.rivals.get_or_init(|| machine::rivals().unwrap_or(0.0))
    }

    /// Differences that this machine cannot show, as a ratio. It takes a quarter of a second.
    pub(crate) fn noise_floor(&self) -> Option<f64> {
        const TIME: Duration = Duration::from_millis(250);
        *self.noise_floor.get_or_init(|| Some(machine::noise_floor(TIME, || false)?.floor))
    }

    /// Finds the repository around the directory and brings all settings together: `flags` over environment over file
    /// over defaults.
    pub(crate) fn open(global: &Global, selection: &Selection, flags: Layer) -> Result<Project, Problem> {
        let terminal = Terminal::new(global);
        let directory = directory(global)?;
        let cache = Cache::open()?;
        let (repository, is_outside) = match Repository::discover(&directory) {
            Ok(repository) => (repository, false),
            Err(_) if !selection.commands.command.is_empty() => (outside::stand_in(&cache)?, true),
            Err(error) => return Err(error.into()),
        };
        let root = work_tree(&repository)?;
        refuse_link(&results(&root))?;
        let around = if is_outside { &directory } else { &root };
        let settings = settings(global, &directory, around, flags, terminal)?;
        let terminal = terminal.configured(settings.colour);
        let interrupt = Interrupt::new();
        interrupt.listen_for_signals();
        let harnesses = match is_outside {
            true => outside::harnesses(&selection.commands, &directory)?,
            false => match command_flags::definitions(&selection.commands, &directory, &root)? {
                Some(typed) => harnesses(Some(command_flags::HARNESS), &typed)?,
                None => harnesses(selection.harness.as_deref(), &settings.definitions)?,
            },
        };
        Ok(Project {
            repository,
            root,
            cache,
            settings,
            harnesses,
            interrupt,
            terminal,
            is_measuring: false,
            architecture: None,
            is_outside,
            base_harnesses: None,
            rivals: OnceCell::new(),
            noise_floor: OnceCell::new(),
        })
    }

    /// Has the typed command measured against another one, both in the directory one stands in.
    pub(crate) fn put_against(
        &mut self,
        global: &Global,
        commands: &CommandArgs,
        against: &str,
    ) -> Result<(), Problem> {
        let directory = directory(global)?;
        let [base, head] = outside::opponents(commands, against)?;
        self.base_harnesses = Some(outside::harnesses(&base, &directory)?);
        self.harnesses = outside::harnesses(&head, &directory)?;
        Ok(())
    }

    /// What a side is built, listed and measured with.
    pub(crate) fn harnesses(&self, side: Side) -> &[Box<dyn Harness>] {
        match (&self.base_harnesses, side) {
            (Some(base), Side::Base) => base,
            _ => &self.harnesses,
        }
    }

    /// Where results are kept.
    pub(crate) fn results(&self) -> PathBuf {
        results(&self.root)
    }

    /// Extra arguments by harness.
    pub(crate) fn arguments(&self) -> HashMap<String, Arguments> {
        let of = |name: &str| {
            let configured = self.settings.harnesses.get(name).cloned().unwrap_or_default();
            (name.to_owned(), Arguments { build: configured.build_args, run: configured.args })
        };
        self.harnesses.iter().map(|harness| of(harness.name())).collect()
    }
}

/// The directory a command works in.
pub(crate) fn directory(global: &Global) -> Result<PathBuf, Problem> {
    let here = || std::env::current_dir();
    let asked = global.directory.clone().map_or_else(here, std::path::absolute);
    let found = asked.and_then(std::fs::canonicalize);
    found.map_err(|error| {
        let name = global.directory.clone().unwrap_or_default();
        Problem::misuse(
            anyhow::Error::new(error).context(format!("enter the directory `{}`", name.display())),
            "",
        )
    })
}

/// The results directory of a repository.
pub(crate) fn results(root: &Path) -> PathBuf {
    root.join(".benchwright")
}

/// A repository is not trusted to say where results go: a link in it could lead to any directory of the user.
fn refuse_link(dir: &Path) -> Result<(), Problem> {
    if !dir.is_symlink() {
        return Ok(());
    }
    let error = anyhow::anyhow!("use `{}` for results: it is a symbolic link", dir.display());
    Err(Problem::misuse(error, "remove it; benchwright makes a directory there"))
}

/// The store of the repository around the directory, for commands that only read it. It is opened for writing only where it has to
/// be brought up to date first, and copied where that is not possible.
pub(crate) fn open_store(global: &Global) -> Result<(PathBuf, Store), Problem> {
    let (root, dir) = results_here(global)?;
    let store = Store::open_read_only(&dir).or_else(|_| Store::open(&dir)).or_else(|error| match error {
        StoreError::Denied { .. } => Store::open_copy(&dir),
        error => Err(error),
    })?;
    Ok((root, store))
}

/// The same for a name that is no file either: without stored runs it means nothing.
pub(crate) fn open_store_for(global: &Global, name: &str) -> Result<Store, Problem> {
    match open_store(global) {
        Ok((_, store)) => Ok(store),
        Err(problem) if problem.is_misuse() => {
            let error = anyhow::anyhow!("no file `{name}`, and no stored runs here");
            let hint = "name a file of results, or run this in a repository where something was measured";
            Err(Problem::misuse(error, hint))
        }
        Err(problem) => Err(problem),
    }
}

/// The same for commands that change it.
pub(crate) fn open_store_to_write(global: &Global) -> Result<(PathBuf, Store), Problem> {
    let (root, dir) = results_here(global)?;
    Ok((root, Store::open(&dir)?))
}

/// The repository around the directory, and its results.
fn results_here(global: &Global) -> Result<(PathBuf, PathBuf), Problem> {
    let repository = match Repository::discover(&directory(global)?) {
        Ok(repository) => repository,
        // What commands outside a repository have left.
        Err(error) => outside::existing(&Cache::open()?).ok_or(error)?,
    };
    let root = work_tree(&repository)?;
    let dir = results(&root);
    refuse_link(&dir)?;
    if !dir.is_dir() {
        let error = anyhow::anyhow!("no results in `{}` yet", root.display());
        return Err(Problem::misuse(error, "`benchwright compare BASE` or `benchwright run` makes some"));
    }
    Ok((root, dir))
}

/// The directory that holds the repository's files.
pub(crate) fn work_tree(repository: &Repository) -> Result<PathBuf, Problem> {
    match repository.root() {
        Some(root) => Ok(root.to_owned()),
        None => {
            let error = anyhow::anyhow!(
                "the repository `{}` is bare: it has no working tree",
                repository.git_dir().display()
            );
            Err(Problem::misuse(error, "run benchwright in a clone"))
        }
    }
}

/// All settings of a command that needs no repository: where there is none, the configuration of the directory itself.
pub(crate) fn settings_anywhere(
    global: &Global,
    flags: Layer,
    terminal: Terminal,
) -> Result<Settings, Problem> {
    let directory = directory(global)?;
    let repository = Repository::discover(&directory).ok();
    let root = repository.as_ref().and_then(Repository::root).unwrap_or(&directory).to_owned();
    settings(global, &directory, &root, flags, terminal)
}

/// All settings of a command in `directory`.
pub(crate) fn settings(
    global: &Global,
    directory: &Path,
    root: &Path,
    flags: Layer,
    terminal: Terminal,
) -> Result<Settings, Problem> {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let (environment, notices) = read_environment(variables).map_err(misconfigured)?;
    let path = global.config.clone().or_else(|| find_file(directory, root));
    let file = match &path {
        Some(path) => read_file(path).map_err(misconfigured)?,
        None => Layer::default(),
    };
    for notice in &notices {
        terminal.notice(notice);
    }
    let mut settings = Settings::resolve(flags.over(environment).over(file)).map_err(misconfigured)?;
    let above = path.and_then(|path| std::path::absolute(path).ok()?.parent().map(Path::to_owned));
    move_below(&mut settings.definitions, &below(&above.unwrap_or_default(), root));
    Ok(settings)
}

/// Where `directory` lies in every version: its path below `root`, empty if it is not there.
pub(crate) fn below(directory: &Path, root: &Path) -> PathBuf {
    directory.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// Directories in a file are relative to the file's own.
fn move_below(definitions: &mut Definitions, base: &Path) {
    let commands = definitions.commands.iter_mut().map(|command| &mut command.dir);
    let shims = definitions.shims.iter_mut().map(|shim| &mut shim.dir);
    for dir in commands.chain(shims) {
        // An empty part would leave a slash at the end.
        *dir = base.join(&dir).components().collect();
    }
}

pub(crate) fn harnesses(
    only: Option<&str>,
    definitions: &Definitions,
) -> Result<Vec<Box<dyn Harness>>, Problem> {
    let mut all = benchwright_harness::configured(definitions);
    let Some(name) = only else { return Ok(all) };
    let names: Vec<&str> = all.iter().map(|harness| harness.name()).collect();
    let hint = format!("known harnesses: {}", names.join(", "));
    all.retain(|harness| harness.name() == name);
    match all.is_empty() {
        false => Ok(all),
        true => Err(Problem::misuse(anyhow::anyhow!("unknown harness `{name}`"), hint)),
    }
}

/// Flags as a layer of settings.
pub(crate) fn flag_layer(
    global: &Global,
    selection: &Selection,
    measuring: Option<&Measuring>,
    verdict: Option<&VerdictArgs>,
) -> Result<Layer, Problem> {
    let mut layer = Layer::default();
    let mut set = |key: &str, value: Option<String>| match value {
        Some(value) => layer.set(key, &value).map_err(Problem::from),
        None => Ok(()),
    };
    set("filter", selection.filter.clone())?;
    set("skip", selection.skip.clone())?;
    if let Some(measuring) = measuring {
        set("iterations", measuring.iterations.map(|n| n.to_string()))?;
        set("iteration-time", measuring.iteration_time.clone())?;
        set("warmup-time", measuring.warmup_time.clone())?;
        set("stop", measuring.stop.clone())?;
        // A typed path counts from where it is typed, one in the file from the root of the project.
        let models =
            measuring.stop_models.as_ref().map(|path| Ok::<_, Problem>(directory(global)?.join(path)));
        set("stop-models", models.transpose()?.map(|path| path.display().to_string()))?;
        set("max-warmup", measuring.max_warmup.clone())?;
        set("trial-timeout", measuring.trial_timeout.clone())?;
        set("trial-memory", measuring.trial_memory.clone())?;
        set("budget", measuring.budget.clone())?;
        set("wait", if measuring.no_wait { Some("0".into()) } else { measuring.wait.clone() })?;
        set("seed", measuring.seed.map(|n| n.to_string()))?;
        let cores: Vec<String> = measuring.cores.iter().map(usize::to_string).collect();
        set("cores", (!cores.is_empty()).then(|| cores.join(",")))?;
        set("niceness", measuring.niceness.map(|n| n.to_string()))?;
    }
    if let Some(verdict) = verdict {
        set("threshold", verdict.threshold.clone())?;
        set("fail-threshold", verdict.fail_threshold.clone())?;
        set("confirm", verdict.confirm.clone())?;
        set("rule", verdict.rule.clone())?;
        set("duets", verdict.duets.map(|n| n.to_string()))?;
        set("min-duets", verdict.min_duets.map(|n| n.to_string()))?;
        set("max-duets", verdict.max_duets.map(|n| n.to_string()))?;
        set("layouts", verdict.layouts.map(|n| n.to_string()))?;
        set("injected", verdict.injected.clone())?;
        set("fail-on", (!verdict.fail_on.is_empty()).then(|| verdict.fail_on.join(",")))?;
        set("require-decided", verdict.require_decided.clone())?;
        if verdict.quick {
            layer = layer.over(Layer::quick());
        }
    }
    Ok(layer)
}
