//! Steps and error messages for failed steps, which all harnesses share. Each harness has its own limits and
//! hints, and decides which part of the output is the tool's message.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput};

/// Maximum number of lines of a message. The log has all of them.
const LINES: usize = 30;

/// Longer messages are cut. The log has the whole text.
pub(crate) const MESSAGE_BYTES: usize = 6_000;

/// A step without variables of its own.
pub(crate) fn step<A: Into<OsString>>(
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

/// The error for a step that could not be run. `hint` explains how to install a missing program.
pub(crate) fn failed(step: &Step, failure: StepFailure, hint: impl FnOnce(&str) -> String) -> HarnessError {
    match failure {
        StepFailure::NoProgram(program) => HarnessError::ToolChainMissing { hint: hint(&program), program },
        source => HarnessError::Step { purpose: step.purpose.clone(), source },
    }
}

impl StepFailure {
    /// The limit that ended the step, as a statement about what ran. `None` if it was not a limit.
    pub fn limit(&self) -> Option<String> {
        match self {
            StepFailure::TimedOut(limit) => Some(format!("did not end within {} s", limit.as_secs())),
            StepFailure::TooMuchOutput(limit) => {
                Some(format!("printed more than {} (output-limit)", megabytes(*limit)))
            }
            StepFailure::TooMuchMemory(limit) => {
                Some(format!("used more than {} of memory (trial-memory)", megabytes(*limit)))
            }
            StepFailure::NoProgram(_) | StepFailure::Interrupted | StepFailure::System(_) => None,
        }
    }
}

/// A size for people.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// The error for a step that ended badly, with the tool's own message.
pub(crate) fn tool_error(purpose: &str, output: &StepOutput, message: String) -> HarnessError {
    HarnessError::Tool { purpose: purpose.into(), status: output.status, message, log: output.log.clone() }
}

/// The part of an output that users need: the first lines of standard error, or else of standard output.
pub(crate) fn own_words(output: &StepOutput) -> String {
    first_lines(&lines(output))
}

/// The lines of standard error, or else of standard output, that are not blank.
pub(crate) fn lines(output: &StepOutput) -> Vec<&str> {
    let text = if output.stderr.trim().is_empty() { &output.stdout } else { &output.stderr };
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect()
}

/// The first of many lines, and the number of the others.
pub(crate) fn first_lines(lines: &[&str]) -> String {
    let mut kept = lines[..lines.len().min(LINES)].join("\n");
    if lines.len() > LINES {
        kept.push_str(&format!("\n({} more lines)", lines.len() - LINES));
    }
    kept
}

/// The last of many lines, because some tools print errors at the end.
pub(crate) fn last_lines(lines: &[&str]) -> String {
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// The beginning of a text, cut at a line to a suitable length for a terminal.
pub(crate) fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MESSAGE_BYTES {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(MESSAGE_BYTES);
    let cut = text[..cut].rfind('\n').unwrap_or(cut);
    format!("{}\n…", &text[..cut])
}

/// Converts an error about a file into an error of the harness.
pub(crate) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> HarnessError {
    let path = path.to_owned();
    move |source| HarnessError::File { path, source }
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

    #[test]
    fn standard_error_speaks_first_and_long_speeches_are_cut() {
        let output = |stdout: &str, stderr: &str| StepOutput {
            stdout: stdout.into(),
            stderr: stderr.into(),
            ..StepOutput::default()
        };
        assert_eq!(own_words(&output("out\n", " \n")), "out");
        assert_eq!(own_words(&output("out\n", "first \n\nsecond\n")), "first\nsecond");
        let many: String = (1..=33).map(|i| format!("{i}\n")).collect();
        let cut = own_words(&output("", &many));
        assert!(cut.starts_with("1\n2\n") && cut.ends_with("\n30\n(3 more lines)"), "{cut}");
        assert!(last_lines(&lines(&output("", &many))).starts_with("4\n"));
    }

    #[test]
    fn only_a_missing_program_is_a_missing_tool_chain() {
        let step = step("ask", "cc", ["-v"], "", Duration::ZERO);
        let missing = failed(&step, StepFailure::NoProgram("cc".into()), |program| format!("get {program}"));
        assert_eq!(missing.hint(), "get cc");
        let cut = failed(&step, StepFailure::Interrupted, |_| String::new());
        assert!(matches!(cut, HarnessError::Step { purpose, .. } if purpose == "ask"));
    }
}
