//! Small functions that all steps use.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::steps::{self, MESSAGE_BYTES};
use crate::{HarnessError, Step, StepOutput, StepRunner};

/// Time limit of an installation. Some compile large extensions.
pub(super) const INSTALL_LIMIT: Duration = Duration::from_secs(60 * 60);
/// Time limit of a query to Python.
pub(super) const QUESTION_LIMIT: Duration = Duration::from_secs(2 * 60);
/// Time limit of a file for listing its benchmarks.
pub(super) const LIST_LIMIT: Duration = Duration::from_secs(5 * 60);

/// How to install an interpreter.
const HINT: &str = "install Python 3.8 or newer with its module venv (Debian: python3 and python3-venv)";

/// Environment variables of every step. Variables of the user that would lead into other environments are
/// cleared.
pub(super) fn variables() -> Vec<(String, String)> {
    let mut variables = vec![("PYTHONPATH".to_owned(), python_path())];
    variables.extend([("PIP_DISABLE_PIP_VERSION_CHECK", "1"), ("PIP_NO_INPUT", "1")].map(text));
    variables
}

/// The user's search path without absolute entries, which would be the same directory for both versions.
pub(super) fn python_path() -> String {
    relative_entries(&std::env::var("PYTHONPATH").unwrap_or_default())
}

fn relative_entries(path: &str) -> String {
    let entries: Vec<&str> =
        path.split(':').filter(|entry| !entry.is_empty() && !entry.starts_with('/')).collect();
    entries.join(":")
}

pub(super) fn text((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// A step with those variables.
pub(super) fn step<A: Into<OsString>>(
    purpose: impl Into<String>,
    program: impl Into<OsString>,
    args: impl IntoIterator<Item = A>,
    dir: impl Into<PathBuf>,
    timeout: Duration,
) -> Step {
    Step { env: variables(), ..steps::step(purpose, program, args, dir, timeout) }
}

/// Runs a step. If the program is missing, the error is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    run.run(step).map_err(|failure| steps::failed(step, failure, |_| HINT.into()))
}

/// The error for a missing interpreter.
pub(super) fn missing(program: String) -> HarnessError {
    HarnessError::ToolChainMissing { program, hint: HINT.into() }
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
    steps::tool_error(&step.purpose, output, ending(message))
}

/// The end of a text, where Python's tools print errors, cut at a line to a suitable length for a terminal.
pub(super) fn ending(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MESSAGE_BYTES {
        return text.to_owned();
    }
    let cut = text.ceil_char_boundary(text.len() - MESSAGE_BYTES);
    let cut = text[cut..].find('\n').map_or(cut, |line| cut + line + 1);
    format!("…\n{}", &text[cut..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_keeps_its_end_and_no_half_character() {
        assert_eq!(ending(" short\n"), "short");
        let long = "ääää\n".repeat(2_000);
        let end = ending(&long);
        assert!(end.len() < MESSAGE_BYTES + 10 && end.starts_with("…\nääää\n"), "{end}");
        assert!(ending(&"ä".repeat(MESSAGE_BYTES)).starts_with('…'));
    }

    #[test]
    fn absolute_entries_of_the_search_path_are_dropped() {
        let check = |path: &str, expected: &str| assert_eq!(relative_entries(path), expected);
        check("", "");
        check("src:/absolute/lib::tools", "src:tools");
        check("/absolute", "");
    }
}
