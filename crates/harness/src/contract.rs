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
/// Implementations hold no state but their configuration: everything they learn is in the values they return, so that a
/// build made in one process can be listed and run by another. Only finding and building projects may ask for the
/// configuration, because the configuration may be missing when the build is listed or run.
///
/// The first eight methods have to be written. Then come facts whose usual answer is safe, and then what a harness may offer
/// beyond that: each such capability is a trait of its own in this crate.
pub trait Harness: Send + Sync {
    /// Its name in identities and configuration: `go`, `cargo`.
    fn name(&self) -> &'static str;

    /// What kind of samples its trials give. Statistics, the usual length of trials and the number of duets follow from it.
    fn samples(&self) -> SampleKind;

    /// The projects of this harness at or below `root`, outermost first. Reads directory entries and manifests
    /// only; a project without benchmarks may be among them. Order is by path.
    fn recognise(&self, root: &Path) -> Vec<Project>;

    /// A text that changes whenever the tool chain does: part of a build's identity, and shown to people. Fails
    /// with a hint on how to install the tool chain if it is missing. `args` are those for building, which may choose one.
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

    /// A reader of that trial's output.
    fn reader(&self, executable: &Executable, benchmark: &BenchmarkId, shape: &TrialShape)
    -> Box<dyn Reader>;

    /// What makes a directory one of its projects. Shown if no project is found.
    fn looks_for(&self) -> &'static str {
        ""
    }

    /// What its settings `build-args` and `args` are for, with an example of each: sentences for the file of settings.
    fn arguments_help(&self) -> &'static str {
        ""
    }

    /// Whether a path of the project (relative, with `/`) is source that ends up inside the executables, so that
    /// identical executables make a difference in it irrelevant. Everything else counts as data a benchmark may read.
    fn is_source(&self, _path: &str) -> bool {
        false
    }

    /// Whether one list of arguments serves building and running, each taking its own, as after `go test`.
    fn shares_arguments(&self) -> bool {
        false
    }

    /// What configuration defines for it, as a text: part of a build's identity, since the same files and the same tool chain make
    /// something else under another definition. Empty where nothing was defined.
    fn definition(&self) -> String {
        String::new()
    }

    /// Its programs can be linked with their functions in another order.
    fn relinking(&self) -> Option<&dyn Relinking> {
        None
    }

    /// It can build no more than the packages that are asked for.
    fn package_selection(&self) -> Option<&dyn PackageSelection> {
        None
    }

    /// Its programs run on other machines.
    fn portability(&self) -> Option<&dyn Portability> {
        None
    }

    /// A stop rule can end its trials, or find their warm-up.
    fn warmup(&self) -> Option<&dyn Warmup> {
        None
    }

    /// Its trials differ in length from what their shape says.
    fn trial_length(&self) -> Option<&dyn TrialLength> {
        None
    }

    /// It finds the code of a single benchmark.
    fn code_lookup(&self) -> Option<&dyn CodeLookup> {
        None
    }

    /// Its builds or trials leave files where others find them.
    fn working_files(&self) -> Option<&dyn WorkingFiles> {
        None
    }
}

/// A unit that a harness builds: a Go module, a Cargo workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The harness' name.
    pub harness: String,
    /// Its directory relative to the version's root; empty for the root itself.
    pub dir: PathBuf,
}

/// One command that the harness wants run, to build or to list.
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
    /// Variables set on top of the common environment.
    pub env: Vec<(String, String)>,
    /// After this time the whole process group is killed and the step has failed.
    pub timeout: Duration,
}

/// The output of a step. A step that exited with a status other than 0 still has an output; the harness decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepOutput {
    /// Exit status; 0 is success.
    pub status: i32,
    /// Standard output, invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, invalid UTF-8 replaced.
    pub stderr: String,
    /// The file that holds both in full.
    pub log: PathBuf,
}

/// Carries out steps. The only way in which a harness reaches the outside world.
pub trait StepRunner {
    /// Runs the step to its end.
    fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure>;

    /// The same, with the time from the start of the step to each line of its standard output; empty where that is not known.
    fn run_timed(&mut self, step: &Step) -> Result<(StepOutput, Vec<Duration>), StepFailure> {
        Ok((self.run(step)?, Vec::new()))
    }
}

/// Why a step has no output at all.
#[derive(Debug, thiserror::Error)]
pub enum StepFailure {
    /// There is no such program.
    #[error("find the program `{0}`")]
    NoProgram(String),
    /// It ran past its limit and was killed.
    #[error("finish within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// It printed more than this many bytes and was killed.
    #[error("it {}", self.limit().unwrap_or_default())]
    TooMuchOutput(u64),
    /// It and what it started used more than this many bytes of memory and were killed.
    #[error("it {}", self.limit().unwrap_or_default())]
    TooMuchMemory(u64),
    /// The user interrupted.
    #[error("finish before the interrupt")]
    Interrupted,
    /// Anything else the system says.
    #[error("start the process")]
    System(#[from] std::io::Error),
}

/// Why a project could not be built or listed.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The tool chain is missing.
    #[error("find the tool chain: no program `{program}`")]
    ToolChainMissing {
        /// The program looked for.
        program: String,
        /// How to install it.
        hint: String,
    },
    /// A step could not be carried out.
    #[error("{purpose}")]
    Step {
        /// The step's purpose.
        purpose: String,
        /// What went wrong.
        source: StepFailure,
    },
    /// The tool said no.
    #[error("{purpose}")]
    Tool {
        /// The step's purpose.
        purpose: String,
        /// Its exit status.
        status: i32,
        /// The tool's own message: the part of its output that a person needs.
        message: String,
        /// The file that holds all of it.
        log: PathBuf,
    },
    /// The tool's output makes no sense.
    #[error("understand the output of `{purpose}`: {message}")]
    Output {
        /// The step's purpose.
        purpose: String,
        /// What was expected and what was there.
        message: String,
    },
    /// The project cannot be built so that the result would mean something.
    #[error("{purpose}: {message}")]
    Unbuildable {
        /// What was to be done.
        purpose: String,
        /// Why it was not.
        message: String,
        /// What to change.
        hint: String,
    },
    /// A file of the project cannot be read.
    #[error("read `{path}`")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl HarnessError {
    /// Advice for the user; empty if there is none.
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

/// A request to build: what, and into which directory.
#[derive(Debug, Clone)]
pub struct BuildRequest<'a> {
    /// The root of the checked-out version.
    pub root: &'a Path,
    /// Which project in it.
    pub project: &'a Project,
    /// Directory for the executables, empty at the start, kept with the build.
    pub out: &'a Path,
    /// Directory for intermediate files (Cargo's target directory), shared between versions of one repository.
    pub intermediate: &'a Path,
    /// Directory for what all versions of the project share, whatever the tool chain (a lock file); kept for ever.
    pub shared: &'a Path,
    /// Extra arguments for the build tool (`--features x`, `-tags y`), from configuration or after `--`.
    pub args: &'a [String],
}

/// The executables of one project of one version.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Built {
    /// In the order of their packages.
    pub executables: Vec<Executable>,
    /// Parts that could not be built, and other doubts.
    pub diagnostics: Vec<Diagnostic>,
}

/// A program that contains benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// The harness' name.
    pub harness: String,
    /// What its benchmarks have as [`BenchmarkId::package`], or a name for all of them where they are of several
    /// packages.
    pub package: String,
    /// The flavour within the harness: `go`; `criterion`, `divan`, `libtest`.
    pub flavour: String,
    /// Version of the benchmark library, as far as known: `0.5.1`; empty otherwise.
    pub flavour_version: String,
    /// The program, below [`BuildRequest::out`], relative to it.
    pub path: PathBuf,
    /// The working directory of its trials, relative to the version's root.
    pub dir: PathBuf,
    /// Variables its trials need beside the common environment (`CARGO_MANIFEST_DIR` ...). Values that are paths
    /// below the version's root are written with a leading `{root}`.
    pub env: Vec<(String, String)>,
}

/// Which executable to link in another order.
#[derive(Debug, Clone)]
pub struct RelinkRequest<'a> {
    /// How it was built; [`BuildRequest::out`] now holds the executables.
    pub build: BuildRequest<'a>,
    /// The executable.
    pub executable: &'a Executable,
    /// The new program's path, in an empty directory.
    pub target: &'a Path,
    /// A directory, perhaps missing, for what all relinkings of this executable share; kept with the build.
    pub keep: &'a Path,
    /// Seed of the order.
    pub seed: u64,
}

/// The result of linking again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relinked {
    /// The program is where it was asked for, and its functions lie in another order.
    Done,
    /// It cannot be done here: why, as a fragment that reads after a colon.
    Cannot(String),
}

/// Which executable's benchmarks to find.
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
    /// Which benchmarks are asked for, where that is not all. A harness that has to run benchmarks in order to find them leaves
    /// out what it can.
    pub filter: Option<&'a dyn PackageFilter>,
}

/// The benchmarks of one executable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// In the order in which the tool names them; each once.
    pub benchmarks: Vec<BenchmarkId>,
    /// Duplicate names, benchmarks that failed in the listing run, lines that could not be read.
    pub diagnostics: Vec<Diagnostic>,
    /// How long benchmarks took in the listing run, where it ran them.
    pub times: BTreeMap<BenchmarkId, ListedTime>,
    /// What is missing.
    pub missing: Missing,
}

/// Benchmarks that a listing may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Missing {
    /// Nothing.
    #[default]
    Nothing,
    /// Benchmarks that the request's filter excludes: another filter finds others.
    Excluded,
    /// Benchmarks that ran into a limit of memory or output, too: with another limit there may be more.
    Limited,
}

/// How long a trial measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialShape {
    /// Iterations: timed batches within the process.
    pub iterations: u32,
    /// Time of one iteration.
    #[serde(rename = "iteration_time_ns", with = "nanoseconds")]
    pub iteration_time: Duration,
    /// Operations of one iteration, as far as known to take [`TrialShape::iteration_time`]. A harness that supports it measures
    /// just these, instead of finding a number of its own in every iteration.
    pub operations: Option<NonZeroU64>,
    /// Time to warm up before the first iteration, for harnesses that do so on request.
    #[serde(rename = "warmup_time_ns", with = "nanoseconds")]
    pub warmup_time: Duration,
    /// Whether the suite's own settings make trials much longer than this says. A tool that has a way of measuring briefly in
    /// spite of them takes it.
    #[serde(default)]
    pub is_overruled: bool,
    /// What ends a trial.
    pub stop: Stop,
    /// Extra arguments for the benchmark program.
    pub args: Vec<String>,
}

impl TrialShape {
    /// So many iterations of so much time, and nothing else.
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

/// How long a trial takes, as far as one can say before the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrialTime {
    /// The mean to expect.
    pub usual: Duration,
    /// The most, should no benchmark become steady; the same as `usual` where nothing waits for that.
    pub longest: Duration,
}

impl TrialTime {
    /// That of a trial that is little more than its iterations: beside them a process needs time to start and to find its batch size.
    pub fn of_iterations(shape: &TrialShape) -> Self {
        let iterations = shape.iteration_time.saturating_mul(shape.iterations);
        TrialTime::always(iterations.saturating_add(iterations / 4))
    }

    /// The same for programs that take long to start: an interpreter that loads a test runner, packages and its own calibration.
    pub fn with_start(shape: &TrialShape, start: Duration) -> Self {
        TrialTime::always(TrialTime::of_iterations(shape).usual.saturating_add(start))
    }

    /// A time that depends on nothing.
    pub fn always(time: Duration) -> Self {
        TrialTime { usual: time, longest: time }
    }
}

/// Which benchmark to try, and where things are.
#[derive(Debug, Clone)]
pub struct TrialRequest<'a> {
    /// The root of the version's files.
    pub root: &'a Path,
    /// The build's directory, [`BuildRequest::out`].
    pub out: &'a Path,
    /// The program that contains the benchmark.
    pub executable: &'a Executable,
    /// Which benchmark.
    pub benchmark: &'a BenchmarkId,
    /// How long to measure.
    pub shape: &'a TrialShape,
    /// An empty directory for the trial's own files, removed after the reader is done.
    pub scratch: &'a Path,
}

/// The command line of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrialCommand {
    /// The program where it is not the executable itself but what runs it (`java`, `python`, `node`): looked up in PATH
    /// unless it is a path.
    pub program: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables set on top of the executable's own.
    pub env: Vec<(String, OsString)>,
    /// The working directory where it is not the executable's own: an absolute path in the build's directory, for harnesses
    /// whose builds are copies of the version with something added (`node_modules`).
    pub dir: Option<PathBuf>,
}

/// Reads one trial's output as it appears.
///
/// A reader never fails and never panics: what it does not understand becomes a diagnostic in the [`Reading`].
pub trait Reader: Send {
    /// Takes one line of standard output, without its line end. Returns how many complete iterations of the
    /// benchmark have been read so far; stays 0 for harnesses that report at the end.
    fn line(&mut self, line: &str) -> u32;

    /// The time of an operation in the last complete iteration, seconds, for the rule that may end the trial after any of
    /// them. `None` if the process itself decides when to end.
    fn latest(&self) -> Option<f64> {
        None
    }

    /// Whether no more iterations can be kept, so that letting the process run is of no use.
    fn is_full(&self) -> bool {
        false
    }

    /// How long the suite would measure by itself, where the output says so.
    fn configured(&self) -> Option<Configured> {
        None
    }

    /// Takes what there is after the process ended; reads files the harness left in `scratch`.
    fn finish(self: Box<Self>, scratch: &Path) -> Reading;
}

/// The content of a trial's output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The values; no series if the benchmark is not in the output.
    pub measurement: Measurement,
    /// Lines not understood, values left out.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// No values of the benchmark, and why.
    pub(crate) fn without_values(benchmark: &BenchmarkId, why: String) -> Reading {
        let diagnostics = vec![Diagnostic::warning(benchmark.to_string(), why)];
        Reading { measurement: Measurement::default(), diagnostics }
    }
}
