//! The interface of a harness: its methods and their input.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_model::wire::nanoseconds;
use benchwright_model::{BenchmarkId, Configured, Diagnostic, Measurement, SampleKind};
use serde::{Deserialize, Serialize};

use crate::{
    CodeLookup, ListedTime, PackageFilter, PackageSelection, Portability, Relinking, Stop, TrialLength,
    Warmup, WorkingFiles,
};

/// A benchmark tool.
///
/// Implementations have no state but their configuration. Everything they learn is in the values they return,
/// so that a build made in one process can be listed and run by another. Only finding and building projects
/// may use the configuration, because it may be missing when the build is listed or run.
///
/// The first eight methods have to be implemented. They are followed by facts with safe defaults, and then by
/// optional capabilities, each of which is a trait of its own in this crate.
pub trait Harness: Send + Sync {
    /// Its name in identities and configuration: `go`, `cargo`.
    fn name(&self) -> &'static str;

    /// The kind of samples that its trials have. Statistics, the usual length of trials and the number of
    /// duets depend on it.
    fn samples(&self) -> SampleKind;

    /// The projects of this harness at or below `root`, outermost first. Reads only directory entries and
    /// manifests, so there may be projects without benchmarks. The order is by path.
    fn recognise(&self, root: &Path) -> Vec<Project>;

    /// A text that changes whenever the tool chain does. It is part of a build's identity and is shown to
    /// people. If the tool chain is missing, the error has a hint on how to install it. `args` are those for
    /// building, which may choose a tool chain.
    fn toolchain(
        &self,
        project: &Project,
        args: &[String],
        run: &mut dyn StepRunner,
    ) -> Result<String, HarnessError>;

    /// Builds every executable of the project that contains benchmarks.
    fn build(&self, request: &BuildRequest<'_>, run: &mut dyn StepRunner) -> Result<Built, HarnessError>;

    /// Finds the benchmarks in one executable.
    fn list(&self, request: &ListRequest<'_>, run: &mut dyn StepRunner) -> Result<Listing, HarnessError>;

    /// The command line of one trial.
    fn command(&self, request: &TrialRequest<'_>) -> TrialCommand;

    /// A reader for the output of such a trial.
    fn reader(&self, executable: &Executable, benchmark: &BenchmarkId, shape: &TrialShape)
    -> Box<dyn Reader>;

    /// What makes a directory one of its projects. This is shown if no project is found.
    fn looks_for(&self) -> &'static str {
        ""
    }

    /// What its settings `build-args` and `args` are for, with an example of each, in sentences for the
    /// configuration file.
    fn arguments_help(&self) -> &'static str {
        ""
    }

    /// Whether a path of the project (relative, with `/`) is source that is compiled into the executables. If
    /// executables are identical, differences in such a file do not matter. All other files count as data
    /// that a benchmark may read.
    fn is_source(&self, _path: &str) -> bool {
        false
    }

    /// Whether building and running share one list of arguments, from which each uses its own, as in `go
    /// test`.
    fn shares_arguments(&self) -> bool {
        false
    }

    /// The definition in the configuration as text. It is part of a build's identity, because the same files
    /// and tool chain give another result under another definition. Empty if nothing is defined.
    fn definition(&self) -> String {
        String::new()
    }

    /// [`Relinking`], if its programs can be linked with their functions in another order.
    fn relinking(&self) -> Option<&dyn Relinking> {
        None
    }

    /// [`PackageSelection`], if it can build only the packages that are asked for.
    fn package_selection(&self) -> Option<&dyn PackageSelection> {
        None
    }

    /// [`Portability`], if its programs run on other machines.
    fn portability(&self) -> Option<&dyn Portability> {
        None
    }

    /// [`Warmup`], if a stop rule can end its trials, or find their warm-up.
    fn warmup(&self) -> Option<&dyn Warmup> {
        None
    }

    /// [`TrialLength`], if the length of its trials differs from their shape.
    fn trial_length(&self) -> Option<&dyn TrialLength> {
        None
    }

    /// [`CodeLookup`], if it can find the code of a single benchmark.
    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        None
    }

    /// [`WorkingFiles`], if its builds or trials leave files in shared places.
    fn working_files(&self) -> Option<&dyn WorkingFiles> {
        None
    }
}

/// A unit that a harness builds: a Go module, a Cargo workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The name of the harness.
    pub harness: String,
    /// Its directory relative to the version's root. Empty for the root itself.
    pub dir: PathBuf,
}

/// A command of a harness, to build or to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The purpose, as a fragment that reads after "cannot": `build package encoding/json`.
    pub purpose: String,
    /// The program, looked up in PATH.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Working directory.
    pub dir: PathBuf,
    /// Environment variables that are added to the common ones.
    pub env: Vec<(String, String)>,
    /// After this time the whole process group is killed, and the step has failed.
    pub timeout: Duration,
}

/// The output of a step. A step with an exit status other than 0 has an output too; the harness decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepOutput {
    /// Exit status; 0 is success.
    pub status: i32,
    /// Standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, with invalid UTF-8 replaced.
    pub stderr: String,
    /// The file that holds both in full.
    pub log: PathBuf,
}

/// Carries out steps. This is the only way in which a harness accesses the outside world.
pub trait StepRunner {
    /// Runs the step until it ends.
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure>;

    /// The same, with the time from the start of the step to each line of its standard output. Empty if that
    /// is not known.
    fn run_timed(&mut self, step: &Step) -> Result<(StepOutput, Vec<Duration>), StepFailure> {
        Ok((self.run(step)?, Vec::new()))
    }
}

/// Why a step has no output at all.
#[derive(Debug, thiserror::Error)]
pub enum StepFailure {
    /// The program does not exist.
    #[error("find the program `{0}`")]
    NoProgram(String),
    /// It exceeded its time limit and was killed.
    #[error("finish within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// It printed more than this many bytes and was killed.
    #[error("it {}", self.limit().unwrap_or_default())]
    TooMuchOutput(u64),
    /// It and its child processes used more than this many bytes of memory and were killed.
    #[error("it {}", self.limit().unwrap_or_default())]
    TooMuchMemory(u64),
    /// The user interrupted it.
    #[error("finish before the interrupt")]
    Interrupted,
    /// Another error of the system.
    #[error("start the process")]
    System(#[from] std::io::Error),
}

/// Why a project could not be built or listed.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The tool chain is missing.
    #[error("find the tool chain: no program `{program}`")]
    ToolChainMissing {
        /// The program that was not found.
        program: String,
        /// How to install it.
        hint: String,
    },
    /// A step could not be carried out.
    #[error("{purpose}")]
    Step {
        /// The step's purpose.
        purpose: String,
        /// The cause.
        source: StepFailure,
    },
    /// The tool failed.
    #[error("{purpose}")]
    Tool {
        /// The step's purpose.
        purpose: String,
        /// Its exit status.
        status: i32,
        /// The tool's own message: the part of its output that users need.
        message: String,
        /// The file with the complete output.
        log: PathBuf,
    },
    /// The output of the tool is not as expected.
    #[error("understand the output of `{purpose}`: {message}")]
    Output {
        /// The step's purpose.
        purpose: String,
        /// What was expected and what was found.
        message: String,
    },
    /// The project cannot be built in a meaningful way.
    #[error("{purpose}: {message}")]
    Unbuildable {
        /// The purpose of the build.
        purpose: String,
        /// Why it is not possible.
        message: String,
        /// What to change.
        hint: String,
    },
    /// A file of the project cannot be read.
    #[error("read `{path}`")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl HarnessError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            HarnessError::ToolChainMissing { hint, .. } | HarnessError::Unbuildable { hint, .. } => {
                hint.clone()
            }
            HarnessError::Tool { log, .. } => format!("the whole output is in {}", log.display()),
            _ => String::new(),
        }
    }
}

/// A request to build a project.
#[derive(Debug, Clone)]
pub struct BuildRequest<'a> {
    /// The root of the checked-out version.
    pub root: &'a Path,
    /// The project.
    pub project: &'a Project,
    /// Directory for the executables. It is empty at the start and stays with the build.
    pub out: &'a Path,
    /// Directory for intermediate files (Cargo's target directory), shared between versions of one repository.
    pub intermediate: &'a Path,
    /// Directory for files that all versions of the project share, whatever the tool chain (a lock file). It
    /// is never removed.
    pub shared: &'a Path,
    /// Extra arguments for the build tool (`--features x`, `-tags y`), from configuration or after `--`.
    pub args: &'a [String],
}

/// The executables of one project of one version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Built {
    /// The executables, in the order of their packages.
    pub executables: Vec<Executable>,
    /// Diagnostics about parts that could not be built or are doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

/// A program that contains benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// The name of the harness.
    pub harness: String,
    /// The [`BenchmarkId::package`] of its benchmarks, or a name for all of them if they belong to several
    /// packages.
    pub package: String,
    /// The flavour within the harness: `go`; `criterion`, `divan`, `libtest`.
    pub flavour: String,
    /// Version of the benchmark library, such as `0.5.1`. Empty if unknown.
    pub flavour_version: String,
    /// The program, relative to [`BuildRequest::out`].
    pub path: PathBuf,
    /// The working directory of its trials, relative to the version's root.
    pub dir: PathBuf,
    /// Environment variables that its trials need in addition to the common ones (`CARGO_MANIFEST_DIR` ...).
    /// Paths below the version's root are written with a leading `{root}`.
    pub env: Vec<(String, String)>,
}

/// Which executable to link in another order.
#[derive(Debug, Clone)]
pub struct RelinkRequest<'a> {
    /// How it was built. [`BuildRequest::out`] now contains the executables.
    pub build: BuildRequest<'a>,
    /// The executable.
    pub executable: &'a Executable,
    /// The new program's path, in an empty directory.
    pub target: &'a Path,
    /// A directory, which may not exist, for files that all relinkings of this executable share. It stays
    /// with the build.
    pub keep: &'a Path,
    /// Seed of the order.
    pub seed: u64,
}

/// The result of linking again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relinked {
    /// The program is in the requested place, and its functions are in another order.
    Done,
    /// It is not possible, for this reason: a fragment that reads after a colon.
    Cannot(String),
}

/// A request for the benchmarks of an executable.
#[derive(Clone)]
pub struct ListRequest<'a> {
    /// The root of the checked-out version.
    pub root: &'a Path,
    /// The build's directory, [`BuildRequest::out`].
    pub out: &'a Path,
    /// The program.
    pub executable: &'a Executable,
    /// An empty directory for files of the listing run.
    pub scratch: &'a Path,
    /// Extra arguments for the benchmark program (`-cpu 1,4`, `-benchmem=false`).
    pub args: &'a [String],
    /// Which benchmarks are asked for, if not all. A harness that has to run benchmarks to find them skips as
    /// many as it can.
    pub filter: Option<&'a dyn PackageFilter>,
}

/// The benchmarks of one executable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The benchmarks in the order in which the tool names them, without duplicates.
    pub benchmarks: Vec<BenchmarkId>,
    /// Diagnostics about duplicate names, benchmarks that failed in the listing run, and unreadable lines.
    pub diagnostics: Vec<Diagnostic>,
    /// How long benchmarks took in the listing run, if it ran them.
    pub times: BTreeMap<BenchmarkId, ListedTime>,
    /// Which benchmarks may be missing.
    pub missing: Missing,
}

/// Benchmarks that a listing may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Missing {
    /// None.
    #[default]
    Nothing,
    /// Benchmarks that the filter of the request excludes. Another filter finds others.
    Excluded,
    /// Also benchmarks that reached a limit of memory or output. With another limit there may be more.
    Limited,
}

/// How long a trial measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialShape {
    /// Number of iterations: timed batches within the process.
    pub iterations: u32,
    /// Time of one iteration.
    #[serde(rename = "iteration_time_ns", with = "nanoseconds")]
    pub iteration_time: Duration,
    /// Number of operations that take [`TrialShape::iteration_time`], if known. A harness that supports this
    /// measures exactly this many, instead of searching for a number in every iteration.
    pub operations: Option<NonZeroU64>,
    /// Time to warm up before the first iteration, for harnesses with such an option.
    #[serde(rename = "warmup_time_ns", with = "nanoseconds")]
    pub warmup_time: Duration,
    /// Whether the suite's own settings make trials much longer than this. A tool that can override them then
    /// does so.
    #[serde(default)]
    pub is_overruled: bool,
    /// What ends a trial.
    pub stop: Stop,
    /// Extra arguments for the benchmark program.
    pub args: Vec<String>,
}

impl TrialShape {
    /// Exactly this many iterations of this length.
    pub fn fixed(iterations: u32, iteration_time: Duration) -> TrialShape {
        TrialShape {
            iterations,
            iteration_time,
            operations: None,
            warmup_time: Duration::ZERO,
            is_overruled: false,
            stop: Stop::Fixed,
            args: Vec::new(),
        }
    }
}

/// How long a trial is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialTime {
    /// The expected mean.
    pub usual: Duration,
    /// The longest time, if no benchmark becomes steady. The same as `usual` if the trial does not wait for
    /// that.
    pub longest: Duration,
}

impl TrialTime {
    /// The time of a trial that mainly consists of its iterations. The process also needs time to start and
    /// to find its batch size.
    pub fn of_iterations(shape: &TrialShape) -> Self {
        let iterations = shape.iteration_time.saturating_mul(shape.iterations);
        TrialTime::always(iterations.saturating_add(iterations / 4))
    }

    /// The same for programs that take long to start: an interpreter that loads a test runner, packages and
    /// its own calibration.
    pub fn with_start(shape: &TrialShape, start: Duration) -> Self {
        TrialTime::always(TrialTime::of_iterations(shape).usual.saturating_add(start))
    }

    /// A constant time.
    pub fn always(time: Duration) -> Self {
        TrialTime { usual: time, longest: time }
    }
}

/// A request for the command line of a trial.
#[derive(Debug, Clone)]
pub struct TrialRequest<'a> {
    /// The root of the version's files.
    pub root: &'a Path,
    /// The build's directory, [`BuildRequest::out`].
    pub out: &'a Path,
    /// The program that contains the benchmark.
    pub executable: &'a Executable,
    /// The benchmark.
    pub benchmark: &'a BenchmarkId,
    /// How long to measure.
    pub shape: &'a TrialShape,
    /// An empty directory for the trial's own files. It is removed when the reader is done.
    pub scratch: &'a Path,
}

/// The command line of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrialCommand {
    /// The program to start if it is not the executable itself but runs it (`java`, `python`, `node`). It is
    /// looked up in PATH unless it is a path.
    pub program: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables that are added to those of the executable.
    pub env: Vec<(String, OsString)>,
    /// The working directory if it is not that of the executable: an absolute path in the build's directory,
    /// for harnesses whose builds are copies of the version with added files (`node_modules`).
    pub dir: Option<PathBuf>,
}

/// Reads one trial's output as it appears.
///
/// A reader never fails and never panics: what it does not understand becomes a diagnostic in the [`Reading`].
pub trait Reader: Send {
    /// Takes one line of standard output, without its line end. Returns how many complete iterations of the
    /// benchmark have been read so far. This stays 0 for harnesses that report at the end.
    fn line(&mut self, line: &str) -> u32;

    /// Seconds per operation in the last complete iteration, for the rule that may end the trial after any of
    /// them. `None` if the process decides by itself when to end.
    fn latest(&self) -> Option<f64> {
        None
    }

    /// Whether no more iterations can be stored, so that the process need not continue.
    fn is_full(&self) -> bool {
        false
    }

    /// How long the suite would measure by itself, if the output contains this.
    fn configured(&self) -> Option<Configured> {
        None
    }

    /// Completes the reading after the process has ended. May read files that the harness left in `scratch`.
    fn finish(self: Box<Self>, scratch: &Path) -> Reading;
}

/// The content of a trial's output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The values. There are no series if the benchmark is not in the output.
    pub measurement: Measurement,
    /// Diagnostics about lines that were not understood and values that were left out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// A reading without values of the benchmark, and the reason.
    pub(crate) fn without_values(benchmark: &BenchmarkId, why: String) -> Reading {
        let diagnostics = vec![Diagnostic::warning(benchmark.to_string(), why)];
        Reading { measurement: Measurement::default(), diagnostics }
    }
}
