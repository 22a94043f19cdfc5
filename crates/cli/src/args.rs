//! The command line: commands, arguments and flags with their help. Parsing only; nothing here has side effects.

mod agree;
mod deploy;
mod grade;
mod meant;
mod place;
mod reduce;
mod steady;

use std::path::PathBuf;

use benchwright_analysis::rules::RULES;
use benchwright_config::StopName;
use benchwright_report::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output;

pub(crate) use agree::AgreeArgs;
pub(crate) use deploy::{DeployArgs, TeardownArgs};
pub(crate) use grade::{GradeApiArgs, GradeArgs, GradeCommand, GradeGateArgs, GradeSuiteArgs, SelectArgs};
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

benchwright builds two versions of a project and runs their benchmarks as pairs of fresh processes in random order. \
It stops measuring a benchmark as soon as the verdict is certain, and reports what became slower or faster.

  benchwright compare main             the working tree against main
  benchwright compare v1.2 v1.3        two revisions
  benchwright compare a.json b.json    result files of other tools
  benchwright compare --command 'rg x' --against 'grep -r x'    two commands
  benchwright demo                     try it on a bundled example";

/// Options that every command accepts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Run as if started in this directory
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Use this configuration file instead of searching for benchwright.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", alias = "color")]
    pub(crate) colour: ColourChoice,
    /// Print less on standard error: no progress and no notes; given twice, no warnings either. Results stay complete
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
    /// Compare two versions and report what became slower or faster
    Compare(CompareArgs),
    /// Measure one version: several passes over the suite, processes per pass, samples per process
    Run(RunArgs),
    /// Find the fewest repetitions per benchmark that are still accurate, and write them as a plan
    Reduce(ReduceArgs),
    /// List the benchmarks of a version
    List(ListArgs),
    /// Show stored runs
    Show(ShowArgs),
    /// Check whether two runs of the same comparison agree
    Agree(AgreeArgs),
    /// Grade the suite: size, stability, which slowdowns it finds, whether a gate with it works
    Grade(GradeArgs),
    /// Choose benchmarks by the functions that they call: the best for a budget, or those that a change concerns
    Select(SelectArgs),
    /// Accept a slowdown; comparisons that find no more than this no longer fail
    Accept(AcceptArgs),
    /// Import results of other tools into the store
    Import(ImportArgs),
    /// Write a stored run in another format
    Export(ExportArgs),
    /// Show when warm-up ended in each process, and where stop rules would have ended the process
    Steady(SteadyArgs),
    /// Create the function, bucket and role that `compare --on lambda` needs
    Deploy(DeployArgs),
    /// Remove everything that `deploy` created
    Teardown(TeardownArgs),
    /// Check this machine for anything that disturbs measurements, and measure the noise floor
    Doctor(DoctorArgs),
    /// Write a benchwright.toml with the most common settings; the others are commented out
    Init(InitArgs),
    /// Run a comparison on a bundled example
    Demo(DemoArgs),
    /// Print shell completions
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
    /// Run one task of a Slurm job array; `compare --on slurm` starts it on nodes
    #[command(hide = true)]
    SlurmTask(SlurmTaskArgs),
}

/// Which benchmarks to measure, and extra arguments for their harness.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct Selection {
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Leave out benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) skip: Option<String>,
    /// Only benchmarks of this harness (`benchwright list` shows the harnesses of a repository)
    #[arg(long, value_name = "NAME")]
    pub(crate) harness: Option<String>,
    /// Extra argument for the build tool, e.g. --build-arg=-tags=integration (repeatable)
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub(crate) build_arg: Vec<String>,
    /// Arguments for the benchmark program, e.g. -- -cpu 1,4
    #[arg(last = true, value_name = "HARNESS ARGS")]
    pub(crate) harness_args: Vec<String>,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
}

/// Commands as benchmarks, without a configuration file.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Commands")]
pub(crate) struct CommandArgs {
    /// Measure this command line, in both versions, instead of the repository's benchmarks (repeatable)
    #[arg(long, value_name = "COMMAND", conflicts_with = "harness")]
    pub(crate) command: Vec<String>,
    /// Name of the command; the first for the first --command, and so on [default: the command line itself]
    #[arg(long, value_name = "NAME", requires = "command")]
    pub(crate) command_name: Vec<String>,
    /// Build the command's program with this command line, once per version, e.g. 'cargo build --release'
    #[arg(long, value_name = "TEXT", requires = "command", visible_alias = "build")]
    pub(crate) build_command: Option<String>,
    /// Run this once per version, after building
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) setup: Option<String>,
    /// Run this before each run of the command; not measured
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) prepare: Option<String>,
    /// Run this after each run of the command; not measured
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) conclude: Option<String>,
    /// Run this after the last run of each trial; not measured
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub(crate) cleanup: Option<String>,
    /// Make one benchmark per number from MIN to MAX; the number replaces {NAME} in the command line
    #[arg(long, num_args = 4, value_names = ["NAME", "MIN", "MAX", "STEP"], requires = "command", allow_hyphen_values = true)]
    pub(crate) parameter_scan: Vec<String>,
    /// Make one benchmark per value (separated by commas); the value replaces {NAME} in the command line
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUES"], requires = "command")]
    pub(crate) parameter_list: Vec<String>,
    /// Run the command in a shell [default shell: sh]
    #[arg(long, value_name = "SHELL", num_args = 0..=1, require_equals = true, default_missing_value = "sh", requires = "command")]
    pub(crate) shell: Option<String>,
    /// File that the command reads as standard input
    #[arg(long, value_name = "FILE", requires = "command")]
    pub(crate) input: Option<String>,
    /// Runs at the start of each trial that are not measured
    #[arg(long, value_name = "N", requires = "command")]
    pub(crate) warmup_runs: Option<u32>,
    /// Number of runs per trial [default: as many as fit into its time, at least --iterations]
    #[arg(long, value_name = "N", requires = "command", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: Option<u32>,
    /// Measure the command even if it exits with an error
    #[arg(long, requires = "command")]
    pub(crate) ignore_failure: bool,
}

/// How processes measure.
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
    /// Stop rule that ends processes of JMH and JavaScript, whose code is compiled while it runs; fixed: the suite's own numbers of iterations [default: auto]
    #[arg(long, value_name = "RULE", value_parser = clap::builder::PossibleValuesParser::new(StopName::choices().into_iter().map(|(word, _)| word)))]
    pub(crate) stop: Option<String>,
    /// Models for the stop rule `learned`, as written by `steady train` [default: the built-in models]
    #[arg(long, value_name = "FILE")]
    pub(crate) stop_models: Option<String>,
    /// Longest warm-up of a process under a stop rule [default: 30s for Java, otherwise 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) max_warmup: Option<String>,
    /// Kill a process that runs longer than this, with everything it started [default: 5m]
    #[arg(long, value_name = "TIME")]
    pub(crate) trial_timeout: Option<String>,
    /// Kill a process that uses more memory than this, children included (Linux only) [default: 80% of the free memory]
    #[arg(long, value_name = "SIZE")]
    pub(crate) trial_memory: Option<String>,
    /// Time limit for measuring, building not counted, e.g. 5m [default: none]
    #[arg(long, value_name = "TIME")]
    pub(crate) budget: Option<String>,
    /// Seed of all random choices; the same seed gives the same order [default: a random seed]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Pin benchmark processes to these cores, e.g. 2,3 [default: not pinned]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) cores: Vec<usize>,
    /// Niceness of benchmark processes; negative values need privileges
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) niceness: Option<i32>,
    /// How long to wait while another benchwright measures on this machine; not counted in the budget [default: 10m]
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<String>,
    /// Do not wait for another benchwright; the same as --wait 0
    #[arg(long, conflicts_with = "wait")]
    pub(crate) no_wait: bool,
}

/// Which plan to follow.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct PlanArgs {
    /// Follow this plan instead of benchwright.plan.toml in the repository's root
    #[arg(long, value_name = "FILE", conflicts_with = "no_plan")]
    pub(crate) plan: Option<PathBuf>,
    /// Ignore any plan
    #[arg(long)]
    pub(crate) no_plan: bool,
}

/// The flag `--format` with help that lists these formats.
pub(crate) fn offering(format: clap::Arg, formats: &[Format]) -> clap::Arg {
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    format.help(format!("Format of the result on standard output: {} [default: text]", names.join(", ")))
}

/// The flag `--output` with help that lists these endings.
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
    /// The old version: any revision that `git rev-parse` accepts; A..B and A...B (merge base) work as in git. Or a
    /// result file in a known format (- for standard input) or a stored run; HEAD must then be one too
    #[arg(required_unless_present_any = ["resume", "against"])]
    pub(crate) base: Option<String>,
    /// The new version [default: the working tree with its uncommitted changes]
    pub(crate) head: Option<String>,
    /// Treat both names as revisions, even if files with these names exist
    #[arg(long, help_heading = "Selection")]
    pub(crate) rev: bool,
    /// Compare the command given by --command with this one; both run in this directory, and no repository is needed
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
    /// Run the two processes of a duet one after the other, or at the same time on different cores [default: sequential]
    #[arg(long, value_name = "HOW", value_parser = ["sequential", "parallel"], help_heading = "Measuring")]
    pub(crate) pairing: Option<String>,
    /// Also measure benchmarks whose builds are identical, and show every row
    #[arg(long, help_heading = "Selection")]
    pub(crate) all: bool,
    /// Print what would be measured and how long it would take, then exit
    #[arg(long, help_heading = "Run")]
    pub(crate) dry_run: bool,
    /// Continue an interrupted or killed comparison
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest", conflicts_with_all = ["base", "head"], help_heading = "Run")]
    pub(crate) resume: Option<String>,
}

/// Limits for reading result files.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct FileLimits {
    /// Most benchmarks in a result file [default: 100000]
    #[arg(long, value_name = "N")]
    pub(crate) max_benchmarks: Option<u64>,
    /// Most values of one benchmark in a result file, over all processes and metrics [default: 10000000]
    #[arg(long, value_name = "N")]
    pub(crate) max_values: Option<u64>,
    /// Largest size of a result file after unpacking [default: 512MiB]
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_file_size: Option<String>,
}

/// The help of `--rule`.
fn rules_help() -> String {
    let names = RULES.each_ref().map(|rule| rule.name);
    format!("Decision rule: {} [default: {}]", names.join(", "), names[0])
}

/// How verdicts are reached.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Verdict")]
pub(crate) struct VerdictArgs {
    /// Smallest change that counts as slower or faster [default: 3%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) threshold: Option<String>,
    /// Smallest slowdown that makes the command fail, or never [default: the threshold]
    #[arg(long, value_name = "RATIO")]
    pub(crate) fail_threshold: Option<String>,
    #[arg(long, value_name = "RULE", help = rules_help())]
    pub(crate) rule: Option<String>,
    /// Test that confirms suspects with fresh duets; stakes bets on their signs (METHODOLOGY.md) [default: stakes]
    #[arg(long, value_name = "TEST", value_parser = ["stakes", "wilcoxon"])]
    pub(crate) confirm: Option<String>,
    /// Duets per benchmark under a fixed-sample rule [default: the rule's own number]
    #[arg(long, value_name = "N")]
    pub(crate) duets: Option<u32>,
    /// Duets of a benchmark before the first decision [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) min_duets: Option<u32>,
    /// Most screening duets per benchmark [default: 96 for Go, Rust and C++, otherwise 40]
    #[arg(long, value_name = "N")]
    pub(crate) max_duets: Option<u32>,
    /// Random code layouts per version in which suspects are confirmed; 0: only the layout of the build [default: 96]
    #[arg(long, value_name = "N")]
    pub(crate) layouts: Option<u32>,
    /// At most 13 screening duets: faster, but more benchmarks stay undecided
    #[arg(long, conflicts_with = "max_duets")]
    pub(crate) quick: bool,
    /// Size of the injected slowdown for --rule wilcoxon-half, e.g. 10%
    #[arg(long, value_name = "RATIO")]
    pub(crate) injected: Option<String>,
    /// Verdicts that make the command fail: slower (exit code 3); undecided adds exit code 4; never, alone, switches both off [default: slower]
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["slower", "undecided", "never"])]
    pub(crate) fail_on: Vec<String>,
    /// Fail with exit code 4 if fewer than this share of the benchmarks get a verdict [default: 50%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) require_decided: Option<String>,
}

#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |arg| offering(arg, &output::LEVELS_FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".json .csv .txt")))]
pub(crate) struct RunArgs {
    /// The version: any revision that `git rev-parse` accepts [default: the working tree]
    pub(crate) rev: Option<String>,
    #[arg(long = "rev", value_name = "REV", hide = true, conflicts_with = "rev")]
    pub(crate) rev_flag: Option<String>,
    /// Repetitions: passes over the suite (run), processes per pass (iteration), samples per process (second), e.g.
    /// run=3,iteration=5,second=5 [default: one pass with a few processes]
    #[arg(long, value_name = "LEVELS", conflicts_with = "full", help_heading = "Measuring")]
    pub(crate) levels: Option<String>,
    /// Use the levels of the configuration file instead of the plan [default levels: run=3,iteration=5,second=5]
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
    /// Print what would be measured and how long it would take, then exit
    #[arg(long, help_heading = "Run")]
    pub(crate) dry_run: bool,
    /// Continue an interrupted or killed run
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "latest", help_heading = "Run")]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ListArgs {
    /// The version: any revision that `git rev-parse` accepts [default: the working tree]
    pub(crate) rev: Option<String>,
    #[arg(long = "rev", value_name = "REV", hide = true, conflicts_with = "rev")]
    pub(crate) rev_flag: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], help_heading = "Output")]
    pub(crate) format: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ShowArgs {
    /// Id of a run or its first letters, or `latest` [default: list the stored runs]
    pub(crate) run: Option<String>,
    /// How many runs to list
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    pub(crate) limit: usize,
    /// Compute the verdicts again from the raw values, with the run's own settings
    #[arg(long)]
    pub(crate) recompute: bool,
    /// With --recompute: use this threshold, e.g. 5%
    #[arg(long, value_name = "SHARE", requires = "recompute")]
    pub(crate) threshold: Option<String>,
    /// With --recompute: use this hard threshold
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
    /// The benchmark, as `package:name` or name; every slower metric of it is accepted
    #[arg(required_unless_present = "all")]
    pub(crate) benchmark: Option<String>,
    /// The comparison that found the slowdown: its id, the first letters of it, or `latest` [default: the latest comparison]
    pub(crate) run: Option<String>,
    /// Accept every slowdown of the comparison
    #[arg(long)]
    pub(crate) all: bool,
    /// Why the slowdown is accepted; reports show this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ImportArgs {
    /// Result files, Criterion folders (target/criterion), or - for standard input; the format is recognised by the
    /// content
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The revision that was measured [default: as stated in the file]
    #[arg(long = "version", value_name = "REV")]
    pub(crate) revision: Option<String>,
    /// Name of the version in reports [default: the revision, or the file's name]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
    /// Import all files as one run instead of one run per file
    #[arg(long)]
    pub(crate) join: bool,
    /// Print what would be imported, then exit
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
    /// Id of a run or its first letters, or `latest`
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
    /// benchfmt only: one line per iteration instead of one per process
    #[arg(long)]
    pub(crate) iterations: bool,
    /// github-action-benchmark only: write the metrics that are better when lower, or those that are better when
    /// higher; one file cannot hold both [default: lower]
    #[arg(long, value_name = "WAY", value_parser = ["lower", "higher"])]
    pub(crate) better: Option<String>,
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
    /// Seed of all random choices
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[cfg(test)]
mod tests;
