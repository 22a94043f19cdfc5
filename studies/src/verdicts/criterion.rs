//! Builds and runs Criterion programs of Rust crates without the product.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::peer::{Program, REPETITIONS, Repeated};
use crate::command::{cargo, shown};

/// A built benchmark program, and the crate in which it runs.
#[derive(Debug)]
pub(crate) struct BenchProgram {
    path: PathBuf,
    dir: PathBuf,
}

impl BenchProgram {
    /// Builds the benchmarks of the crate in `dir`. Builds of the crate with other loops share its
    /// dependencies in `shared`.
    pub(crate) fn build(dir: &Path, shared: &Path) -> Result<BenchProgram> {
        let mut command = cargo(dir);
        command.args(["bench", "--no-run", "--quiet", "--message-format", "json"]);
        command.env("CARGO_TARGET_DIR", shared).stderr(Stdio::inherit());
        let output = command.output().context("start `cargo bench`")?;
        if !output.status.success() {
            bail!("`{}` failed ({})", shown(&command), output.status);
        }
        let built = executable(&String::from_utf8_lossy(&output.stdout)).context("find the benchmarks")?;
        // Copied because the next crate's program will have the same name.
        let path = dir.join("benchmarks");
        fs::copy(built, &path).context("copy the benchmarks")?;
        Ok(BenchProgram { path, dir: dir.to_owned() })
    }

    /// Runs the program once. Returns the middle of the interval that Criterion prints, in nanoseconds.
    fn run(&self, benchmark: &str, options: &[String]) -> Result<f64> {
        let mut command = Command::new("timeout");
        command.arg(LONGEST).arg(&self.path).args(["--bench", "--exact", benchmark, "--noplot"]);
        command.args(options).current_dir(&self.dir).env("CRITERION_HOME", self.dir.join("criterion"));
        let output = command.output().context("start a benchmark program")?;
        let text = String::from_utf8_lossy(&output.stdout);
        match nanoseconds(&text) {
            Some(nanoseconds) if output.status.success() => Ok(nanoseconds),
            _ => bail!("measure {benchmark} ({}): {text}", output.status),
        }
    }
}

impl Program for BenchProgram {
    fn measure(&self, benchmark: &str, time: Duration) -> Result<f64> {
        let seconds = time.as_secs_f64();
        let options = [
            "--sample-size=10".to_owned(),
            format!("--warm-up-time={}", seconds / 4.0),
            format!("--measurement-time={seconds}"),
        ];
        self.run(benchmark, &options)
    }

    fn repeat(&self, benchmark: &str) -> Result<Repeated> {
        let began = Instant::now();
        let values = (0..REPETITIONS).map(|_| self.run(benchmark, &[])).collect::<Result<_>>()?;
        Ok(Repeated { seconds: began.elapsed().as_secs_f64(), values })
    }
}

/// Maximum seconds of a run.
const LONGEST: &str = "120";

/// The first benchmark program in Cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| message["target"]["kind"][0] == "bench");
    programs.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// The middle value of `time:   [1.2 µs 1.3 µs 1.4 µs]`.
fn nanoseconds(output: &str) -> Option<f64> {
    let (_, rest) = output.split_once("time:")?;
    let (interval, _) = rest.split_once('[')?.1.split_once(']')?;
    let [_, _, value, unit, _, _] = interval.split_whitespace().collect::<Vec<_>>()[..] else { return None };
    let factor = match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "µs" | "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(value.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_the_interval_is_read_in_its_unit() {
        let check = |text: &str, expected| assert_eq!(nanoseconds(text), expected, "{text}");
        check(
            "a/1     time:   [9.0001 µs 9.5000 µs 10.1 µs]\n  thrpt: [1 GiB/s 2 GiB/s 3 GiB/s]",
            Some(9500.0),
        );
        check("time: [1 ns 2 ns 3 ns]", Some(2.0));
        check("time: [1 parsec 2 parsec 3 parsec]", None);
        check("nothing", None);
    }

    #[test]
    fn the_program_is_found_among_the_messages() {
        let messages = "{\"target\":{\"kind\":[\"lib\"]},\"executable\":null}\n\
                        {\"target\":{\"kind\":[\"bench\"]},\"executable\":\"a/bench\"}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("a/bench")));
    }
}
