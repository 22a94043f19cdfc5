//! Small parts that all steps share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput, StepRunner};

/// Longest a question to a tool may take; corepack may have to download it.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(5 * 60);
/// Longest an installation or a build script may take.
pub(super) const BUILD_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Longest a benchmark file may take to name its benchmarks.
pub(super) const LIST_LIMIT: Duration = Duration::from_secs(5 * 60);

/// How many lines of a tool's message are shown; the log has all of them.
const MESSAGE_LINES: usize = 30;

/// Variables for everything that installs: no questions, no news, no downloads of browsers, no hooks for git.
const QUIET: [(&str, &str); 7] = [
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("CYPRESS_INSTALL_BINARY", "0"),
    ("HUSKY", "0"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
    ("PUPPETEER_SKIP_DOWNLOAD", "1"),
    ("YARN_NODE_LINKER", "node-modules"),
];

/// A step with the variables every tool of this harness gets.
pub(super) fn step<A: Into<OsString>>(
    purpose: impl Into<String>,
    program: impl Into<OsString>,
    args: impl IntoIterator<Item = A>,
    dir: impl Into<PathBuf>,
    timeout: Duration,
) -> Step {
    Step {
        purpose: purpose.into(),
        program: program.into(),
        args: args.into_iter().map(Into::into).collect(),
        dir: dir.into(),
        env: QUIET.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        timeout,
    }
}

/// Runs a step, whatever its status; a missing program is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    run.run(step).map_err(|failure| match failure {
        StepFailure::NoProgram(program) => HarnessError::ToolChainMissing { hint: hint(&program), program },
        source => HarnessError::Step { purpose: step.purpose.clone(), source },
    })
}

/// Runs a step that must succeed.
pub(super) fn run_well(step: &Step, runner: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let output = run(step, runner)?;
    if output.status == 0 { Ok(output) } else { Err(refusal(step, &output)) }
}

/// The error for a step that ended badly.
pub(super) fn refusal(step: &Step, output: &StepOutput) -> HarnessError {
    HarnessError::Tool {
        purpose: step.purpose.clone(),
        status: output.status,
        message: own_words(output),
        log: output.log.clone(),
    }
}

/// How to get a program.
fn hint(program: &str) -> String {
    match program {
        "node" | "npm" => {
            "install Node.js 20 or newer from https://nodejs.org or the system's packages, and see that \
                           `node --version` and `npm --version` work in this shell"
                .into()
        }
        other => format!(
            "the lock file is {other}'s: install it (`npm install --global {other}`), or corepack \
             (`npm install --global corepack`), which brings it"
        ),
    }
}

/// The part of an output that a person needs: the first lines of what went to standard error, or else to standard output.
pub(super) fn own_words(output: &StepOutput) -> String {
    let text = if output.stderr.trim().is_empty() { &output.stdout } else { &output.stderr };
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let mut kept = lines[..lines.len().min(MESSAGE_LINES)].join("\n");
    if lines.len() > MESSAGE_LINES {
        kept.push_str(&format!("\n({} more lines)", lines.len() - MESSAGE_LINES));
    }
    kept
}

/// An error about a file.
pub(super) fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> HarnessError {
    let path = path.to_owned();
    move |source| HarnessError::File { path, source }
}
