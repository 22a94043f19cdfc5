//! Small parts that all steps share.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{HarnessError, Step, StepFailure, StepOutput, StepRunner};

/// How much of a tool's message is shown; the log has all of it.
const MESSAGE_BYTES: usize = 6_000;

/// Lines before the first error that say where it belongs (`In file included from …`).
const LINES_BEFORE: usize = 3;

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
            hint: "install CMake (3.15 or newer) and a C++ compiler: `apt install cmake g++` on Debian and \
                   Ubuntu, `brew install cmake` on macOS"
                .into(),
        },
        source => HarnessError::Step { purpose: step.purpose.clone(), source },
    })
}

/// The error for a step that ended badly, in the tool's own words.
pub(super) fn refusal(step: &Step, output: &StepOutput) -> HarnessError {
    HarnessError::Tool {
        purpose: step.purpose.clone(),
        status: output.status,
        message: own_words(output),
        log: output.log.clone(),
    }
}

/// What CMake, the compiler or the linker complain about, without progress and warnings before it.
pub(super) fn own_words(output: &StepOutput) -> String {
    let of = |text: &str| -> Vec<String> {
        let mut is_command = false;
        let mut lines = Vec::new();
        for line in text.lines() {
            // Ninja repeats the whole command in the line below this one.
            let is_wanted = !is_command && !is_progress(line);
            is_command = line.starts_with("FAILED: ");
            if is_wanted {
                lines.push(line.to_owned());
            }
        }
        lines
    };
    // Make leaves the compiler's messages on standard error, Ninja puts all of it on standard output.
    let (err, out) = (of(&output.stderr), of(&output.stdout));
    let lines = [&err, &out].into_iter().find(|lines| lines.iter().any(|line| is_error(line)));
    let lines = lines.unwrap_or(if output.stderr.trim().is_empty() { &out } else { &err });
    let first = lines.iter().position(|line| is_error(line)).unwrap_or(0).saturating_sub(LINES_BEFORE);
    let message = shorten(&lines[first..].join("\n"));
    let names_the_package = message.contains("benchmarkConfig.cmake") || message.contains("<benchmark/");
    match names_the_package || message.contains("benchmark/benchmark.h") {
        true => format!(
            "{message}\nGoogle Benchmark itself is missing: `apt install libbenchmark-dev` on Debian and Ubuntu, \
             `brew install google-benchmark` on macOS"
        ),
        false => message,
    }
}

fn is_error(line: &str) -> bool {
    ["error:", "CMake Error", "undefined reference", "FAILED: ", "error "]
        .iter()
        .any(|sign| line.contains(sign))
}

/// `[ 50%] Building CXX object …` of Make, `[3/10] Building …` of Ninja.
fn is_progress(line: &str) -> bool {
    let Some((inside, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return false;
    };
    inside.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, ' ' | '%' | '/'))
}

/// The text up to a length that a terminal can bear, cut at a line.
fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MESSAGE_BYTES {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(MESSAGE_BYTES);
    let cut = text[..cut].rfind('\n').unwrap_or(cut);
    format!("{}\n…", &text[..cut])
}

/// Turns what the system says about a file into the harness' error.
pub(super) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> HarnessError {
    let path = path.to_owned();
    move |source| HarnessError::File { path, source }
}

/// How a project is called in messages: its directory, or the whole repository.
pub(super) fn title(dir: &Path) -> String {
    match dir.as_os_str().is_empty() {
        true => "the CMake project".into(),
        false => format!("the CMake project `{}`", dir.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stdout: &str, stderr: &str, expected: &str) {
        let output =
            StepOutput { status: 2, stdout: stdout.into(), stderr: stderr.into(), log: "x.log".into() };
        assert_eq!(own_words(&output), expected);
    }

    #[test]
    fn the_compilers_message_is_shown_without_progress() {
        check(
            "[ 50%] Building CXX object a.o\n",
            "old.cc:1:1: warning: x\na.cc: In function 'int f()':\na.cc:3:5: error: no\nmake: *** [a.o] Error 1\n",
            "old.cc:1:1: warning: x\na.cc: In function 'int f()':\na.cc:3:5: error: no\nmake: *** [a.o] Error 1",
        );
        check(
            "[1/2] Building CXX object a.o\nFAILED: a.o \n/usr/bin/c++ -O3 -c a.cc\na.cc:3:5: error: no\n\
             ninja: build stopped.\n",
            "",
            "FAILED: a.o \na.cc:3:5: error: no\nninja: build stopped.",
        );
        check("", "ld: a.o: undefined reference to `f'\n", "ld: a.o: undefined reference to `f'");
        check("killed\n", "", "killed");
        check("[ 10%] x\n", "gone\n", "gone");
    }

    #[test]
    fn a_missing_library_comes_with_advice() {
        let output = StepOutput {
            stderr: "CMake Error at CMakeLists.txt:3 (find_package):\n  benchmarkConfig.cmake\n".into(),
            ..StepOutput::default()
        };
        assert!(own_words(&output).ends_with("`brew install google-benchmark` on macOS"));
    }

    #[test]
    fn a_long_message_is_cut_at_a_line_and_inside_no_character() {
        let long = "ääää\n".repeat(2_000);
        let short = shorten(&long);
        assert!(short.len() < MESSAGE_BYTES + 10 && short.ends_with("ääää\n…"), "{short}");
        assert!(shorten(&"ä".repeat(MESSAGE_BYTES)).ends_with('…'));
    }
}
