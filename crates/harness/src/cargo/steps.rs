//! Small parts that all steps share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput, StepRunner};

/// Longest a compilation may take.
pub(super) const BUILD_LIMIT: Duration = Duration::from_secs(2 * 60 * 60);
/// Longest a question to Cargo may take; the first one may have to download a tool chain or an index.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(15 * 60);
/// Longest a benchmark program may take to list its benchmarks; some have to run all of them once for that.
pub(super) const LIST_LIMIT: Duration = Duration::from_secs(15 * 60);

/// How much of a tool's message is shown; the log has all of it.
const MESSAGE_BYTES: usize = 6_000;

/// A step without variables of its own.
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
        env: Vec::new(),
        timeout,
    }
}

/// Runs a step; a missing program is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    run.run(step).map_err(|failure| match failure {
        StepFailure::NoProgram(program) => HarnessError::ToolChainMissing {
            program,
            hint: "install Rust with rustup (https://rustup.rs) and open a new shell".into(),
        },
        source => HarnessError::Step { purpose: step.purpose.clone(), source },
    })
}

/// Runs a step that must succeed.
pub(super) fn run_well(step: &Step, runner: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let output = run(step, runner)?;
    if output.status == 0 { Ok(output) } else { Err(refusal(step, &output, "")) }
}

/// The error for a step that ended badly. `message` is what a person needs; where it is empty, standard error is.
pub(super) fn refusal(step: &Step, output: &StepOutput, message: &str) -> HarnessError {
    let message = if !message.trim().is_empty() {
        message
    } else if !output.stderr.trim().is_empty() {
        &output.stderr
    } else {
        &output.stdout
    };
    HarnessError::Tool {
        purpose: step.purpose.clone(),
        status: output.status,
        message: shorten(message),
        log: output.log.clone(),
    }
}

/// The text up to a length that a terminal can bear, cut at a line.
pub(super) fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MESSAGE_BYTES {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(MESSAGE_BYTES);
    let cut = text[..cut].rfind('\n').unwrap_or(cut);
    format!("{}\n…", &text[..cut])
}

/// `path` relative to `root`, whichever of the two has its symbolic links resolved.
pub(super) fn relative(root: &Path, path: &Path) -> Option<PathBuf> {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let found = path.strip_prefix(root).map(Path::to_owned);
    found.or_else(|_| resolved(path).strip_prefix(resolved(root)).map(Path::to_owned)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_at_a_line_and_inside_no_character() {
        assert_eq!(shorten(" short\n"), "short");
        let long = "ääää\n".repeat(2_000);
        let short = shorten(&long);
        assert!(short.len() < MESSAGE_BYTES + 10 && short.ends_with("ääää\n…"), "{short}");
        assert!(shorten(&"ä".repeat(MESSAGE_BYTES)).ends_with('…'));
    }
}
