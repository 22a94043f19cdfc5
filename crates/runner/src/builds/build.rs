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
    /// Where builds are kept.
    pub cache: &'a Cache,
    /// The repository whose versions share intermediate files.
    pub repository: &'a Repository,
    /// The version's files.
    pub checkout: &'a Checkout,
    /// The tools to look for.
    pub harnesses: &'a [Box<dyn Harness>],
    /// Extra arguments by the harness' name; a harness not in it gets none.
    pub arguments: &'a HashMap<String, Arguments>,
    /// What the programs are to run on, where that is not this machine: they are built a second time, and what they contain is
    /// known from this machine's own build.
    pub architecture: Option<Architecture>,
    /// Which benchmarks are asked for, where that is not all: packages without any are not built or listed, as far as that can be
    /// known beforehand.
    pub filter: Option<&'a dyn PackageFilter>,
    /// What a program may use while its benchmarks are listed. How long it may take, its harness says.
    pub limits: TrialLimits,
    /// Ends it early.
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

/// A version, ready to run.
#[derive(Debug, Clone)]
pub struct Build {
    /// Changes whenever anything changes that decides what the executables are.
    pub key: String,
    /// The root of the version's files.
    pub root: PathBuf,
    /// The file that remembers which files those are.
    pub listing: PathBuf,
    /// Harness and tool chain of each project, each pair once.
    pub toolchains: Vec<(String, String)>,
    /// In the order of projects and packages.
    pub executables: Vec<BuiltExecutable>,
    /// Projects and packages that could not be built or listed, and other doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether everything came from the cache.
    pub cached: bool,
}

/// One executable of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltExecutable {
    /// What the harness says of it.
    pub executable: Executable,
    /// The project it belongs to.
    pub project: Project,
    /// The tool chain that built it, in its own words.
    pub toolchain: String,
    /// The directory its path is relative to.
    pub out: PathBuf,
    /// Of what it does: equal for the same code built in two check-outs.
    pub digest: String,
    /// The benchmarks in it, in its own order.
    pub benchmarks: Vec<BenchmarkId>,
    /// How long they took in the listing run, where it ran them.
    pub listed: BTreeMap<BenchmarkId, ListedTime>,
    /// Where the program is one for another processor: this machine's own, and the directory its path is relative to.
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
