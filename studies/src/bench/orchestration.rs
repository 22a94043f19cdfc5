//! The time and memory that the product needs in addition to the benchmarks it runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use benchwright_model::Trial;
use benchwright_stats::dispersion;

use super::goals::{Bound, Goal};
use super::resident::peak_bytes;
use crate::command::git;
use crate::command::{find_program, run};
use crate::verdicts::{ORIGINAL, Product};

/// Number of benchmarks in the measured module.
const BENCHMARKS: usize = 6;

/// Number of turns, in each of which the program is started without and with the product.
const BLOCKS: usize = 10;

/// Duets per turn.
const DUETS: usize = 20;

/// Measures with a small Go module.
pub(crate) fn measure(root: &Path) -> Result<Vec<Goal>> {
    if find_program("go").is_none() {
        bail!("go is not there");
    }
    let dir = root.join("target/orchestration");
    let repository = make_module(&dir)?;
    let product = Product::build(root, &dir)?;
    Ok(vec![
        Goal {
            name: "wall time outside benchmark processes with trials of 1 s, %",
            bound: Bound::AtMost(2.0),
            measured: Some(100.0 * outside_share(&product, &repository)?),
        },
        Goal {
            name: "a Go trial with -benchtime=1x over starting its program, ms",
            bound: Bound::AtMost(3.0),
            measured: Some(1e3 * extra_seconds(&product, &repository, &dir)?),
        },
        Goal {
            name: "memory of a comparison, MB",
            bound: Bound::AtMost(100.0),
            measured: Some(memory_bytes(&product, &repository)? as f64 / 1e6),
        },
    ])
}

/// Makes a repository with one small package.
fn make_module(dir: &Path) -> Result<PathBuf> {
    let repository = dir.join("module");
    if repository.exists() {
        fs::remove_dir_all(&repository).context("remove the module of the last time")?;
    }
    fs::create_dir_all(&repository).context("make a Go module")?;
    let mut tests = String::from("package small\n\nimport \"testing\"\n");
    for i in 0..BENCHMARKS {
        tests.push_str(&format!(
            "\nfunc BenchmarkSum{i}(b *testing.B) {{\n\tfor n := 0; n < b.N; n++ {{\n\t\tsink += sum({})\n\t}}\n}}\n",
            10_000 + i
        ));
    }
    let code = "package small\n\nvar sink uint64\n\nfunc sum(n uint64) (s uint64) {\n\tfor i := uint64(0); i < n; i++ {\n\t\ts ^= s + i\n\t}\n\treturn s\n}\n";
    let files =
        [("go.mod", "module example.org/small\n\ngo 1.21\n"), ("small.go", code), ("small_test.go", &tests)];
    for (file, text) in files {
        fs::write(repository.join(file), text).with_context(|| format!("write `{file}`"))?;
    }
    run(git(&repository).args(["init", "--quiet"]))?;
    run(git(&repository).args(["add", "--all"]))?;
    run(git(&repository).args(["commit", "--quiet", "--message", "Small"]))?;
    run(git(&repository).args(["tag", ORIGINAL]))?;
    Ok(repository)
}

/// The share of the measuring time in which no benchmark process ran.
fn outside_share(product: &Product, repository: &Path) -> Result<f64> {
    let options = words("--seed 1 --iterations 1 --iteration-time 1s --rule t-test --duets 5");
    let compared = product.compare(repository, [ORIGINAL, ORIGINAL], &options, &[])?;
    let inside: f64 = compared.trials.iter().map(|trial| trial.usage.wall.as_secs_f64()).sum();
    println!(
        "{} trials of 1 s: {:.2} s, of it in processes {inside:.2} s",
        compared.trials.len(),
        compared.seconds
    );
    Ok(1.0 - inside / compared.seconds)
}

/// How much longer a trial takes than its program with the same arguments. Both are measured in turns.
fn extra_seconds(product: &Product, repository: &Path, dir: &Path) -> Result<f64> {
    let program = dir.join("small.test");
    run(Command::new("go").current_dir(repository).args(["test", "-c", "-o"]).arg(&program))?;
    let options = format!("--iterations 1 --rule t-test --duets {DUETS} --filter :BenchmarkSum0$");
    let (mut bare, mut ours, mut processes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..BLOCKS {
        for _ in 0..2 * DUETS {
            bare.push(bare_start(&program, repository)?);
        }
        let compared =
            product.compare(repository, [ORIGINAL, ORIGINAL], &words(&options), &["-benchtime=1x"])?;
        ours.extend(from_start_to_start(&compared.trials));
        processes.extend(compared.trials.iter().map(|trial| trial.usage.wall.as_secs_f64()));
    }
    let median = |values: &[f64]| dispersion::median(values).context("take a median");
    let (bare, ours, process) = (median(&bare)?, median(&ours)?, median(&processes)?);
    println!(
        "a trial of one operation: {:.2} ms, of it its process {:.2} ms; its program alone {:.2} ms",
        1e3 * ours,
        1e3 * process,
        1e3 * bare
    );
    Ok(ours - bare)
}

/// Seconds between the starts of successive trials. This is the full cost of a trial.
fn from_start_to_start(trials: &[Trial]) -> Vec<f64> {
    let mut starts: Vec<i64> = trials.iter().map(|trial| trial.started_at.0).collect();
    starts.sort_unstable();
    starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6).collect()
}

/// Seconds for running the test program once with the arguments of a trial.
fn bare_start(program: &Path, dir: &Path) -> Result<f64> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let began = Instant::now();
    let output = Command::new(program)
        .current_dir(dir)
        .args(["-test.run=^$", "-test.bench=^BenchmarkSum0$", "-test.count=1", "-test.benchtime=1x"])
        .args(["-test.benchmem=true", "-test.timeout=0", "-test.skip=^BenchmarkSum0$/"])
        .arg(format!("-test.cpu={processors}"))
        .env("GOMAXPROCS", &processors)
        .output()
        .context("start the test program")?;
    let seconds = began.elapsed().as_secs_f64();
    if !output.status.success() {
        bail!("run the test program: {}", output.status);
    }
    Ok(seconds)
}

/// The largest resident set of the product during a comparison of all benchmarks with many duets.
fn memory_bytes(product: &Product, repository: &Path) -> Result<u64> {
    let mut command = product.command(repository);
    command.args(["compare", ORIGINAL, ORIGINAL, "--format", "json", "--fail-on", "never"]);
    command.args(["--iterations", "1", "--rule", "t-test", "--duets", "100", "--", "-benchtime=1x"]);
    peak_bytes(command.stdout(Stdio::null()).stderr(Stdio::null()))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}
