//! The overhead of measuring a command, compared with hyperfine in the same run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use benchwright_stats::dispersion;
use serde_json::Value;

use super::goals::{Bound, Goal};
use crate::command::git;
use crate::command::{find_program, run};
use crate::verdicts::{ORIGINAL, Product};

/// The command. It does nothing but start and end.
const PROGRAM: &str = "/bin/true";

/// Number of turns for each program, and runs per turn.
const TURNS: usize = 20;
const RUNS: &str = "200";

/// Compares the times that both report for the same command, as a ratio.
pub(crate) fn measure(root: &Path) -> Result<Vec<Goal>> {
    let Some(hyperfine) = find_program("hyperfine") else { bail!("hyperfine is not there") };
    let dir = root.join("target/commands");
    let repository = dir.join("repository");
    if repository.exists() {
        fs::remove_dir_all(&repository).context("remove the repository of the last time")?;
    }
    fs::create_dir_all(&repository).context("make a repository")?;
    run(git(&repository).args(["init", "--quiet"]))?;
    run(git(&repository).args(["commit", "--quiet", "--allow-empty", "--message", "Empty"]))?;
    run(git(&repository).args(["tag", ORIGINAL]))?;
    let product = Product::build(root, &dir)?;
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        // The two take turns in going first. A random order is not needed for a median.
        if turn % 2 == 0 {
            theirs.extend(of_hyperfine(&hyperfine, &dir)?);
            ours.extend(of_product(&product, &repository)?);
        } else {
            ours.extend(of_product(&product, &repository)?);
            theirs.extend(of_hyperfine(&hyperfine, &dir)?);
        }
    }
    let median = |values: &[f64]| dispersion::median(values).context("take a median");
    let (theirs, ours) = (median(&theirs)?, median(&ours)?);
    println!("a run of {PROGRAM}: {:.0} µs, by hyperfine {:.0} µs", 1e6 * ours, 1e6 * theirs);
    let name = "time of a run of a command that does nothing, times hyperfine's";
    Ok(vec![Goal { name, bound: Bound::AtMost(1.0), measured: Some(ours / theirs) }])
}

fn of_hyperfine(program: &Path, dir: &Path) -> Result<Vec<f64>> {
    let file = dir.join("hyperfine.json");
    let mut command = Command::new(program);
    command.args(["--shell=none", "--style=none", "--warmup", "5", "--runs", RUNS, "--export-json"]);
    run(command.arg(&file).arg(PROGRAM).stdout(Stdio::null()).stderr(Stdio::null()))?;
    let text = fs::read_to_string(&file).context("read what hyperfine wrote")?;
    let document: Value = serde_json::from_str(&text).context("understand what hyperfine wrote")?;
    let times = document["results"][0]["times"].as_array().context("find hyperfine's times")?;
    Ok(times.iter().filter_map(Value::as_f64).collect())
}

fn of_product(product: &Product, repository: &Path) -> Result<Vec<f64>> {
    let options = ["--rule", "t-test", "--duets", "2", "--command", PROGRAM, "--warmup-runs", "5", "--runs"];
    let options: Vec<String> = options.iter().chain(&[RUNS]).map(|option| option.to_string()).collect();
    let compared = product.compare(repository, [ORIGINAL, ORIGINAL], &options, &[])?;
    let mut times = Vec::new();
    for trial in compared.trials {
        let measurement = trial.outcome.measurement().context("measure the command")?;
        let time = measurement.series("time").context("find the time")?;
        times.extend_from_slice(&time.values[measurement.warmup as usize..]);
    }
    Ok(times)
}
