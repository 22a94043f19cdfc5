//! What can be typed after `benchwright reduce`.

use std::path::PathBuf;

use benchwright_report::reduction;
use clap::Args;

use super::{Measuring, Output, ending, offering};

#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("format", |arg| offering(arg, &reduction::FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".html .json .md .csv .txt")))]
pub(crate) struct ReduceArgs {
    /// What was measured in full: files of results with their levels (- is standard input), or stored runs by id
    /// [default: the newest stored run of one version]
    #[arg(long, value_name = "FILE|RUN", num_args = 1..)]
    pub(crate) from: Vec<String>,
    /// What the configurations have to give: stability, values that vary little (µOpTime); or compare, changes that are
    /// found
    #[arg(long = "for", value_name = "GOAL", default_value = "stability", value_parser = ["stability", "compare"])]
    pub(crate) goal: String,
    #[command(flatten)]
    pub(crate) stability: StabilityArgs,
    #[command(flatten)]
    pub(crate) comparing: ComparingArgs,
    /// Warm-up to cut from the beginning of every process, part of the time: a number of values, or auto, by the stop rule that would
    /// have ended such processes
    #[arg(long, value_name = "N|auto", default_value = "0", help_heading = "Data")]
    pub(crate) warmup: String,
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX", help_heading = "Data")]
    pub(crate) filter: Option<String>,
    /// Not benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Data")]
    pub(crate) skip: Option<String>,
    /// Write the plan to this file [default: benchwright.plan.toml in the repository, where a stored run is read]
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub(crate) plan: Option<PathBuf>,
    /// Write no plan
    #[arg(long, conflicts_with = "plan", help_heading = "Plan")]
    pub(crate) no_plan: bool,
    /// Measure what of the plan is out of date in full, and renew only its entries
    #[arg(long, conflicts_with_all = ["from", "no_plan"], help_heading = "Plan")]
    pub(crate) refresh: bool,
    /// With --refresh: print what is out of date, and stop
    #[arg(long, requires = "refresh", help_heading = "Plan")]
    pub(crate) dry_run: bool,
    /// Choose nothing: set all metrics beside the paper's baselines on this data, and with several versions, oldest first, say which
    /// changes a choice of the first would have found in the others
    #[arg(long, conflicts_with_all = ["refresh", "plan"], help_heading = "Plan")]
    pub(crate) evaluate: bool,
    /// Threads [default: as many as there are cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Data")]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// What stability is.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For stability")]
pub(crate) struct StabilityArgs {
    /// How it is measured: cv, rmad, rciw1, rciw2 or rciw3 [default: by language, rmad for code that is compiled
    /// beforehand, rciw3 for code that is compiled while it runs]
    #[arg(long, value_name = "METRIC", ignore_case = true, value_parser = ["cv", "rmad", "rciw1", "rciw2", "rciw3"])]
    pub(crate) metric: Option<String>,
    /// Up to which value of the metric a configuration is stable, e.g. 1%
    #[arg(long, value_name = "RATIO", default_value = "1%")]
    pub(crate) threshold: String,
    /// Whose definitions: those of the paper (Japke et al. 2025), or those of its authors' program, which differ
    #[arg(long, value_name = "MODE", default_value = "paper", value_parser = ["paper", "prototype"])]
    pub(crate) mode: String,
    /// Let the time of warm-up count when configurations are compared by cost
    #[arg(long)]
    pub(crate) count_warmup: bool,
}

/// What a comparison has to find.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For compare")]
pub(crate) struct ComparingArgs {
    /// The change to find
    #[arg(long, value_name = "RATIO", default_value = "5%")]
    pub(crate) change: String,
    /// In which share of cases it has to be found
    #[arg(long, value_name = "RATIO", default_value = "90%")]
    pub(crate) power: String,
    /// Which share of the changes found may be none
    #[arg(long, value_name = "RATIO", default_value = "5%")]
    pub(crate) false_alarms: String,
}
