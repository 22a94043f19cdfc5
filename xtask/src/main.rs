//! The developer's commands: `cargo xtask setup | test | ci | tidy | bench | verdicts | study | faults`.
//!
//! 1. `setup` installs what a fresh machine lacks and says what it does;
//! 2. `test` sets up and runs all tests;
//! 3. `ci` runs everything a change must pass, and stops at the first stage that fails;
//! 4. `tidy` checks the house rules that no compiler checks;
//! 5. `bench` runs our own benchmarks and holds their figures against our goals;
//! 6. `verdicts` tries the product's verdicts on real suites;
//! 7. `study` repeats the studies of papers on their recorded data;
//! 8. `faults` kills the product, lets its system calls fail and damages its files, and checks what then has to hold.
//!
//! Nothing here is part of the product, and no room depends on it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to the terminal")]

mod bench;
mod command;
mod faults;
mod metadata;
mod setup;
mod stages;
mod study;
mod tally;
mod tidy;
mod verdicts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup   install what this machine lacks, and say what is done; with --python SciPy too, which `bench` compares with
  test    setup, then all tests
  ci      everything a change must pass: format, clippy, docs, tidy, tests
  tidy    the house rules that no compiler checks
  bench   our own benchmarks, and whether they reach our goals; `bench elastic`, `bench exchange`, `bench orchestration`, `bench reduce` or `bench steady` for only that part
  verdicts COMMAND
          trials of verdicts on real suites; alone, it lists its commands
  study COMMAND
          papers' tables and figures on their recorded data; alone, it lists its commands
  faults [KIND]
          trials of kills, failing system calls and damaged files, each with a seed; `faults help` lists the kinds";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["setup"] => setup::setup(&root),
        ["setup", "--python"] => setup::setup(&root).and_then(|()| bench::install_scipy(&root)),
        ["test"] => stages::test(&root),
        ["ci"] => stages::ci(&root),
        ["tidy"] => tidy::check(&root),
        ["bench"] => bench::bench(&root),
        ["bench", "elastic"] => bench::bench_elastic(&root),
        ["bench", "exchange"] => bench::bench_exchange(&root),
        ["bench", "orchestration"] => bench::bench_orchestration(&root),
        ["bench", "reduce"] => bench::bench_reduce(&root),
        ["bench", "steady"] => bench::bench_steady(&root),
        ["verdicts", ..] => verdicts::verdicts(&root, &arguments[1..]),
        ["study", ..] => study::study(&root, &arguments[1..]),
        ["faults", ..] => faults::faults(&root, &arguments[1..]),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("no such command `{}`\n{USAGE}", other.join(" ")),
    }
}

/// The repository, from where this program was built.
fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().context("find the repository above xtask")?;
    Ok(root.to_path_buf())
}
