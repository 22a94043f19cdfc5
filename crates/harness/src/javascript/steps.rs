//! Small functions that all steps use.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::steps;
pub(super) use crate::steps::{file_error, own_words};
use crate::{HarnessError, Step, StepOutput, StepRunner};

/// Time limit of a query to a tool. Corepack may have to download the tool.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(5 * 60);
/// Time limit of an installation or a build script.
pub(super) const BUILD_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Time limit of a benchmark file for listing its benchmarks.
pub(super) const LIST_LIMIT: Duration = Duration::from_secs(5 * 60);

/// Variables for installations: no prompts, no news, no downloads of browsers, no hooks for git.
const QUIET: [(&str, &str); 7] = [
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("CYPRESS_INSTALL_BINARY", "0"),
    ("HUSKY", "0"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    ("PUPPETEER_SKIP_DOWNLOAD", "1"),
    ("YARN_NODE_LINKER", "node-modules"),
];

/// A step with the variables of this harness's tools.
pub(super) fn step<A: Into<OsString>>(
    purpose: impl Into<String>,
    program: impl Into<OsString>,
    args: impl IntoIterator<Item = A>,
    dir: impl Into<PathBuf>,
    timeout: Duration,
) -> Step {
    let env = QUIET.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Step { env, ..steps::step(purpose, program, args, dir, timeout) }
}

/// Runs a step, whatever its status. If the program is missing, the error is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    run.run(step).map_err(|failure| steps::failed(step, failure, hint))
}

/// Runs a step that must succeed.
pub(super) fn run_well(step: &Step, runner: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let output = run(step, runner)?;
    if output.status == 0 { Ok(output) } else { Err(refusal(step, &output)) }
}

/// The error for a step that ended badly.
pub(super) fn refusal(step: &Step, output: &StepOutput) -> HarnessError {
    steps::tool_error(&step.purpose, output, own_words(output))
}

/// How to install a program.
fn hint(program: &str) -> String {
    match program {
        "node" | "npm" => {
            "install Node.js 20 or newer from https://nodejs.org or the system's packages, and see that \
                           `node --version` and `npm --version` work in this shell"
                .into()
        }
        other => format!(
            "the lock file is {other}'s: install it (`npm install --global {other}`), or corepack \
             (`npm install --global corepack`), which installs it"
        ),
    }
}
