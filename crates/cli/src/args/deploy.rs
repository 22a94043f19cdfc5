//! Arguments of `deploy` and `teardown`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct DeployArgs {
    /// List what is deployed in the region, then exit
    #[arg(long, conflicts_with_all = ["policy", "function"])]
    pub(crate) list: bool,
    /// Print the smallest IAM policy that suffices, then exit
    #[arg(long, conflicts_with = "function")]
    pub(crate) policy: bool,
    /// Program of the function [default: benchwright-function in the directory of benchwright]
    #[arg(long, value_name = "FILE")]
    pub(crate) function: Option<PathBuf>,
    /// Processor of the functions: x86_64, arm64, or builds (the processor of this machine)
    #[arg(long, value_name = "NAME")]
    pub(crate) architecture: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TeardownArgs {
    /// Print what would be removed, then exit
    #[arg(long)]
    pub(crate) dry_run: bool,
}
