//! Flags that choose where benchmarks run.

use std::path::PathBuf;

use clap::Args;

/// Where benchmarks run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Place")]
pub(crate) struct PlaceArgs {
    /// Where to measure: local (this machine), slurm (the nodes of a cluster) or lambda (AWS Lambda, many instances at once)
    #[arg(long, value_name = "PLACE", value_parser = ["local", "slurm", "lambda"], default_value = "local")]
    pub(crate) on: String,
    /// Run the benchmarks that cannot run there on this machine instead
    #[arg(long, value_name = "PLACE", value_parser = ["local"])]
    pub(crate) fallback: Option<String>,
    /// Processor of the Lambda functions: x86_64, arm64, or builds (the processor of this machine); Go and Rust are built for it
    #[arg(long, value_name = "NAME")]
    pub(crate) architecture: Option<String>,
    /// Most dollars that may be spent on AWS Lambda, e.g. 0.50
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<String>,
}

/// Arguments of one task of a Slurm job array.
#[derive(Debug, Clone, Args)]
pub(crate) struct SlurmTaskArgs {
    /// The directory of the run, on a file system that all nodes share
    pub(crate) dir: PathBuf,
    /// The name of the array
    pub(crate) array: String,
}
