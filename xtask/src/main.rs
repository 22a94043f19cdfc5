//! The developer's commands: `cargo xtask setup | test | ci | tidy | dist | faults | bench | verdicts |
//! study`.
//!
//! 1. `setup` installs what a fresh machine lacks and prints what it does;
//! 2. `test` sets up and runs all tests;
//! 3. `ci` runs everything that a change must pass, and stops at the first stage that fails;
//! 4. `tidy` checks the house rules that no compiler checks;
//! 5. `dist` makes the archive of a release;
//! 6. `faults` kills the product, makes its system calls fail and damages its files, and checks the results;
//! 7. `bench`, `verdicts` and `study` are passed to `studies/`, a separate workspace.
//!
//! Nothing here is part of the product or linked with it, so `tidy` is built in seconds.
#![expect(clippy::print_stdout, reason = "a developer's tool talks to the terminal")]

mod dist;
mod faults;
mod setup;
mod stages;
mod tally;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::{command, flags, metadata, program, root};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  setup   install what this machine lacks, and say what is done; with --python SciPy too, which `bench` compares with
  test    setup, then all tests
  ci      everything a change must pass: format, clippy, docs, tidy, tests
  tidy    the house rules that no compiler checks
  dist    the archive of a release: target/dist
  faults [KIND]
          trials of kills, failing system calls and damaged files, each with a seed; `faults help` lists the kinds
  bench   our own benchmarks, and whether they reach our goals; `bench elastic`, `bench exchange`, `bench orchestration`, `bench reduce` or `bench steady` for only that part
  verdicts COMMAND
          trials of verdicts on real suites; alone, it lists its commands
  study COMMAND
          papers' tables and figures on their recorded data; alone, it lists its commands";

fn main() -> ExitCode {
    xtask::carry_out(run)
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["setup"] => setup::setup(&root),
        ["setup", "--python"] => setup::setup(&root).and_then(|()| xtask::scipy::install(&root)),
        ["test"] => stages::test(&root),
        ["ci"] => stages::ci(&root),
        ["tidy"] => tidy::check(&root),
        ["dist"] => dist::dist(&root),
        ["faults", ..] => faults::faults(&root, &arguments[1..]),
        ["bench" | "verdicts" | "study", ..] => {
            command::run(command::studies(&root, "run").args(["--quiet", "--release", "--"]).args(arguments))
        }
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("no such command `{}`\n{USAGE}", other.join(" ")),
    }
}
