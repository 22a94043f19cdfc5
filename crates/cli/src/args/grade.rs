//! Arguments of `benchwright grade` and `benchwright select`.

use std::path::PathBuf;

use benchwright_report::grade;
use clap::{Args, Subcommand};

use super::{Measuring, Output, Selection, VerdictArgs, ending, offering};

#[derive(Debug, Clone, Default, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct GradeArgs {
    #[command(subcommand)]
    pub(crate) command: Option<GradeCommand>,
    #[command(flatten)]
    pub(crate) suite: GradeSuiteArgs,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum GradeCommand {
    /// Report the size of the suite, how long it takes, and what fits into a budget
    Extent(GradeSuiteArgs),
    /// Report how much results differ between runs of the same code, and why
    Stability(GradeSuiteArgs),
    /// Slow public functions down and report which benchmarks notice, and which benchmarks are redundant
    #[command(visible_alias = "redundancy")]
    Api(GradeApiArgs),
    /// Check that a gate works: slow a function down and compare, and compare unchanged code
    Gate(GradeGateArgs),
}

/// What is graded, and how often it runs.
#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("format", |arg| offering(arg, &grade::FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".html .json .txt")))]
pub(crate) struct GradeSuiteArgs {
    /// The version [default: the working tree with its uncommitted changes]
    #[arg(value_name = "REV")]
    pub(crate) rev: Option<String>,
    /// Read stored runs or result files instead of measuring. Several are several environments; files with one run each are the
    /// runs of one
    #[arg(long, value_name = "FILE|RUN", num_args = 1.., conflicts_with = "rev")]
    pub(crate) from: Vec<String>,
    /// How often the suite is run
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Show all benchmarks
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GradeApiArgs {
    #[command(flatten)]
    pub(crate) suite: GradeSuiteArgs,
    /// Slow this function down: its address or the end of it, such as Parser.parse (repeatable) [default: the functions that tests call most]
    #[arg(long, value_name = "FUNCTION", help_heading = "Functions")]
    pub(crate) function: Vec<String>,
    /// Number of functions to choose
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Functions")]
    pub(crate) count: u32,
    /// A project that uses this one: its directory, or a Go module such as example.com/shop@v1.2.3. The functions that its tests call
    /// count as well (repeatable)
    #[arg(long, value_name = "DIR|MODULE", help_heading = "Functions")]
    pub(crate) client: Vec<String>,
    /// How much slower functions become, e.g. 30% [default: twice the spread that 95 % of the benchmarks stay below, at least 10%]
    #[arg(long, value_name = "RATIO", help_heading = "Functions")]
    pub(crate) slowdown: Option<String>,
    /// Write skeletons of benchmarks for functions whose slowdowns are not found into this directory (Go)
    #[arg(long, value_name = "DIR", help_heading = "Functions")]
    pub(crate) stubs: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GradeGateArgs {
    #[command(flatten)]
    pub(crate) suite: GradeSuiteArgs,
    /// The function to slow down: its address or the end of it [default: the public function that most benchmarks call]
    #[arg(long, value_name = "FUNCTION", help_heading = "Gate")]
    pub(crate) function: Option<String>,
    /// How much slower it becomes, smallest first
    #[arg(
        long,
        value_name = "RATIOS",
        value_delimiter = ',',
        default_value = "10%,30%,100%",
        help_heading = "Gate"
    )]
    pub(crate) slowdown: Vec<String>,
    /// Number of comparisons with each slowdown, and with unchanged code
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Gate")]
    pub(crate) times: u32,
    #[command(flatten)]
    pub(crate) verdict: VerdictArgs,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) suite: GradeSuiteArgs,
    /// Only benchmarks that call functions which changed since this revision
    #[arg(long, value_name = "BASE")]
    pub(crate) changed: Option<String>,
}
