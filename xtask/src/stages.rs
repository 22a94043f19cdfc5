//! Stages one after the other, each with its time.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::command::{cargo, run, run_watched};
use crate::{setup, tidy};

/// One stage: its name and what it does.
type Stage = (&'static str, fn(&Path) -> Result<()>);

/// Sets up and runs all tests.
pub(crate) fn test(root: &Path) -> Result<()> {
    run_stages(root, &[("setup", setup::setup), ("tests", tests)])
}

/// Everything a change must pass. Set-up comes first, since even clippy compiles the bundled SQLite.
pub(crate) fn ci(root: &Path) -> Result<()> {
    let stages: [Stage; 6] = [
        ("setup", setup::setup),
        ("format", format),
        ("clippy", clippy),
        ("docs", docs),
        ("tidy", tidy::check),
        ("tests", tests),
    ];
    run_stages(root, &stages)
}

/// Runs the stages until one fails; prints the times in any case.
fn run_stages(root: &Path, stages: &[Stage]) -> Result<()> {
    let mut times = Vec::new();
    let mut result = Ok(());
    for (name, stage) in stages {
        println!("== {name}");
        let start = Instant::now();
        result = stage(root).with_context(|| format!("pass the stage `{name}`"));
        times.push((*name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    println!("{}", time_table(&times, result.is_ok()));
    result
}

fn time_table(times: &[(&str, Duration)], is_passed: bool) -> String {
    let mut text = String::new();
    let last = times.len().saturating_sub(1);
    for (i, (name, time)) in times.iter().enumerate() {
        let note = if i == last && !is_passed { "  FAILED" } else { "" };
        text.push_str(&format!("{name:<8} {:>6.1} min{note}\n", time.as_secs_f64() / 60.0));
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    text.push_str(&format!("{:<8} {:>6.1} min", "total", total.as_secs_f64() / 60.0));
    text
}

fn format(root: &Path) -> Result<()> {
    run(cargo(root).args(["fmt", "--all", "--", "--check"]))
}

fn clippy(root: &Path) -> Result<()> {
    run(cargo(root).args(["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn docs(root: &Path) -> Result<()> {
    run(cargo(root).env("RUSTDOCFLAGS", "-D warnings").args(["doc", "--no-deps", "--workspace", "--release"]))
}

/// All tests, to the end even if some fail, and the sum of what they report.
fn tests(root: &Path) -> Result<()> {
    let mut totals = Totals::default();
    let mut command = cargo(root);
    command.args(["test", "--release", "--workspace", "--no-fail-fast"]);
    if std::env::var_os(DATA).is_none() {
        command.env(DATA, root.join("../shared/data"));
    }
    let result = run_watched(&mut command, |line| totals.add(line));
    println!("{} passed, {} failed", totals.passed, totals.failed);
    result
}

/// The variable with the directory of recorded measurements; tests that need them are skipped without it.
const DATA: &str = "BENCHWRIGHT_DATA";

/// Tests over all test programs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    passed: u64,
    failed: u64,
}

impl Totals {
    /// Takes a line of output; counts it if it is a test program's last one.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let count = |word: &str| {
            let parts = result.split([';', '.']);
            parts.filter_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u64>().ok()).sum::<u64>()
        };
        self.passed += count("passed");
        self.failed += count("failed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_results_of_all_test_programs_are_added_up() {
        let mut totals = Totals::default();
        totals.add(
            "test result: ok. 37 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        );
        totals.add("test a_test_that_passed ... ok");
        totals.add("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured; 1 filtered out");
        assert_eq!(totals, Totals { passed: 42, failed: 2 });
    }

    #[test]
    fn times_are_shown_up_to_the_stage_that_failed() {
        let times = [("format", Duration::from_secs(6)), ("clippy", Duration::from_secs(90))];
        assert_eq!(
            time_table(&times, false),
            "format      0.1 min\nclippy      1.5 min  FAILED\ntotal       1.6 min"
        );
    }

    fn works(_: &Path) -> Result<()> {
        Ok(())
    }

    fn breaks(_: &Path) -> Result<()> {
        anyhow::bail!("something is wrong")
    }

    #[test]
    fn nothing_runs_after_a_stage_that_failed() {
        fn never(_: &Path) -> Result<()> {
            panic!("ran after a failure")
        }
        let error = run_stages(Path::new("."), &[("one", works), ("two", breaks), ("three", never)]);
        assert_eq!(
            format!("{:#}", error.expect_err("a stage failed")),
            "pass the stage `two`: something is wrong"
        );
    }
}
