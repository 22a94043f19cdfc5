//! Arguments of `benchwright reduce`.

use std::path::PathBuf;

use benchwright_report::reduction;
use clap::Args;

use super::{Measuring, Output, ending, offering};

#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("format", |arg| offering(arg, &reduction::FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".html .json .md .csv .txt")))]
pub(crate) struct ReduceArgs {
    /// Full measurements: result files with their levels (- for standard input), or ids of stored runs
    /// [default: the newest stored run of one version]
    #[arg(long, value_name = "FILE|RUN", num_args = 1..)]
    pub(crate) from: Vec<String>,
    /// Goal of the plan: stability (values that vary little, µOpTime) or compare (comparisons that find changes)
    #[arg(long = "for", value_name = "GOAL", default_value = "stability", value_parser = ["stability", "compare"])]
    pub(crate) goal: String,
    #[command(flatten)]
    pub(crate) stability: StabilityArgs,
    #[command(flatten)]
    pub(crate) comparing: ComparingArgs,
    /// Warm-up to cut from the beginning of every process: a number of values, or auto to let a stop rule decide; its time still
    /// counts as time of the process
    #[arg(long, value_name = "N|auto", default_value = "0", help_heading = "Data")]
    pub(crate) warmup: String,
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX", help_heading = "Data")]
    pub(crate) filter: Option<String>,
    /// Leave out benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Data")]
    pub(crate) skip: Option<String>,
    /// Write the plan to this file [default: benchwright.plan.toml in the repository, if the input is a stored run]
    #[arg(long, value_name = "FILE", help_heading = "Plan")]
    pub(crate) plan: Option<PathBuf>,
    /// Write no plan
    #[arg(long, conflicts_with = "plan", help_heading = "Plan")]
    pub(crate) no_plan: bool,
    /// Measure in full the benchmarks whose entries in the plan are out of date, and renew only these entries
    #[arg(long, conflicts_with_all = ["from", "no_plan"], help_heading = "Plan")]
    pub(crate) refresh: bool,
    /// With --refresh: print what is out of date, then exit
    #[arg(long, requires = "refresh", help_heading = "Plan")]
    pub(crate) dry_run: bool,
    /// Choose nothing; compare all metrics with the paper's baselines on this data. With several versions, oldest first, also report
    /// which changes a plan made from the first would have found in the others
    #[arg(long, conflicts_with_all = ["refresh", "plan"], help_heading = "Plan")]
    pub(crate) evaluate: bool,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Data")]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// How stability is defined.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For stability")]
pub(crate) struct StabilityArgs {
    /// Stability metric: cv, rmad, rciw1, rciw2 or rciw3 [default: rmad for code compiled beforehand, rciw3 for code
    /// compiled while it runs]
    #[arg(long, value_name = "METRIC", ignore_case = true, value_parser = ["cv", "rmad", "rciw1", "rciw2", "rciw3"])]
    pub(crate) metric: Option<String>,
    /// Largest value of the metric at which a configuration counts as stable [default: 1%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) threshold: Option<String>,
    /// Use the definitions of the paper (Japke et al. 2025), or those of its authors' program, which differ [default: paper]
    #[arg(long, value_name = "MODE", value_parser = ["paper", "prototype"])]
    pub(crate) mode: Option<String>,
    /// Count the time of warm-up when the costs of configurations are compared
    #[arg(long)]
    pub(crate) count_warmup: bool,
}

/// What comparisons have to find.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "For compare")]
pub(crate) struct ComparingArgs {
    /// Size of the change that comparisons must find [default: 5%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) change: Option<String>,
    /// Share of cases in which they must find it [default: 90%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) power: Option<String>,
    /// Largest share of false alarms among the changes found [default: 5%]
    #[arg(long, value_name = "RATIO")]
    pub(crate) false_alarms: Option<String>,
}
