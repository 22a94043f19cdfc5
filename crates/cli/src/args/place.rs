//! What can be typed about where benchmarks run.

use std::path::PathBuf;

use clap::Args;

/// Where benchmarks run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Place")]
pub(crate) struct PlaceArgs {
    /// Where to measure: local (this machine), slurm (the nodes of a cluster) or lambda (AWS Lambda, many instances at a time)
    #[arg(long, value_name = "PLACE", value_parser = ["local", "slurm", "lambda"], default_value = "local")]
    pub(crate) on: String,
    /// Run benchmarks that cannot run there on this machine
    #[arg(long, value_name = "PLACE", value_parser = ["local"])]
    pub(crate) fallback: Option<String>,
    /// Processor of the functions that measure: x86_64, arm64, or builds (this machine's); Go and Rust are built for it
    #[arg(long, value_name = "NAME")]
    pub(crate) architecture: Option<String>,
    /// The most that may be spent, in dollars, e.g. 0.50
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<String>,
}

/// What a task of a job array is told.
#[derive(Debug, Clone, Args)]
pub(crate) struct SlurmTaskArgs {
    /// The directory of the run, which all nodes see
    pub(crate) dir: PathBuf,
    /// The name of the array
    pub(crate) array: String,
}
