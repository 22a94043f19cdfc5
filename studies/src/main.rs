//! Research with the product: `cargo xtask bench | verdicts | study`.
//!
//! 1. `bench` runs our own benchmarks and compares their figures with our goals;
//! 2. `verdicts` tests the product's verdicts on real suites;
//! 3. `study` repeats the studies of papers on their recorded data.
//!
//! The product does not depend on this workspace.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to the terminal")]

mod bench;
mod study;
mod verdicts;

use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::{command, metadata, program, root};

fn main() -> ExitCode {
    xtask::carry_out(run)
}

fn run(arguments: &[String]) -> Result<()> {
    let root = root()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["bench"] => bench::bench(&root),
        ["bench", "elastic"] => bench::bench_elastic(&root),
        ["bench", "exchange"] => bench::bench_exchange(&root),
        ["bench", "orchestration"] => bench::bench_orchestration(&root),
        ["bench", "reduce"] => bench::bench_reduce(&root),
        ["bench", "steady"] => bench::bench_steady(&root),
        ["verdicts", ..] => verdicts::verdicts(&root, &arguments[1..]),
        ["study", ..] => study::study(&root, &arguments[1..]),
        other => bail!("no such command `{}`; there are bench, verdicts and study", other.join(" ")),
    }
}
