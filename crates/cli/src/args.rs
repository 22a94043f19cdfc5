//! What can be typed. Nothing here touches the world.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Benchmarks you can trust, in the least time.
#[derive(Debug, Parser)]
#[command(name = "benchwright", version, about, long_about = LONG_ABOUT, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

const LONG_ABOUT: &str = "\
Benchmarks you can trust, in the least time.

benchwright runs the benchmarks of two versions of a Go or Rust project as pairs of fresh processes in random order, \
stops each benchmark as soon as its verdict is certain, and says what became slower or faster and with what certainty.

  benchwright compare main        the working tree against main
  benchwright compare v1.2 v1.3   two revisions
  benchwright demo                everything, on a bundled example";

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Work as if started in this directory
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Use this configuration file instead of searching for benchwright.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", alias = "color")]
    pub(crate) colour: ColourChoice,
    /// Say less: no progress, no notes (twice: no warnings)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) quiet: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one per process")]
pub(crate) enum Command {
    /// Compare two versions and say what became slower or faster
    Compare(CompareArgs),
    /// Measure one version over its levels of repetition
    Run(RunArgs),
    /// List the benchmarks of a version
    List(ListArgs),
    /// Show stored runs
    Show(ShowArgs),
    /// Write a stored run in another format
    Export(ExportArgs),
    /// Look at this machine: what disturbs measurements here, and how much
    Doctor(DoctorArgs),
    /// Write a commented benchwright.toml
    Init(InitArgs),
    /// See it work on a bundled example
    Demo(DemoArgs),
    /// Print shell completions
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Which benchmarks, and what their harness is told.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Selection {
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Not benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) skip: Option<String>,
    /// Only this harness (go, cargo)
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// Extra argument for the build tool, e.g. --build-arg=-tags=integration (repeat for more)
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) build_arg: Vec<String>,
    /// Arguments for the benchmark program, e.g. -- -cpu 1,4
    #[arg(last = true, value_name = "HARNESS ARGS")]
    pub(crate) harness_args: Vec<String>,
}

/// How each process measures.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct Measuring {
    /// Iterations (timed batches) per process
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
    /// Time of one iteration, e.g. 100ms
    #[arg(long, value_name = "TIME")]
    pub(crate) iteration_time: Option<String>,
    /// Warm-up time per process, for harnesses that warm up on request
    #[arg(long, value_name = "TIME")]
    pub(crate) warmup_time: Option<String>,
    /// A process that runs longer is killed with everything it started
    #[arg(long, value_name = "TIME")]
    pub(crate) trial_timeout: Option<String>,
    /// Time for the whole command, e.g. 5m
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// What all random choices follow from; the same seed gives the same order
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Pin benchmark processes to these cores, e.g. 2,3
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) cores: Vec<usize>,
    /// Niceness of benchmark processes (negative needs privileges)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) niceness: Option<i32>,
    /// Do not wait when another benchwright measures on this machine
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Format of the result on standard output: text, json, markdown, csv, junit, html, benchfmt
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Also write the result to this file; its ending decides the format (.html .json .md .csv .xml .txt)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CompareArgs {
    /// The old version: anything `git rev-parse` takes; A..B and A...B (merge base) work as in git
    #[arg(required_unless_present = "resume")]
    pub(crate) base: Option<String>,
    /// The new version [default: the working tree with its uncommitted changes]
    pub(crate) head: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) verdict: VerdictArgs,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Run both halves of a duet at once, each on its own core, instead of back to back
    #[arg(long, value_name = "HOW", value_parser = ["sequential", "parallel"])]
    pub(crate) pairing: Option<String>,
    /// Measure benchmarks with identical builds too, and show every row
    #[arg(long)]
    pub(crate) all: bool,
    /// Print what would be measured and how long it would take, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on with an interrupted or killed comparison
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest", conflicts_with_all = ["base", "head"])]
    pub(crate) resume: Option<String>,
}

/// How verdicts come about.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct VerdictArgs {
    /// From which change on a benchmark counts as slower or faster, e.g. 3%
    #[arg(long, value_name = "RATIO")]
    pub(crate) threshold: Option<String>,
    /// From which worsening on the command fails, or never [default: the threshold]
    #[arg(long, value_name = "RATIO")]
    pub(crate) fail_threshold: Option<String>,
    /// Decision rule: paired, bootstrap-median, ci-overlap, mann-whitney, t-test, wilcoxon-half
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Test of the fresh duets of suspects: stakes or wilcoxon
    #[arg(long, value_name = "TEST", value_parser = ["stakes", "wilcoxon"])]
    pub(crate) confirm: Option<String>,
    /// Duets per benchmark for fixed-sample rules
    #[arg(long, value_name = "N")]
    pub(crate) duets: Option<u32>,
    /// Fewest duets per benchmark
    #[arg(long, value_name = "N")]
    pub(crate) min_duets: Option<u32>,
    /// Most screening duets per benchmark
    #[arg(long, value_name = "N")]
    pub(crate) max_duets: Option<u32>,
    /// Random code layouts per version that suspects are confirmed in; 0: only that of the build
    #[arg(long, value_name = "N")]
    pub(crate) layouts: Option<u32>,
    /// At most 13 screening duets: sooner done, more benchmarks undecided
    #[arg(long, conflicts_with = "max_duets")]
    pub(crate) quick: bool,
    /// The injected slowdown for --rule wilcoxon-half, e.g. 10%
    #[arg(long, value_name = "RATIO")]
    pub(crate) injected: Option<String>,
    /// What makes the command fail: slower, undecided, never (repeat for more)
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["slower", "undecided", "never"])]
    pub(crate) fail_on: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// The version [default: the working tree]
    #[arg(long, value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// Repetitions per level, e.g. run=3,iteration=5,second=5
    #[arg(long, value_name = "LEVELS", conflicts_with = "full")]
    pub(crate) levels: Option<String>,
    /// The configured full configuration
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print what would be measured and how long it would take, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on with an interrupted or killed run
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest")]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// The version [default: the working tree]
    pub(crate) rev: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub(crate) format: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// A run's id, the beginning of one, or `latest`; without it the stored runs are listed
    pub(crate) run: Option<String>,
    /// How many runs to list
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Decide again from the raw values instead of showing the stored verdicts
    #[arg(long)]
    pub(crate) recompute: bool,
    /// Show every row
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ExportArgs {
    /// A run's id, the beginning of one, or `latest`
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// benchfmt (for benchstat), json, csv, markdown, junit, html
    #[arg(long, value_name = "FORMAT", default_value = "benchfmt")]
    pub(crate) format: String,
    /// benchfmt: only this side
    #[arg(long, value_name = "SIDE", value_parser = ["base", "head"])]
    pub(crate) side: Option<String>,
    /// benchfmt: a line per iteration instead of one per process
    #[arg(long)]
    pub(crate) iterations: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub(crate) format: String,
    /// How long to measure the noise floor
    #[arg(long, value_name = "TIME", default_value = "3s")]
    pub(crate) time: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct InitArgs {
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DemoArgs {
    /// Keep the example repository in this directory instead of a temporary one
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// What all random choices follow from
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}
