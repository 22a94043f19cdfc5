//! The repository that a command works in, and its settings.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_config::{GivenNumbers, Layer, Settings, find_file, read_environment, read_file};
use benchwright_harness::{Architecture, Definitions, Harness};
use benchwright_model::Side;
use benchwright_process::Interrupt;
use benchwright_runner::{Arguments, Cache, Repository};
use benchwright_store::{Store, StoreError};
use benchwright_worker::machine;

use crate::listener::Listener;
use crate::outside;
use crate::problem::{Problem, misconfigured};
use crate::request::{Selection, Workspace};

/// The harness that measures commands.
pub const COMMAND_HARNESS: &str = "command";

/// Everything a command that measures needs.
pub struct Project {
    /// The repository.
    pub repository: Repository,
    /// The directory of its files.
    pub root: PathBuf,
    /// Where check-outs and builds are kept.
    pub cache: Cache,
    /// All settings.
    pub settings: Settings,
    /// The harnesses that build, list and measure the benchmarks.
    pub harnesses: Vec<Box<dyn Harness>>,
    /// Stops what runs.
    pub interrupt: Interrupt,
    /// Whether the machine's lock is held, so that no other benchwright uses the check-outs.
    pub is_measuring: bool,
    /// The architecture to build for, if it is not that of this machine.
    pub architecture: Option<Architecture>,
    /// Where results are kept.
    results: PathBuf,
    /// Whether there is no repository: typed commands run where one stands.
    pub is_outside: bool,
    /// The harnesses of base, if base is another command than head.
    pub base_harnesses: Option<Vec<Box<dyn Harness>>>,
    /// The numbers that plans choose too, if the caller gave them.
    pub given: GivenNumbers,
    /// How much two successive measurements differ on this machine, once that was measured.
    noise: OnceCell<Option<f64>>,
}

impl Project {
    /// How much two successive measurements differ on this machine, as a ratio. Measuring this takes half a
    /// second.
    pub fn noise(&self) -> Option<f64> {
        const TIME: Duration = Duration::from_millis(500);
        *self.noise.get_or_init(|| Some(machine::noise_floor(TIME, || false)?.between_neighbours))
    }

    /// Finds the repository around the directory and combines all settings. `given` takes precedence over the
    /// environment, the environment over the file, and the file over the defaults.
    pub fn open(
        workspace: &Workspace,
        selection: &Selection,
        given: Layer,
        listener: &mut dyn Listener,
    ) -> Result<Project, Problem> {
        let directory = workspace.directory()?;
        let cache = workspace.cache()?;
        let (repository, is_outside) = match Repository::discover(&directory) {
            Ok(repository) => (repository, false),
            Err(_) if !selection.commands.is_empty() => (outside::stand_in(&cache)?, true),
            Err(error) => return Err(error.into()),
        };
        let root = work_tree(&repository)?;
        refuse_link(&results(&root))?;
        let results = workspace.results.clone().unwrap_or_else(|| results(&root));
        let around = if is_outside { &directory } else { &root };
        let numbers = given.given_numbers();
        let settings = settings(workspace, &directory, around, given, listener)?;
        let mut base_harnesses = None;
        let harnesses = match &selection.against {
            _ if selection.commands.is_empty() => {
                harnesses(selection.harness.as_deref(), &settings.definitions)?
            }
            Some(against) => {
                base_harnesses = Some(outside::harnesses(std::slice::from_ref(against), &directory)?);
                outside::harnesses(&selection.commands, &directory)?
            }
            None if is_outside => outside::harnesses(&selection.commands, &directory)?,
            None => {
                let mut typed =
                    Definitions { commands: selection.commands.clone(), ..Definitions::default() };
                move_below(&mut typed, &below(&directory, &root));
                harnesses(Some(COMMAND_HARNESS), &typed)?
            }
        };
        Ok(Project {
            repository,
            root,
            results,
            cache,
            settings,
            harnesses,
            interrupt: workspace.interrupt.clone(),
            is_measuring: false,
            architecture: None,
            is_outside,
            base_harnesses,
            given: numbers,
            noise: OnceCell::new(),
        })
    }

    /// The harnesses that build, list and measure a side.
    pub fn harnesses(&self, side: Side) -> &[Box<dyn Harness>] {
        match (&self.base_harnesses, side) {
            (Some(base), Side::Base) => base,
            _ => &self.harnesses,
        }
    }

    /// The directory of the results.
    pub fn results(&self) -> PathBuf {
        self.results.clone()
    }

    /// Extra arguments by harness.
    pub fn arguments(&self) -> HashMap<String, Arguments> {
        let of = |name: &str| {
            let configured = self.settings.harnesses.get(name).cloned().unwrap_or_default();
            (name.to_owned(), Arguments { build: configured.build_args, run: configured.args })
        };
        self.harnesses.iter().map(|harness| of(harness.name())).collect()
    }
}

/// The results directory of a repository.
pub fn results(root: &Path) -> PathBuf {
    root.join(".benchwright")
}

/// Refuses a results directory that is a symbolic link. The repository is not trusted, and a link could lead
/// to any directory of the user.
fn refuse_link(dir: &Path) -> Result<(), Problem> {
    if !dir.is_symlink() {
        return Ok(());
    }
    let error = format!("use `{}` for results: it is a symbolic link", dir.display());
    Err(Problem::misuse(error, "remove it; benchwright makes a directory there"))
}

/// Opens the store of the repository around the directory, for commands that only read it. It is opened for
/// writing only if it has to be upgraded first, and copied if that is not permitted.
pub fn open_store(workspace: &Workspace) -> Result<(PathBuf, Store), Problem> {
    let (root, dir) = results_here(workspace)?;
    let store = Store::open_read_only(&dir).or_else(|_| Store::open(&dir)).or_else(|error| match error {
        StoreError::Denied { .. } => Store::open_copy(&dir),
        error => Err(error),
    })?;
    Ok((root, store))
}

/// Opens the store to look for `name`, which is not a file. Without stored runs the name is unknown.
pub fn open_store_for(workspace: &Workspace, name: &str) -> Result<Store, Problem> {
    match open_store(workspace) {
        Ok((_, store)) => Ok(store),
        Err(problem) if problem.is_misuse() => {
            let error = format!("no file `{name}`, and no stored runs here");
            let hint = "name a file of results, or run this in a repository where something was measured";
            Err(Problem::misuse(error, hint))
        }
        Err(problem) => Err(problem),
    }
}

/// Opens the store for commands that change it.
pub fn open_store_to_write(workspace: &Workspace) -> Result<(PathBuf, Store), Problem> {
    let (root, dir) = results_here(workspace)?;
    Ok((root, Store::open(&dir)?))
}

/// The repository around the directory, and its results.
fn results_here(workspace: &Workspace) -> Result<(PathBuf, PathBuf), Problem> {
    let repository = match Repository::discover(&workspace.directory()?) {
        Ok(repository) => repository,
        // Commands outside a repository store their results in the stand-in.
        Err(error) => outside::existing(&workspace.cache()?).ok_or(error)?,
    };
    let root = work_tree(&repository)?;
    let dir = results(&root);
    refuse_link(&dir)?;
    if !dir.is_dir() {
        let error = format!("no results in `{}` yet", root.display());
        return Err(Problem::misuse(error, "`benchwright compare BASE` or `benchwright run` makes some"));
    }
    Ok((root, dir))
}

/// The directory that holds the repository's files.
pub fn work_tree(repository: &Repository) -> Result<PathBuf, Problem> {
    match repository.root() {
        Some(root) => Ok(root.to_owned()),
        None => {
            let error = format!(
                "the repository `{}` is bare: it has no working tree",
                repository.git_dir().display()
            );
            Err(Problem::misuse(error, "run benchwright in a clone"))
        }
    }
}

/// All settings of a command that needs no repository. Outside a repository, the configuration of the
/// directory is used.
pub fn settings_anywhere(
    workspace: &Workspace,
    given: Layer,
    listener: &mut dyn Listener,
) -> Result<Settings, Problem> {
    let directory = workspace.directory()?;
    let repository = Repository::discover(&directory).ok();
    let root = repository.as_ref().and_then(Repository::root).unwrap_or(&directory).to_owned();
    settings(workspace, &directory, &root, given, listener)
}

/// All settings of a command in `directory`.
pub fn settings(
    workspace: &Workspace,
    directory: &Path,
    root: &Path,
    given: Layer,
    listener: &mut dyn Listener,
) -> Result<Settings, Problem> {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let (environment, notices) = read_environment(variables).map_err(misconfigured)?;
    let path = workspace.config.clone().or_else(|| find_file(directory, root));
    let file = match &path {
        Some(path) => read_file(path).map_err(misconfigured)?,
        None => Layer::default(),
    };
    notices.iter().for_each(|notice| listener.notice(notice));
    let mut settings = Settings::resolve(given.over(environment).over(file)).map_err(misconfigured)?;
    let above = path.and_then(|path| std::path::absolute(path).ok()?.parent().map(Path::to_owned));
    move_below(&mut settings.definitions, &below(&above.unwrap_or_default(), root));
    Ok(settings)
}

/// The path of `directory` below `root`, which is the same in every version. Empty if it is not below `root`.
pub fn below(directory: &Path, root: &Path) -> PathBuf {
    directory.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// Directories in a configuration file are relative to the directory of the file.
fn move_below(definitions: &mut Definitions, base: &Path) {
    let commands = definitions.commands.iter_mut().map(|command| &mut command.dir);
    let shims = definitions.shims.iter_mut().map(|shim| &mut shim.dir);
    for dir in commands.chain(shims) {
        // Joining an empty path would leave a slash at the end.
        *dir = base.join(&dir).components().collect();
    }
}

/// All harnesses with these definitions, or the one called `only`.
pub fn harnesses(only: Option<&str>, definitions: &Definitions) -> Result<Vec<Box<dyn Harness>>, Problem> {
    let mut all = benchwright_harness::configured(definitions);
    let Some(name) = only else { return Ok(all) };
    let names: Vec<&str> = all.iter().map(|harness| harness.name()).collect();
    let hint = format!("known harnesses: {}", names.join(", "));
    all.retain(|harness| harness.name() == name);
    match all.is_empty() {
        false => Ok(all),
        true => Err(Problem::misuse(format!("unknown harness `{name}`"), hint)),
    }
}
