//! What a request contains besides settings: directories, benchmarks, plan and place.

use std::path::PathBuf;

use benchwright_harness::CommandDefinition;
use benchwright_process::Interrupt;
use benchwright_runner::Cache;

use crate::problem::{Problem, because};

/// Where a session works.
#[derive(Clone)]
pub struct Workspace {
    /// A directory of the repository. `None` means the current one.
    pub directory: Option<PathBuf>,
    /// The configuration file. `None` searches for `benchwright.toml` from the directory up to the
    /// repository's root.
    pub config: Option<PathBuf>,
    /// The directory of check-outs and builds. `None` uses `BENCHWRIGHT_CACHE`, or else the user's cache
    /// directory.
    pub cache: Option<PathBuf>,
    /// Where results are kept; none: `.benchwright` in the repository.
    pub results: Option<PathBuf>,
    /// Ends what runs as soon as it is set. A session installs no signal handler by itself; see
    /// [`Interrupt::listen_for_signals`].
    pub interrupt: Interrupt,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace { directory: None, config: None, cache: None, results: None, interrupt: Interrupt::new() }
    }
}

impl Workspace {
    /// The workspace of this directory.
    pub fn at(directory: impl Into<PathBuf>) -> Workspace {
        Workspace { directory: Some(directory.into()), ..Workspace::default() }
    }

    /// The directory, without symbolic links.
    pub fn directory(&self) -> Result<PathBuf, Problem> {
        let here = || std::env::current_dir();
        let asked = self.directory.clone().map_or_else(here, std::path::absolute);
        let found = asked.and_then(std::fs::canonicalize);
        found.map_err(|error| {
            let name = self.directory.clone().unwrap_or_default();
            Problem::misuse(because(format!("enter the directory `{}`", name.display()), error), "")
        })
    }

    /// The cache of check-outs and builds.
    pub fn cache(&self) -> Result<Cache, Problem> {
        Ok(self.cache.as_deref().map_or_else(Cache::open, Cache::at)?)
    }
}

/// Which benchmarks, and arguments for their harness. Filters are settings (`filter`, `skip`).
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Only benchmarks of this harness.
    pub harness: Option<String>,
    /// Extra arguments for the build tool.
    pub build_args: Vec<String>,
    /// Extra arguments for the benchmark program.
    pub harness_args: Vec<String>,
    /// Commands to measure instead of the repository's benchmarks. They run in the workspace's directory.
    pub commands: Vec<CommandDefinition>,
    /// The command that the only command is compared with, under the same name. Both run in the workspace's
    /// directory.
    pub against: Option<CommandDefinition>,
}

/// Which plan to follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PlanChoice {
    /// `benchwright.plan.toml` of the repository, if there is one.
    #[default]
    OfRepository,
    /// This file.
    File(PathBuf),
    /// No plan.
    Ignored,
}

/// Where a comparison measures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceChoice {
    /// The name of a [place](crate::place::PROVIDERS). Empty or `local` means this machine.
    pub on: String,
    /// Whether benchmarks that cannot run there run on this machine.
    pub has_fallback: bool,
}

impl PlaceChoice {
    /// Whether it is this machine.
    pub fn is_here(&self) -> bool {
        matches!(self.on.as_str(), "" | "local")
    }
}
