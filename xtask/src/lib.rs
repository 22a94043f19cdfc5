//! Code shared by the developer's commands and the studies.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to the terminal")]

pub mod command;
pub mod flags;
pub mod metadata;
pub mod program;
pub mod scipy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Runs a command with the arguments of this process, and prints its error.
pub fn carry_out(run: fn(&[String]) -> Result<()>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The repository from which this program was built.
pub fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().context("find the repository above xtask")?;
    Ok(root.to_path_buf())
}
