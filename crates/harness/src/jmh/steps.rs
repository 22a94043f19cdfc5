//! Steps, and what is said when one fails.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput};

/// More lines than this nobody reads.
const LINES: usize = 30;

/// A step without variables of its own.
pub(super) fn step(
    purpose: &str,
    program: impl Into<OsString>,
    args: &[String],
    dir: &Path,
    timeout: Duration,
) -> Step {
    Step {
        purpose: purpose.into(),
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        dir: dir.into(),
        env: Vec::new(),
        timeout,
    }
}

/// A step that could not be carried out; `hint` says how to get a program that is missing.
pub(super) fn failed(step: &Step, failure: StepFailure, hint: &str) -> HarnessError {
    match failure {
        StepFailure::NoProgram(program) => HarnessError::ToolChainMissing { program, hint: hint.into() },
        source => HarnessError::Step { purpose: step.purpose.clone(), source },
    }
}

/// An error with the tool's own message.
pub(super) fn tool_error(purpose: &str, output: &StepOutput, message: String) -> HarnessError {
    HarnessError::Tool { purpose: purpose.into(), status: output.status, message, log: output.log.clone() }
}

/// The first lines of what a tool said, on standard error if anything went there.
pub(super) fn own_words(output: &StepOutput) -> String {
    let text = if output.stderr.trim().is_empty() { &output.stdout } else { &output.stderr };
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    first_lines(&lines)
}

/// The first of many lines, and how many there are more.
pub(super) fn first_lines(lines: &[&str]) -> String {
    let mut kept = lines[..lines.len().min(LINES)].join("\n");
    if lines.len() > LINES {
        kept.push_str(&format!("\n({} more lines)", lines.len() - LINES));
    }
    kept
}
