//! Small functions that all steps use.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::steps;
pub(super) use crate::steps::{shorten, step};
use crate::{HarnessError, Step, StepOutput, StepRunner};

/// The time limit of a compilation.
pub(super) const BUILD_LIMIT: Duration = Duration::from_secs(2 * 60 * 60);
/// The time limit of a query to Cargo. The first one may have to download a tool chain or an index.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(15 * 60);
/// The time limit of a benchmark program for listing its benchmarks. Some have to run all of them once for
/// that.
pub(super) const LIST_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Runs a step. If the program is missing, the error is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let hint = |_: &str| "install Rust with rustup (https://rustup.rs) and open a new shell".into();
    run.run(step).map_err(|failure| steps::failed(step, failure, hint))
}

/// Runs a step that must succeed.
pub(super) fn run_well(step: &Step, runner: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let output = run(step, runner)?;
    if output.status == 0 { Ok(output) } else { Err(refusal(step, &output, "")) }
}

/// The error for a step that ended badly. If `message` is empty, standard error is used.
pub(super) fn refusal(step: &Step, output: &StepOutput, message: &str) -> HarnessError {
    let message = if !message.trim().is_empty() {
        message
    } else if !output.stderr.trim().is_empty() {
        &output.stderr
    } else {
        &output.stdout
    };
    steps::tool_error(&step.purpose, output, shorten(message))
}

/// `path` relative to `root`, whichever of them has resolved symbolic links.
pub(super) fn relative(root: &Path, path: &Path) -> Option<PathBuf> {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let found = path.strip_prefix(root).map(Path::to_owned);
    found.or_else(|_| resolved(path).strip_prefix(resolved(root)).map(Path::to_owned)).ok()
}
