//! The result of a run of benchwright.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde_json::Value;

/// How benchwright ended and what it printed.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    /// Whether it was killed because it took too long.
    pub(super) is_hung: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Answer {
    pub(super) fn new(status: Option<ExitStatus>, stdout: &[u8], stderr: &[u8]) -> Answer {
        Answer {
            code: status.and_then(|status| status.code()),
            signal: status.and_then(|status| status.signal()),
            is_hung: status.is_none(),
            stdout: String::from_utf8_lossy(stdout).into_owned(),
            stderr: String::from_utf8_lossy(stderr).into_owned(),
        }
    }

    /// What must never happen: a panic, an abort, a hang, memory without end. A benchmark of the scripted suite may panic: its own
    /// system calls fail as well.
    pub(super) fn breakage(&self) -> Option<String> {
        let is_ours = |line: &&str, mark: &str| line.contains(mark) && !line.contains("panicked at benches/");
        let excerpt = |mark: &str| {
            let line = self.stderr.lines().skip_while(|line| !is_ours(line, mark)).take(2);
            line.collect::<Vec<_>>().join(" ")
        };
        if self.is_hung {
            return Some("hangs".to_owned());
        }
        for mark in ["panicked at", "memory allocation of", "has overflowed its stack"] {
            if self.stderr.lines().any(|line| is_ours(&line, mark)) {
                return Some(excerpt(mark));
            }
        }
        // A shell or a tracer reports a signal as 128 + signal. These are illegal instruction, abort, bus
        // error and segmentation fault.
        let fatal = [4, 6, 7, 11];
        let signal = self.signal.or(self.code.filter(|code| *code > 128).map(|code| code - 128));
        signal.filter(|signal| fatal.contains(signal)).map(|signal| format!("dies of signal {signal}"))
    }

    /// Checks for exit code 3 with a document that calls `benchmark` slower, or with a message if there is no
    /// document.
    pub(super) fn finds_slower(&self, benchmark: &str) -> Result<(), String> {
        match (self.code, verdict(&self.stdout, benchmark).as_deref()) {
            (Some(3), Some("slower")) => Ok(()),
            (Some(3), None) if self.has_message() => Ok(()),
            (_, found) => Err(format!(
                "{}, and `{benchmark}` is {}: {}",
                self.end(),
                found.unwrap_or("not in the document"),
                self.last_line()
            )),
        }
    }

    /// Whether there is an error message. The line with the exit code alone is not enough.
    pub(super) fn has_message(&self) -> bool {
        let mut lines = self.stderr.lines().filter(|line| !line.starts_with("exit code"));
        lines.any(|line| ["error", "cannot", "failed", "damaged"].iter().any(|word| line.contains(word)))
    }

    /// How it ended, as text.
    pub(super) fn end(&self) -> String {
        match (self.code, self.signal) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no end".to_owned(),
        }
    }

    /// The last line of standard error.
    pub(super) fn last_line(&self) -> &str {
        self.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message")
    }
}

/// The verdict on the first metric of a benchmark in a comparison's JSON.
fn verdict(document: &str, benchmark: &str) -> Option<String> {
    let document: Value = serde_json::from_str(document).ok()?;
    let findings = document["findings"].as_array()?;
    let is_it = |name: &Value| name.as_str().is_some_and(|name| name.contains(benchmark));
    let finding = findings.iter().find(|finding| is_it(&finding["benchmark"]["name"]))?;
    finding["verdict"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: i32, stdout: &str, stderr: &str) -> Answer {
        Answer { code: Some(code), stdout: stdout.into(), stderr: stderr.into(), ..Answer::default() }
    }

    #[test]
    fn panics_aborts_and_hangs_are_seen() {
        let check = |answer: Answer, expected: Option<&str>| {
            assert_eq!(answer.breakage().as_deref(), expected, "{answer:?}");
        };
        check(answer(1, "", "error: no space"), None);
        check(
            answer(101, "", "thread 'main' panicked at a.rs:1\noh no\n"),
            Some("thread 'main' panicked at a.rs:1 oh no"),
        );
        check(answer(134, "", ""), Some("dies of signal 6"));
        check(Answer { signal: Some(11), ..Answer::default() }, Some("dies of signal 11"));
        check(Answer { signal: Some(9), ..Answer::default() }, None);
        check(Answer { is_hung: true, ..Answer::default() }, Some("hangs"));
    }

    #[test]
    fn a_result_is_right_only_with_its_verdict() {
        let document = |verdict: &str| {
            format!(r#"{{"findings": [{{"benchmark": {{"name": "beta"}}, "verdict": "{verdict}"}}]}}"#)
        };
        assert!(answer(3, &document("slower"), "").finds_slower("beta").is_ok());
        assert!(answer(3, "", "error: cannot write").finds_slower("beta").is_ok());
        for wrong in [answer(3, "", ""), answer(0, &document("slower"), ""), answer(3, &document("same"), "")]
        {
            assert!(wrong.finds_slower("beta").is_err(), "{wrong:?}");
        }
    }
}
