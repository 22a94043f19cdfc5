//! How fast steady states are labelled, compared with ruptures, and the cost of stop rules.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use benchwright_formats::warmup::{RecordedProcess, read_series};
use benchwright_steady::labels::{LabelOptions, ZeroVariance, divide, label, penalty};

use super::decisions;
use super::goals::{Bound, Goal};
use super::on_cpu::timed;
use super::programs::Figures;
use crate::command::{run, run_watched};

/// The version that is compared with ours. It also produced the reference values.
const PACKAGE: &str = "ruptures==1.1.9";

/// Number of processes in the whole data set, for which the time is extrapolated.
const PROCESSES: f64 = 4690.0;

/// How often our code divides each series. The fastest time counts.
const TURNS: usize = 5;

/// Divides recorded series of 3000 values with our code and with ruptures, at the same penalty.
pub(crate) fn measure(root: &Path) -> Result<Vec<Goal>> {
    let processes = read_series(&root.join("fixtures/jmh-steady/excerpt/series-0.parquet"))?;
    let decisions = decisions::measure(root, &processes)?;
    let all = fastest(|| label_all(&processes)) / processes.len() as f64;
    println!("label of a process, whole: {:.1} ms", all * 1e3);
    let compared = compare_with_ruptures(root, &processes);
    if let Err(error) = &compared {
        println!("skipped: {error:#}");
    }
    let ratio = |which: fn(&(f64, f64)) -> f64| compared.as_ref().ok().map(which);
    let goal = |name, bound, measured| Goal { name, bound, measured };
    let mut goals = vec![
        goal("PELT with CROPS, times as fast as one PELT of ruptures", Bound::AtLeast(50.0), ratio(|r| r.0)),
        goal("PELT at the same penalty, times as fast as ruptures", Bound::AtLeast(50.0), ratio(|r| r.1)),
        goal(
            "labels of 4690 processes on 2 cores, minutes",
            Bound::AtMost(5.0),
            Some(all * PROCESSES / 120.0),
        ),
    ];
    goals.extend(decisions);
    Ok(goals)
}

fn label_all(processes: &[RecordedProcess]) {
    for process in processes {
        black_box(label(&process.values, &LabelOptions::PUBLISHED).is_ok());
    }
}

/// Medians over processes of two ratios: ruptures' time for one division over our time for all divisions, and
/// over our time for the same division.
fn compare_with_ruptures(root: &Path, processes: &[RecordedProcess]) -> Result<(f64, f64)> {
    let python = install(root)?;
    let folder = std::env::temp_dir().join(format!("benchwright-bench-steady-{}", std::process::id()));
    fs::create_dir_all(&folder).context("make a folder for the series")?;
    let result = ratios(root, processes, &python, &folder);
    let _ = fs::remove_dir_all(&folder);
    let (mut crops, mut single) = result?;
    Ok((median(&mut crops), median(&mut single)))
}

fn ratios(
    root: &Path,
    processes: &[RecordedProcess],
    python: &Path,
    folder: &Path,
) -> Result<(Vec<f64>, Vec<f64>)> {
    // Three are enough, because ruptures needs many seconds for each.
    const SERIES: usize = 3;
    let (mut crops, mut single) = (Vec::new(), Vec::new());
    for (index, process) in processes.iter().take(SERIES).enumerate() {
        // The values are scaled to a mean of 1000, so that ruptures' lower limit for the variance has no
        // effect.
        let mean = process.values.iter().sum::<f64>() / process.values.len() as f64;
        let values: Vec<f64> = process.values.iter().map(|value| value / mean * 1000.0).collect();
        // At the knee itself two divisions have the same cost. A little above it there is only one best
        // division.
        let price = 1.01 * penalty(&values, ZeroVariance::Published).context("find the knee")?;
        let ends = divide(&values, price, ZeroVariance::Published);
        let all_seconds = fastest(|| {
            black_box(penalty(&values, ZeroVariance::Published));
        });
        let one_seconds = fastest(|| {
            black_box(divide(&values, price, ZeroVariance::Published));
        });
        let file = folder.join("series.txt");
        let mut text = format!("{price:?}\n");
        values
            .iter()
            .for_each(|value| writeln!(text, "{value:?}").expect("writing to a string does not fail"));
        fs::write(&file, text).context("write a series")?;
        let mut figures = Figures::default();
        let mut found = String::new();
        let mut command = Command::new(python);
        command.arg(root.join("crates/steady/reference/pelt_speed.py")).arg(&file);
        run_watched(&mut command, |line| match line.strip_prefix("ends ") {
            Some(list) => found = list.to_owned(),
            None => figures.take(line),
        })?;
        let theirs = figures.get("ruptures_pelt").context("find ruptures' time")?;
        let ours: Vec<String> = ends.iter().map(ToString::to_string).collect();
        let is_same = if ours.join(" ") == found { "the same segments" } else { "other segments" };
        println!(
            "series {index}: ruptures {theirs:.2} s, ours {:.1} ms for all penalties, {:.2} ms for one; {is_same}",
            all_seconds * 1e3,
            one_seconds * 1e3
        );
        crops.push(theirs / all_seconds);
        single.push(theirs / one_seconds);
    }
    Ok((crops, single))
}

/// The CPU time of the fastest turn in seconds.
fn fastest(mut work: impl FnMut()) -> f64 {
    let times = (0..TURNS).map(|_| timed(&mut work).1.as_secs_f64());
    times.fold(f64::INFINITY, f64::min)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns a Python with ruptures in `.tools/ruptures`, which git ignores. Installs it on first use.
fn install(root: &Path) -> Result<PathBuf> {
    let folder = root.join(".tools/ruptures");
    let python = folder.join("bin/python");
    let is_there = |python: &Path| {
        Command::new(python)
            .args(["-c", "import ruptures"])
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if is_there(&python) {
        return Ok(python);
    }
    println!("installing {PACKAGE} into .tools/ruptures");
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    run(Command::new(&python).args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        PACKAGE,
    ]))?;
    if !is_there(&python) {
        bail!("install ruptures");
    }
    Ok(python)
}
