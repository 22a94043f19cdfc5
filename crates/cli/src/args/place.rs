//! Flags that choose where benchmarks run.

use std::path::PathBuf;

use benchwright_session::place::PROVIDERS;
use clap::Args;
use clap::builder::PossibleValuesParser;

/// The help of `--on`.
fn places_help() -> String {
    let places = PROVIDERS.map(|it| format!("{} ({})", it.name(), it.about()));
    let [most @ .., last] = &places;
    format!("Where to measure: {} or {last}", most.join(", "))
}

/// Where benchmarks run.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Place")]
pub(crate) struct PlaceArgs {
    #[arg(long, value_name = "PLACE", help = places_help(), value_parser = PossibleValuesParser::new(PROVIDERS.map(|it| it.name())), default_value = PROVIDERS[0].name())]
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
