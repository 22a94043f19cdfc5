//! What can be typed after `deploy` and `teardown`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct DeployArgs {
    /// Show what is deployed in the region, and stop
    #[arg(long, conflicts_with_all = ["policy", "function"])]
    pub(crate) list: bool,
    /// Print the smallest IAM policy that suffices, and stop
    #[arg(long, conflicts_with = "function")]
    pub(crate) policy: bool,
    /// The function's program [default: benchwright-function beside benchwright]
    #[arg(long, value_name = "FILE")]
    pub(crate) function: Option<PathBuf>,
    /// Processor of the functions: x86_64, arm64, or builds (this machine's)
    #[arg(long, value_name = "NAME")]
    pub(crate) architecture: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TeardownArgs {
    /// Print what would be removed, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
}
