//! Compares plans for comparisons with µOpTime's configurations where the truth is known.
//!
//! One version of a benchmark serves as both sides: its processes are divided at random, so that nothing
//! changed, or the times of one side are also multiplied, so that there is a change. Each contender chooses
//! how much of the sides is measured, and a rule decides from these measurements.
//!
//! 1. `go` and `jmh` make suites of recorded measurements, with data for planning and other processes for
//!    judging;
//! 2. `contender` chooses: our plan, µOpTime's five metrics, its two baselines, everything, and our plan in
//!    the time of each;
//! 3. `draw` divides processes, and takes as many of them as a plan needs;
//! 4. `verdict` applies our rule for processes measured apart, and the paper's rule;
//! 5. `experiment` repeats this over suites, `tally` counts and computes rates with intervals, and `alarms`
//!    counts false alarms by benchmark;
//! 6. `pairs` does what the paper does: it compares recorded versions, with the full configuration as the
//!    truth;
//! 7. `document` and `picture` write `docs/studies/for-compare.md`.

mod alarms;
mod contender;
mod document;
mod draw;
mod experiment;
mod go;
mod jmh;
mod pairs;
mod picture;
mod tally;
#[cfg(test)]
mod tests;
mod verdict;

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::recorded;

/// The path of the document.
const DOCUMENT: &str = "docs/studies/for-compare.md";
/// The default seed of all random numbers.
const SEED: u64 = 20_261_115;
/// How often each benchmark is divided.
const REPEATS: u64 = 20;

/// Runs the study with the arguments `[--data DIR] [--repeats N] [--seed N] [--only go|jmh]`. With `--only`
/// it prints the results of one data set and writes no file.
pub(super) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    let (mut data, mut repeats, mut seed, mut only) = (None, REPEATS, SEED, None);
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        let value = left.next().with_context(|| format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--data" => data = Some(value.as_str()),
            "--repeats" => repeats = value.parse().context("read the number of repeats")?,
            "--seed" => seed = value.parse().context("read the seed")?,
            "--only" if ["go", "jmh"].contains(&value.as_str()) => only = Some(value.as_str()),
            other => bail!("no such option `{other}`, or not with `{value}`"),
        }
    }
    let started = Instant::now();
    let data = recorded::directory(root, data)?;
    let (versions, remarks) = go::versions(&data)?;
    let said = |text: &str| println!("{:5.1} s  {text}", started.elapsed().as_secs_f64());
    let mut results = Vec::new();
    for (word, data) in [("go", &document::GO), ("jmh", &document::JMH)] {
        if only.is_some_and(|only| only != word) {
            continue;
        }
        let suites = if word == "go" { go::suites(&versions) } else { jmh::suites(root)? };
        said(&format!("{}: {} suites", data.name, suites.len()));
        let outcomes = experiment::run(&suites, repeats, seed);
        let alarmed = alarms::alarmed(&suites, &outcomes);
        results.push(document::Part { data, outcomes, alarmed });
    }
    if only.is_some() {
        println!("{}", document::write(&results, &[], &[], repeats));
        return Ok(());
    }
    said("versions as they were");
    let pairs = pairs::compare(&versions);
    let document = document::write(&results, &pairs, &remarks, repeats);
    let path = root.join(DOCUMENT);
    let folder = path.parent().context("find the folder of the document")?;
    fs::create_dir_all(folder).with_context(|| format!("make `{}`", folder.display()))?;
    fs::write(&path, &document).with_context(|| format!("write `{DOCUMENT}`"))?;
    for part in &results {
        let picture = part.data.picture;
        fs::write(folder.join(picture), picture::draw(part.data.name, &part.outcomes))
            .with_context(|| format!("write `{picture}`"))?;
    }
    println!("{document}");
    said(&format!("written to {DOCUMENT}"));
    Ok(())
}
