//! Builds and runs test programs of Go packages without the product.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use benchwright_stats::dispersion;

use super::choose::escape;
use super::peer::{Program, REPETITIONS, Repeated};

/// A built test program, and the directory in which it runs.
#[derive(Debug, Clone)]
pub(crate) struct TestProgram {
    pub(crate) path: PathBuf,
    pub(crate) dir: PathBuf,
}

/// Paths of files that are replaced during compilation, with the paths of their replacements. For the
/// standard library there is no other way, because the go command recognises it only where Go is installed.
pub(crate) type Overlay = BTreeMap<PathBuf, PathBuf>;

impl TestProgram {
    /// Builds the tests of the package in `dir` of `module`. They run in `run_dir`.
    pub(crate) fn build(
        module: &Path,
        dir: &str,
        overlay: &Overlay,
        path: PathBuf,
        run_dir: PathBuf,
    ) -> Result<TestProgram> {
        let mut command = Command::new("go");
        command.current_dir(module).args(["test", "-c", "-o"]).arg(&path);
        if !overlay.is_empty() {
            let file = path.with_extension("overlay.json");
            let text = serde_json::json!({ "Replace": overlay }).to_string();
            fs::write(&file, text).with_context(|| format!("write `{}`", file.display()))?;
            command.arg("-overlay").arg(file);
        }
        let output = command.arg(format!("./{dir}")).output().context("start `go test -c`")?;
        if !output.status.success() || !path.is_file() {
            bail!("build the tests of `{dir}`: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(TestProgram { path, dir: run_dir })
    }

    /// A command with a time limit. A benchmark that calls the slow function during set-up may run very long,
    /// and Go's own time-out applies only to tests.
    fn command(&self, benchmark: &str, longest: &str) -> Command {
        let mut command = Command::new("timeout");
        command
            .arg(longest)
            .arg(&self.path)
            .current_dir(&self.dir)
            .args(["-test.run=^$", &format!("-test.bench={}", exactly(benchmark))]);
        command
    }
}

impl Program for TestProgram {
    /// Nanoseconds per operation of one benchmark, in a fresh process that measures for `time` in several
    /// slices. The result is their median, as users see it. The fastest slice would exclude garbage
    /// collection, and 5 % of that slice would be 3 % of what users measure.
    fn measure(&self, benchmark: &str, time: Duration) -> Result<f64> {
        let output = self
            .command(benchmark, LONGEST)
            .args([
                &format!("-test.count={SLICES}"),
                &format!("-test.benchtime={}us", time.as_micros() / SLICES),
            ])
            .output()
            .context("start a test program")?;
        let text = String::from_utf8_lossy(&output.stdout);
        match nanoseconds(&text) {
            Some(nanoseconds) if output.status.success() => Ok(nanoseconds),
            _ => {
                bail!("measure {benchmark} ({}): {}", output.status, text.lines().last().unwrap_or_default())
            }
        }
    }

    /// Runs with `-count=10` and Go's default benchmark time, as users of benchstat do.
    fn repeat(&self, benchmark: &str) -> Result<Repeated> {
        let began = Instant::now();
        let mut command = self.command(benchmark, LONGEST_REPEATED);
        let output =
            command.arg(format!("-test.count={REPETITIONS}")).output().context("start a test program")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let values: Vec<f64> = text.lines().filter_map(of_line).collect();
        if !output.status.success() || values.len() != REPETITIONS {
            bail!("run {benchmark} {REPETITIONS} times ({}): {} values", output.status, values.len());
        }
        Ok(Repeated { seconds: began.elapsed().as_secs_f64(), values })
    }
}

/// Maximum seconds of a measurement, and of ten measurements with the default time.
const LONGEST: &str = "60";
const LONGEST_REPEATED: &str = "600";

/// Number of slices of a measurement.
const SLICES: u128 = 6;

/// A pattern for exactly this benchmark. Go matches the parts of a name between slashes separately.
fn exactly(benchmark: &str) -> String {
    benchmark.split('/').map(|part| format!("^{}$", escape(part))).collect::<Vec<_>>().join("/")
}

/// The median time per operation in a benchmark's lines.
fn nanoseconds(output: &str) -> Option<f64> {
    dispersion::median(&output.lines().filter_map(of_line).collect::<Vec<f64>>())
}

fn of_line(line: &str) -> Option<f64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = words.iter().position(|word| *word == "ns/op")?;
    words.get(unit.checked_sub(1)?)?.parse().ok().filter(|time| *time > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_operation_is_read() {
        let check = |text: &str, expected| assert_eq!(nanoseconds(text), expected, "{text}");
        check("goos: linux\nBenchmarkA/n=1-2   \t 100\t  12.5 ns/op\t 3 B/op\nPASS\n", Some(12.5));
        check("BenchmarkA \t 100 \t 0.0 ns/op\n", None);
        let slices = [12.0, 11.5, 15.0].map(|time| format!("BenchmarkA \t 100 \t {time} ns/op\n")).concat();
        check(&slices, Some(12.0));
        check("PASS\n", None);
    }

    #[test]
    fn every_part_of_a_name_is_meant_exactly() {
        assert_eq!(exactly("BenchmarkA/n=1.5/x+y"), r"^BenchmarkA$/^n=1\.5$/^x\+y$");
    }
}
