//! The request to prepare a version, and the result.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use benchwright_harness::{Architecture, Executable, Harness, ListedTime, PackageFilter, Project};
use benchwright_model::{BenchmarkId, Diagnostic};
use benchwright_process::Interrupt;
use benchwright_worker::TrialLimits;

use crate::versions::{Cache, Checkout, Repository};

/// The version to build.
pub struct PrepareRequest<'a> {
    /// The cache that holds the builds.
    pub cache: &'a Cache,
    /// The repository whose versions share intermediate files.
    pub repository: &'a Repository,
    /// The version's files.
    pub checkout: &'a Checkout,
    /// The tools to look for.
    pub harnesses: &'a [Box<dyn Harness>],
    /// Extra arguments by the name of the harness. A harness that is not in the map gets none.
    pub arguments: &'a HashMap<String, Arguments>,
    /// The architecture the programs will run on, if it is not that of this machine. They are then built a
    /// second time; the build for this machine shows which benchmarks they contain.
    pub architecture: Option<Architecture>,
    /// Which benchmarks are asked for, if not all. Packages without any of them are not built or listed, as
    /// far as this is known beforehand.
    pub filter: Option<&'a dyn PackageFilter>,
    /// The limits of a program while its benchmarks are listed. The time limit comes from its harness.
    pub limits: TrialLimits,
    /// Stops the work early.
    pub interrupt: &'a Interrupt,
}

/// Extra arguments for one harness.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments {
    /// For its build tool.
    pub build: Vec<String>,
    /// For its benchmark programs.
    pub run: Vec<String>,
}

/// A version that is ready to run.
#[derive(Debug, Clone)]
pub struct Build {
    /// Changes whenever something changes that determines the executables.
    pub key: String,
    /// The root of the version's files.
    pub root: PathBuf,
    /// The file with the list of the version's files.
    pub listing: PathBuf,
    /// Harness and tool chain of each project, without duplicates.
    pub toolchains: Vec<(String, String)>,
    /// The executables, in the order of projects and packages.
    pub executables: Vec<BuiltExecutable>,
    /// Diagnostics about projects and packages that could not be built or listed, and about doubtful results.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether everything came from the cache.
    pub cached: bool,
}

/// One executable of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltExecutable {
    /// The executable as the harness describes it.
    pub executable: Executable,
    /// The project it belongs to.
    pub project: Project,
    /// The tool chain that built it, as it names itself.
    pub toolchain: String,
    /// The directory its path is relative to.
    pub out: PathBuf,
    /// Digest of its behaviour: equal for the same code built in two check-outs.
    pub digest: String,
    /// The benchmarks in it, in its own order.
    pub benchmarks: Vec<BenchmarkId>,
    /// How long they took in the listing run, if it ran them.
    pub listed: BTreeMap<BenchmarkId, ListedTime>,
    /// If the program is for another processor: the same program for this machine, and the directory that its
    /// path is relative to.
    pub here: Option<(Executable, PathBuf)>,
}

impl BuiltExecutable {
    /// The program's full path.
    pub fn program(&self) -> PathBuf {
        self.out.join(&self.executable.path)
    }
}

impl Build {
    /// Every benchmark with its executable, in order.
    pub fn benchmarks(&self) -> impl Iterator<Item = (&BenchmarkId, &BuiltExecutable)> {
        self.executables
            .iter()
            .flat_map(|built| built.benchmarks.iter().map(move |benchmark| (benchmark, built)))
    }
}
