//! Small functions that all steps use.

use std::path::Path;

use crate::steps::{self, shorten};
pub(super) use crate::steps::{file_error, step};
use crate::{HarnessError, Step, StepOutput, StepRunner};

/// Number of lines before the first error that tell where it belongs (`In file included from …`).
const LINES_BEFORE: usize = 3;

/// Runs a step. If the program is missing, the error is a missing tool chain.
pub(super) fn run(step: &Step, run: &mut dyn StepRunner) -> Result<StepOutput, HarnessError> {
    let hint = "install CMake (3.15 or newer) and a C++ compiler: `apt install cmake g++` on Debian and Ubuntu, \
                `brew install cmake` on macOS";
    run.run(step).map_err(|failure| steps::failed(step, failure, |_| hint.into()))
}

/// The error for a step that ended badly, with the tool's own message.
pub(super) fn refusal(step: &Step, output: &StepOutput) -> HarnessError {
    steps::tool_error(&step.purpose, output, own_words(output))
}

/// The errors of CMake, the compiler or the linker, without progress and warnings before them.
pub(super) fn own_words(output: &StepOutput) -> String {
    let of = |text: &str| -> Vec<String> {
        let mut is_command = false;
        let mut lines = Vec::new();
        for line in text.lines() {
            // Ninja repeats the whole command in the next line.
            let is_wanted = !is_command && !is_progress(line);
            is_command = line.starts_with("FAILED: ");
            if is_wanted {
                lines.push(line.to_owned());
            }
        }
        lines
    };
    // Make leaves the compiler's messages on standard error. Ninja prints everything on standard output.
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

/// The name of a project in messages: its directory, or the whole repository.
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
}
