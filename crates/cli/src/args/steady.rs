//! Arguments of `benchwright steady`.

use std::path::PathBuf;

use benchwright_steady::rules::catalogue::{NamedRule, RULES};
use clap::{Args, Subcommand};

#[derive(Debug, Clone, Args)]
pub(crate) struct SteadyArgs {
    #[command(subcommand)]
    pub(crate) command: SteadyCommand,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum SteadyCommand {
    /// Draw each process with its segments, its steady part and where stop rules would have ended it
    Show(SteadyShowArgs),
    /// Write as CSV where a stop rule would have ended each recorded process
    Stops(SteadyStopsArgs),
    /// Train the rule `learned` on recorded processes
    Train(SteadyTrainArgs),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SteadyShowArgs {
    /// A result file, a folder or table of recorded processes (series-*.parquet), or a stored run
    #[arg(value_name = "FILE|RUN")]
    pub(crate) source: String,
    /// Only benchmarks whose name matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Only the process with this number; the first is 0
    #[arg(long, value_name = "N")]
    pub(crate) process: Option<u32>,
    /// Stop rules to show, separated by commas [default: all that need no further data]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) rule: Vec<String>,
    /// Time of an iteration, if the source does not state it
    #[arg(long, value_name = "TIME", default_value = "100ms")]
    pub(crate) iteration_time: String,
    /// Show at most this many processes
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Format on standard output: text, html, svg (one process)
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "html", "svg"])]
    pub(crate) format: String,
    /// Also write to this file; its ending decides the format (.html .svg .txt)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SteadyStopsArgs {
    /// The stop rule; `--help` lists all
    #[arg(long, value_name = "NAME", long_help = known_rules())]
    pub(crate) rule: String,
    /// A folder of recorded processes (series-*.parquet; subjects.csv for the numbers that developers configured), a
    /// result file, or a stored run
    #[arg(long, value_name = "DIR|FILE|RUN")]
    pub(crate) data: String,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Models for the rule `learned`, as written by `steady train` [default: the built-in models]
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SteadyTrainArgs {
    /// A folder of recorded processes (series-*.parquet), a result file, or a stored run, with several processes per
    /// benchmark and iterations of 0.1 s
    #[arg(long, value_name = "DIR|FILE|RUN")]
    pub(crate) data: String,
    /// Write the models to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// All rules, each with a description.
fn known_rules() -> String {
    let rule = |rule: &NamedRule| format!("{}: {}", rule.words().collect::<Vec<_>>().join(", "), rule.about);
    let all: Vec<String> = RULES.iter().map(rule).collect();
    format!("The stop rule:\n\n{}", all.join("\n"))
}
