//! Runs stages one after another and measures their times.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::command::{EVERYTHING, cargo, run, run_watched, studies};
use crate::tally::{SKIPPED, Tally};
use crate::{setup, tidy};

/// One stage: its name and what it does.
type Stage = (&'static str, fn(&Path, &mut Outcome) -> Result<()>);

/// Results that are printed after all stages.
#[derive(Debug, Default)]
struct Outcome {
    /// The results of the tests, once they have run.
    tests: Option<Tally>,
}

/// Sets up and runs all tests.
pub(crate) fn test(root: &Path) -> Result<()> {
    run_stages(root, &[("setup", |root, _| setup::setup(root)), ("tests", tests)])
}

/// Runs everything that a change must pass. Set-up comes first, because even clippy compiles the bundled
/// SQLite.
pub(crate) fn ci(root: &Path) -> Result<()> {
    let stages: [Stage; 6] = [
        ("setup", |root, _| setup::setup(root)),
        ("format", format),
        ("clippy", clippy),
        ("docs", docs),
        ("tidy", |root, _| tidy::check(root)),
        ("tests", all_tests),
    ];
    run_stages(root, &stages)
}

/// Runs the stages until one fails. Always prints the times, and at the very end the results of the tests.
fn run_stages(root: &Path, stages: &[Stage]) -> Result<()> {
    let mut times = Vec::new();
    let mut outcome = Outcome::default();
    let mut result = Ok(());
    for (name, stage) in stages {
        println!("== {name}");
        let start = Instant::now();
        result = stage(root, &mut outcome).with_context(|| format!("pass the stage `{name}`"));
        times.push((*name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    println!("{}", time_table(&times, result.is_ok()));
    if let Some(tally) = outcome.tests {
        println!("{tally}");
    }
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

fn format(root: &Path, _: &mut Outcome) -> Result<()> {
    run(cargo(root).args(["fmt", "--all", "--", "--check"]))?;
    run(studies(root, "fmt").args(["--", "--check"]))
}

fn clippy(root: &Path, _: &mut Outcome) -> Result<()> {
    let warnings = ["--release", "--all-targets", "--", "-D", "warnings"];
    run(cargo(root).arg("clippy").args(EVERYTHING).args(warnings))?;
    // Most people build the program without optional features.
    run(cargo(root).args(["clippy", "--release", "-p", "benchwright-cli", "--", "-D", "warnings"]))?;
    run(studies(root, "clippy").args(warnings))
}

fn docs(root: &Path, _: &mut Outcome) -> Result<()> {
    run(cargo(root)
        .env("RUSTDOCFLAGS", "-D warnings")
        .args(["doc", "--no-deps", "--release"])
        .args(EVERYTHING))
}

/// Runs all tests, including those of the studies, and adds up their results. Goes on after failures.
fn tests(root: &Path, outcome: &mut Outcome) -> Result<()> {
    let tally = outcome.tests.insert(Tally::default());
    // The process id is needed because several runs of the tests may go on at the same time.
    let skipped = std::env::temp_dir().join(format!("skipped-tests-{}", std::process::id()));
    let mut product = cargo(root);
    product.arg("test").args(EVERYTHING);
    let results = [product, studies(root, "test")].map(|mut command| {
        command.args(["--release", "--no-fail-fast"]).env(SKIPPED, &skipped);
        if std::env::var_os(DATA).is_none() {
            command.env(DATA, root.join("../shared/data"));
        }
        run_watched(&mut command, |line| tally.add(line))
    });
    tally.add_skipped(&skipped)?;
    let _ = std::fs::remove_file(&skipped);
    results.into_iter().collect()
}

/// Runs all tests. Fails also if a test was skipped for lack of something that set-up installs.
fn all_tests(root: &Path, outcome: &mut Outcome) -> Result<()> {
    tests(root, outcome)?;
    outcome.tests.as_ref().map_or(Ok(()), Tally::require_setup)
}

/// The variable with the directory of recorded measurements. Tests that need them are skipped without it.
const DATA: &str = "BENCHWRIGHT_DATA";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_up_to_the_stage_that_failed() {
        let times = [("format", Duration::from_secs(6)), ("clippy", Duration::from_secs(90))];
        assert_eq!(
            time_table(&times, false),
            "format      0.1 min\nclippy      1.5 min  FAILED\ntotal       1.6 min"
        );
    }

    fn works(_: &Path, _: &mut Outcome) -> Result<()> {
        Ok(())
    }

    fn breaks(_: &Path, _: &mut Outcome) -> Result<()> {
        anyhow::bail!("something is wrong")
    }

    #[test]
    fn nothing_runs_after_a_stage_that_failed() {
        fn never(_: &Path, _: &mut Outcome) -> Result<()> {
            panic!("ran after a failure")
        }
        let error = run_stages(Path::new("."), &[("one", works), ("two", breaks), ("three", never)]);
        assert_eq!(
            format!("{:#}", error.expect_err("a stage failed")),
            "pass the stage `two`: something is wrong"
        );
    }
}
