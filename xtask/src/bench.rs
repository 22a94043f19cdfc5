//! Our own benchmarks.

use std::path::Path;

use anyhow::{Result, bail};

use crate::command::{cargo, run};
use crate::metadata::packages;

/// Runs every bench program of the workspace, one after the other. They print figures as ratios and judge nothing,
/// so a slow machine does not fail. `--profile release` shares everything that was built for the product.
pub(crate) fn bench(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for package in packages(root)? {
        for bench in &package.benches {
            println!("== {} {bench}", package.name);
            let mut command = cargo(root);
            command.args([
                "bench",
                "--quiet",
                "--profile",
                "release",
                "--package",
                &package.name,
                "--bench",
                bench,
            ]);
            if run(&mut command).is_err() {
                failed.push(bench.clone());
            }
        }
    }
    if !failed.is_empty() {
        bail!("run the bench programs {}", failed.join(", "));
    }
    Ok(())
}
