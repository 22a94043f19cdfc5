//! What the developer's commands and the studies share.
#![expect(clippy::print_stdout, reason = "a developer's tool talks to the terminal")]

pub mod command;
pub mod flags;
pub mod metadata;
pub mod program;
pub mod scipy;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The repository, from where this program was built.
pub fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().context("find the repository above xtask")?;
    Ok(root.to_path_buf())
}
