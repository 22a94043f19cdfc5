//! What can be typed. Nothing here touches the world.

mod agree;
mod deploy;
mod meant;
mod place;
mod reduce;
mod steady;

use std::path::PathBuf;

use benchwright_config::StopName;
use benchwright_report::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output;

pub(crate) use agree::AgreeArgs;
pub(crate) use deploy::{DeployArgs, TeardownArgs};
pub(crate) use meant::suggesting;
pub(crate) use place::{PlaceArgs, SlurmTaskArgs};
pub(crate) use reduce::{ComparingArgs, ReduceArgs};
pub(crate) use steady::{SteadyArgs, SteadyCommand, SteadyShowArgs, SteadyStopsArgs, SteadyTrainArgs};

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

benchwright runs the benchmarks of two versions of a project as pairs of fresh processes in random order, \
stops each benchmark as soon as its verdict is certain, and says what became slower or faster and with what certainty.

  benchwright compare main             the working tree against main
  benchwright compare v1.2 v1.3        two revisions
  benchwright compare a.json b.json    results of other tools, measured before
  benchwright compare --command 'rg x' --against 'grep -r x'    two commands
  benchwright demo                     everything, on a bundled example";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
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
#[expect(clippy::large_enum_variant, reason = "a process has one or two of them")]
pub(crate) enum Command {
    /// Compare two versions and say what became slower or faster
    Compare(CompareArgs),
    /// Measure one version over its levels of repetition
    Run(RunArgs),
    /// Find the smallest configuration per benchmark that is still accurate, and write it as a plan
    Reduce(ReduceArgs),
    /// List the benchmarks of a version
    List(ListArgs),
    /// Show stored runs
    Show(ShowArgs),
    /// Say whether two runs of the same comparison agree
    Agree(AgreeArgs),
    /// Accept a slowdown; comparisons that find no more than this no longer fail
    Accept(AcceptArgs),
    /// Store results of other tools
    Import(ImportArgs),
    /// Write a stored run in another format
    Export(ExportArgs),
    /// Show when processes became steady, and where stop rules would have ended them
    Steady(SteadyArgs),
    /// Make the function, bucket and role that comparisons on AWS Lambda need
    Deploy(DeployArgs),
    /// Remove everything that `deploy` made
    Teardown(TeardownArgs),
    /// Look at this machine: what disturbs measurements here, and how much
    Doctor(DoctorArgs),
    /// Write a short benchwright.toml, with everything else commented out
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
    /// Carry out one task of a job array: what `compare --on slurm` has nodes do
    #[command(hide = true)]
    SlurmTask(SlurmTaskArgs),
}

/// Which benchmarks, and what their harness is told.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Selection {
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// No benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) skip: Option<String>,
    /// Only this harness (`benchwright list` names those of a repository)
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// Extra argument for the build tool, e.g. --build-arg=-tags=integration (repeat for more)
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) build_arg: Vec<String>,
    /// Arguments for the benchmark program, e.g. -- -cpu 1,4
    #[arg(last = true, value_name = "HARNESS ARGS")]
    pub(crate) harness_args: Vec<String>,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
}

/// Commands as benchmarks, without a word of configuration.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Commands")]
pub(crate) struct CommandArgs {
    /// Measure this command line, in both versions, instead of the repository's benchmarks (repeat for more)
    #[arg(long, value_name = "COMMAND", conflicts_with = "harness")]
    pub(crate) command: Vec<String>,
    /// Its name, for each --command in turn [default: the command line itself]
    #[arg(long, value_name = "NAME", requires = "command")]
    pub(crate) command_name: Vec<String>,
    /// Builds it, once per version, e.g. --build-command 'cargo build --release'
    #[arg(long, value_name = "TEXT", requires = "command", visible_alias = "build")]
    pub(crate) build_command: Option<String>,
    /// Happens once per version, after building
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) setup: Option<String>,
    /// Happens before each run and is not measured
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) prepare: Option<String>,
    /// Happens after each run and is not measured
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) conclude: Option<String>,
    /// Happens after the last run of each trial
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) cleanup: Option<String>,
    /// A benchmark for every number from MIN to MAX, put where {NAME} stands
    #[arg(long, num_args = 4, value_names = ["NAME", "MIN", "MAX", "STEP"], requires = "command", allow_hyphen_values = true)]
    pub(crate) parameter_scan: Vec<String>,
    /// A benchmark for every value, separated by commas, put where {NAME} stands
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUES"], requires = "command")]
    pub(crate) parameter_list: Vec<String>,
    /// Let a shell run the command [default shell: sh]
    #[arg(long, value_name = "SHELL", num_args = 0..=1, require_equals = true, default_missing_value = "sh", requires = "command")]
    pub(crate) shell: Option<String>,
    /// What the command reads on standard input
    #[arg(long, value_name = "FILE", requires = "command")]
    pub(crate) input: Option<String>,
    /// Runs of each trial before the first that counts
    #[arg(long, value_name = "N", requires = "command")]
    pub(crate) warmup_runs: Option<u32>,
    /// Exactly so many runs per trial [default: as many as fill its time, at least --iterations]
    #[arg(long, value_name = "N", requires = "command", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: Option<u32>,
    /// Measure the command even if it exits with an error
    #[arg(long, requires = "command")]
    pub(crate) ignore_failure: bool,
}

/// How each process measures.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct Measuring {
    /// Iterations (timed batches) per process [default: 10 for code compiled beforehand (Go, Rust, C++), otherwise 3]
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u32>,
    /// Time of one iteration [default: 10ms for code compiled beforehand (Go, Rust, C++), otherwise 100ms]
    #[arg(long, value_name = "TIME")]
    pub(crate) iteration_time: Option<String>,
    /// Warm-up time per process, for harnesses that warm up on request [default: 100ms]
    #[arg(long, value_name = "TIME")]
    pub(crate) warmup_time: Option<String>,
    /// What ends a process whose code is compiled while it runs (JMH, JavaScript): a stop rule, or fixed as the suite says [default: auto]
    #[arg(long, value_name = "RULE", value_parser = clap::builder::PossibleValuesParser::new(StopName::choices().into_iter().map(|(word, _)| word)))]
    pub(crate) stop: Option<String>,
    /// Models that `steady train` wrote, for the stop rule `learned`
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_models: Option<String>,
    /// Longest warm-up of a process that a stop rule ends [default: 30s]
    #[arg(long, value_name = "TIME")]
    pub(crate) max_warmup: Option<String>,
    /// A process that runs longer is killed with everything it started [default: 5m]
    #[arg(long, value_name = "TIME")]
    pub(crate) trial_timeout: Option<String>,
    /// A process that uses more memory, children included, is killed with everything it started [default: 80% of what is free]
    #[arg(long, value_name = "SIZE")]
    pub(crate) trial_memory: Option<String>,
    /// Time for the whole command, e.g. 5m [default: as long as it takes]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Seed of all random choices; the same seed gives the same order [default: a new one]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Pin benchmark processes to these cores, e.g. 2,3 [default: not pinned]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) cores: Vec<usize>,
    /// Niceness of benchmark processes (negative needs privileges)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) niceness: Option<i32>,
    /// How long to wait while another benchwright measures on this machine; does not use the budget up [default: 10m]
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<String>,
    /// Do not wait for another benchwright: the same as --wait 0
    #[arg(long, conflicts_with = "wait")]
    pub(crate) no_wait: bool,
}

/// Which plan is followed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct PlanArgs {
    /// Follow this plan instead of benchwright.plan.toml in the repository's root
    #[arg(long, value_name = "FILE", conflicts_with = "no_plan")]
    pub(crate) plan: Option<PathBuf>,
    /// Measure as if there were no plan
    #[arg(long)]
    pub(crate) no_plan: bool,
}

/// A flag for formats that offers only these.
pub(crate) fn offering(format: clap::Arg, formats: &[Format]) -> clap::Arg {
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    format.help(format!("Format of the result on standard output: {} [default: text]", names.join(", ")))
}

/// A flag for files whose format only these endings decide.
pub(crate) fn ending(output: clap::Arg, endings: &str) -> clap::Arg {
    output.help(format!("Also write the result to this file; its ending decides the format ({endings})"))
}

/// Where results go.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Format of the result on standard output: text, json, markdown, csv, junit, html, benchfmt [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Also write the result to this file; its ending decides the format (.html .json .md .csv .xml .txt)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CompareArgs {
    /// The old version: anything `git rev-parse` takes; A..B and A...B (merge base) work as in git. Or a file of
    /// results in a known format (- is standard input), or a stored run; then head must be one too
    #[arg(required_unless_present_any = ["resume", "against"])]
    pub(crate) base: Option<String>,
    /// The new version [default: the working tree with its uncommitted changes]
    pub(crate) head: Option<String>,
    /// Take both names as revisions, even where there are files of these names
    #[arg(long, help_heading = "Selection")]
    pub(crate) rev: bool,
    /// Compare the command of --command with this one, both in this directory; no repository is needed
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Commands",
        requires = "command",
        conflicts_with_all = ["base", "head", "resume", "on"]
    )]
    pub(crate) against: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) verdict: VerdictArgs,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) limits: FileLimits,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Run the halves of a duet back to back, or at once, each on its own core [default: sequential]
    #[arg(long, value_name = "HOW", value_parser = ["sequential", "parallel"], help_heading = "Measuring")]
    pub(crate) pairing: Option<String>,
    /// Measure benchmarks with identical builds too, and show every row
    #[arg(long, help_heading = "Selection")]
    pub(crate) all: bool,
    /// Print what would be measured and how long it would take, and stop
    #[arg(long, help_heading = "Run")]
    pub(crate) dry_run: bool,
    /// Go on with an interrupted or killed comparison
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest", conflicts_with_all = ["base", "head"], help_heading = "Run")]
    pub(crate) resume: Option<String>,
}

/// How much of a file of results is read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct FileLimits {
    /// Most benchmarks of a file [default: 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_benchmarks: Option<u64>,
    /// Most values of a benchmark, all its processes and metrics together [default: 10000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_values: Option<u64>,
    /// Most bytes of a file after unpacking [default: 512MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_file_size: Option<String>,
}

/// How verdicts come about.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct VerdictArgs {
    /// Smallest change that counts as slower or faster [default: 3%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) threshold: Option<String>,
    /// Smallest slowdown that makes the command fail, or never [default: the threshold]
    #[arg(long, value_name = "RATIO")]
    pub(crate) fail_threshold: Option<String>,
    /// Decision rule: paired, bootstrap-median, ci-overlap, mann-whitney, t-test, wilcoxon-half [default: paired]
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Test of the fresh duets of suspects [default: stakes]
    #[arg(long, value_name = "TEST", value_parser = ["stakes", "wilcoxon"])]
    pub(crate) confirm: Option<String>,
    /// Duets per benchmark for fixed-sample rules [default: the rule's own number]
    #[arg(long, value_name = "N")]
    pub(crate) duets: Option<u32>,
    /// Fewest duets per benchmark [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) min_duets: Option<u32>,
    /// Most screening duets per benchmark [default: 96 for Go, Cargo and Google Benchmark, otherwise 40]
    #[arg(long, value_name = "N")]
    pub(crate) max_duets: Option<u32>,
    /// Random code layouts per version that suspects are confirmed in; 0: only that of the build [default: 96]
    #[arg(long, value_name = "N")]
    pub(crate) layouts: Option<u32>,
    /// At most 13 screening duets: sooner done, more benchmarks undecided
    #[arg(long, conflicts_with = "max_duets")]
    pub(crate) quick: bool,
    /// The injected slowdown for --rule wilcoxon-half, e.g. 10%
    #[arg(long, value_name = "RATIO")]
    pub(crate) injected: Option<String>,
    /// What makes the command fail: undecided adds exit code 4 to slower; never, alone, removes both [default: slower]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["slower", "undecided", "never"])]
    pub(crate) fail_on: Vec<String>,
    /// Share of the benchmarks that must get a verdict; with fewer the exit code is 4 [default: 50%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) require_decided: Option<String>,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |arg| offering(arg, &output::LEVELS_FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".json .csv .txt")))]
pub(crate) struct RunArgs {
    /// The version: anything `git rev-parse` takes [default: the working tree]
    pub(crate) rev: Option<String>,
    #[arg(long = "rev", value_name = "REV", hide = true, conflicts_with = "rev")]
    pub(crate) rev_flag: Option<String>,
    /// Repetitions per level: passes over the suite, processes per pass, samples per process, e.g. run=3,iteration=5,second=5
    /// [default: one pass of a few processes]
    #[arg(long, value_name = "LEVELS", conflicts_with = "full", help_heading = "Measuring")]
    pub(crate) levels: Option<String>,
    /// The levels of the configuration file, whatever the plan says [default levels: run=3,iteration=5,second=5]
    #[arg(long, help_heading = "Measuring")]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
    #[command(flatten)]
    pub(crate) output: Output,
    /// Print what would be measured and how long it would take, and stop
    #[arg(long, help_heading = "Run")]
    pub(crate) dry_run: bool,
    /// Go on with an interrupted or killed run
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest", help_heading = "Run")]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// The version: anything `git rev-parse` takes [default: the working tree]
    pub(crate) rev: Option<String>,
    #[arg(long = "rev", value_name = "REV", hide = true, conflicts_with = "rev")]
    pub(crate) rev_flag: Option<String>,
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
    /// Decide again from the raw values instead of showing the stored verdicts, by the settings of the run
    #[arg(long)]
    pub(crate) recompute: bool,
    /// Decide again by another threshold, such as `5%`
    #[arg(long, value_name = "SHARE", requires = "recompute")]
    pub(crate) threshold: Option<String>,
    /// Decide again by another hard threshold
    #[arg(long, value_name = "SHARE", requires = "recompute")]
    pub(crate) fail_threshold: Option<String>,
    /// Show every row
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct AcceptArgs {
    /// The benchmark: its `package:name` or its name; all its metrics that are slower
    #[arg(required_unless_present = "all")]
    pub(crate) benchmark: Option<String>,
    /// The comparison that found it: its id, the beginning of one, or `latest` [default: the latest comparison]
    pub(crate) run: Option<String>,
    /// Every slowdown of the comparison
    #[arg(long)]
    pub(crate) all: bool,
    /// Why it is meant to be; shown wherever the slowdown is
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ImportArgs {
    /// Files of results, folders of Criterion (target/criterion), or - for standard input; their content says which
    /// format they have
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The revision that was measured [default: what the file says]
    #[arg(long = "version", value_name = "REV")]
    pub(crate) revision: Option<String>,
    /// What to call the version [default: the revision, or the file's name]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Make one run of all files instead of one each
    #[arg(long)]
    pub(crate) join: bool,
    /// Print what would be imported, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) limits: FileLimits,
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub(crate) format: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ExportArgs {
    /// A run's id, the beginning of one, or `latest`
    #[arg(default_value = "latest")]
    pub(crate) run: String,
    /// Raw samples: benchfmt (for benchstat), samples-json, samples-csv, parquet. Summaries for dashboards: bmf
    /// (Bencher), github-action-benchmark. Reports: json, csv, markdown, junit, html, text
    #[arg(long, value_name = "FORMAT", default_value = "benchfmt")]
    pub(crate) format: String,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Only this side [default: both for samples, head for summaries]
    #[arg(long, value_name = "SIDE", value_parser = ["base", "head"])]
    pub(crate) side: Option<String>,
    /// benchfmt: a line per iteration instead of one per process
    #[arg(long)]
    pub(crate) iterations: bool,
    /// github-action-benchmark: the metrics that are better when lower, or those that are better when higher; a
    /// file has one direction
    #[arg(long, value_name = "WAY", default_value = "lower", value_parser = ["lower", "higher"])]
    pub(crate) better: String,
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

#[cfg(test)]
mod tests;
