//! Reports and counts tests that cannot run.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// The environment variable with the file from which `cargo xtask test` and `cargo xtask ci` read skipped
/// tests.
const FILE: &str = "TESTKIT_SKIPPED";

/// Reports that this test is skipped because this machine cannot run it, e.g. because of a missing
/// permission. The test should return.
///
/// For anything that `cargo xtask setup` installs, use [`crate::tool`], which reports it itself: CI fails
/// without it.
pub fn skip(reason: &str) {
    record(Lack::Machine, reason);
}

/// Why a test could not run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lack {
    /// `cargo xtask setup` should have installed something.
    Setup,
    /// The machine is not able to.
    Machine,
}

/// Reports it on standard error, bypassing the capture of test output, and to the runner of all tests.
pub(crate) fn record(lack: Lack, reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(io::stderr(), "skipped: {reason} ({test})");
    if let Some(file) = std::env::var_os(FILE) {
        let program = std::env::current_exe().unwrap_or_default();
        let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let line = line(&program, test, lack, reason);
        append(Path::new(&file), &line).unwrap_or_else(|error| panic!("file of skipped tests: {error}"));
    }
}

/// The line for the runner: program, test, cause, and the reason, separated by tabs.
fn line(program: &str, test: &str, lack: Lack, reason: &str) -> String {
    // Cargo appends a hash to the names of test programs.
    let program = program.rsplit_once('-').map_or(program, |(name, _)| name);
    let lack = match lack {
        Lack::Setup => "setup",
        Lack::Machine => "machine",
    };
    format!("{program}\t{test}\t{lack}\t{}\n", reason.replace(['\t', '\n'], " "))
}

/// In a single write, so that lines of several programs are not mixed.
fn append(file: &Path, line: &str) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_program_test_and_reason() {
        assert_eq!(
            line("black_box-3f2a", "go::a_test", Lack::Setup, "no program\t`go`"),
            "black_box\tgo::a_test\tsetup\tno program `go`\n"
        );
        assert_eq!(line("plain", "t", Lack::Machine, "needs root"), "plain\tt\tmachine\tneeds root\n");
    }
}
