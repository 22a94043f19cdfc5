//! Shell commands that run while a version is built.

use std::path::Path;
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput, StepRunner, steps};

/// Time limit of one command: a complete build of a large program.
const LIMIT: Duration = Duration::from_secs(3600);

/// If the user sets a target directory, both versions would share it, and the last one built would be
/// measured twice.
const OWN_TARGET: &str = "unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR\n";

/// Runs `text` in the shell in `dir`. A status other than 0 is an error.
pub(crate) fn carry_out(
    purpose: &str,
    text: &str,
    dir: &Path,
    env: &[(String, String)],
    run: &mut dyn StepRunner,
) -> Result<StepOutput, HarnessError> {
    let args = ["-c".to_owned(), format!("{OWN_TARGET}{text}")];
    finished(&Step { env: env.to_vec(), ..steps::step(purpose, "sh", args, dir, LIMIT) }, run)
}

/// Runs a step. A status other than 0 is an error with the tool's own message.
pub(crate) fn finished(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let output = run.run(step).map_err(|failure| match failure {
        StepFailure::NoProgram(program) if program != "sh" => {
            HarnessError::Step { purpose: step.purpose.clone(), source: StepFailure::NoProgram(program) }
        }
        failure => steps::failed(step, failure, |_| "a POSIX shell has to be in PATH".into()),
    })?;
    match output.status {
        0 => Ok(output),
        _ => Err(steps::tool_error(&step.purpose, &output, own_words(&output))),
    }
}

/// The last lines of the output, because tools print errors at the end.
fn own_words(output: &StepOutput) -> String {
    let lines = steps::lines(output);
    if lines.is_empty() { format!("exit status {}", output.status) } else { steps::last_lines(&lines) }
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Answer(Option<Result<StepOutput, StepFailure>>, Vec<Step>);

    impl StepRunner for Answer {
        fn run(&mut self, step: &Step) -> Result<StepOutput, StepFailure> {
            self.1.push(step.clone());
            self.0.take().expect("one step")
        }
    }

    fn carried_out(answer: Result<StepOutput, StepFailure>) -> (Result<StepOutput, HarnessError>, Step) {
        let mut answer = Answer(Some(answer), Vec::new());
        let result =
            carry_out("build x", "make", Path::new("/r/d"), &[("A".into(), "1".into())], &mut answer);
        (result, answer.1.remove(0))
    }

    #[test]
    fn a_text_is_handed_to_the_shell_with_a_target_directory_of_its_own() {
        let (result, step) = carried_out(Ok(StepOutput::default()));
        assert!(result.is_ok());
        assert_eq!((step.program, step.dir.as_path()), ("sh".into(), Path::new("/r/d")));
        assert_eq!(step.args[1], "unset CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR\nmake");
        assert_eq!(step.env, [("A".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn a_failed_text_is_told_with_its_last_words() {
        let stderr: String = (0..50).map(|i| format!("line {i}\n")).collect();
        let (result, _) = carried_out(Ok(StepOutput { status: 2, stderr, ..StepOutput::default() }));
        match result {
            Err(HarnessError::Tool { status: 2, message, .. }) => {
                assert!(message.starts_with("line 20\n") && message.ends_with("line 49"), "{message}");
            }
            other => panic!("{other:?}"),
        }
        let silent = StepOutput { status: 3, ..StepOutput::default() };
        assert!(
            matches!(carried_out(Ok(silent)).0, Err(HarnessError::Tool { message, .. }) if message == "exit status 3")
        );
        let missing = Err(StepFailure::NoProgram("sh".into()));
        assert!(matches!(carried_out(missing).0, Err(HarnessError::ToolChainMissing { .. })));
    }

    #[test]
    fn quoted_words_are_one_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
