//! Builds and runs JMH programs of Maven projects without the product.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use benchwright_stats::dispersion::median;
use serde_json::Value;

use super::choose::escape;
use super::peer::{Program, REPETITIONS, Repeated};

/// A jar with all benchmarks.
#[derive(Debug)]
pub(crate) struct Jar {
    path: PathBuf,
    /// The Java package of the benchmarks.
    package: String,
}

/// The path of the jar in a built suite.
const JAR: &str = "benchmarks/target/benchmarks.jar";

impl Jar {
    /// Builds the project in `dir`.
    pub(crate) fn build(dir: &Path, package: &str) -> Result<Jar> {
        let mut maven = Command::new("mvn");
        maven.current_dir(dir).args(["--batch-mode", "--quiet", "-DskipTests", "package"]);
        let output = maven.output().context("start `mvn`")?;
        let path = dir.join(JAR);
        if !output.status.success() || !path.is_file() {
            bail!("build `{}`: {}", dir.display(), String::from_utf8_lossy(&output.stdout).trim());
        }
        Ok(Jar { path, package: package.to_owned() })
    }

    /// The median of each process, in nanoseconds.
    fn run(&self, benchmark: &str, options: &[String]) -> Result<Vec<f64>> {
        let result = self.path.with_extension("json");
        let mut command = Command::new("timeout");
        command.arg(LONGEST).arg("java").arg("-jar").arg(&self.path);
        command.args(selection(&self.package, benchmark)).args(["-bm", "avgt", "-tu", "ns", "-rf", "json"]);
        let output = command.arg("-rff").arg(&result).args(options).output().context("start `java`")?;
        if !output.status.success() {
            bail!("measure {benchmark} ({})", output.status);
        }
        let text = fs::read_to_string(&result).context("read the result of JMH")?;
        processes(&text).with_context(|| format!("measure {benchmark}: understand the result of JMH"))
    }
}

impl Program for Jar {
    /// The warm-up is long enough for the last compiler. `time` applies to the measured iterations.
    fn measure(&self, benchmark: &str, time: Duration) -> Result<f64> {
        let slice = format!("{}ms", (time.as_millis() / 6).max(1));
        let options =
            ["-f", "1", "-wi", "5", "-w", "60ms", "-i", "6", "-r", &slice].map(str::to_owned).to_vec();
        self.run(benchmark, &options)?.first().copied().context("find the process of JMH")
    }

    /// Runs ten processes with the suite's own warm-up and iterations.
    fn repeat(&self, benchmark: &str) -> Result<Repeated> {
        let began = Instant::now();
        let values = self.run(benchmark, &["-f".to_owned(), REPETITIONS.to_string()])?;
        if values.len() != REPETITIONS {
            bail!("run {benchmark} {REPETITIONS} times: {} processes", values.len());
        }
        Ok(Repeated { seconds: began.elapsed().as_secs_f64(), values })
    }
}

/// Maximum seconds of a call.
const LONGEST: &str = "600";

/// JMH's arguments for one benchmark, which the product names `Class.method/parameter=value`.
fn selection(package: &str, benchmark: &str) -> Vec<String> {
    let mut parts = benchmark.split('/');
    let name = format!("{package}.{}", parts.next().unwrap_or_default());
    let parameters = parts.filter(|part| part.contains('=')).flat_map(|part| ["-p".into(), part.into()]);
    std::iter::once(format!("^{}$", escape(&name))).chain(parameters).collect()
}

/// The median of each process in JMH's JSON of one benchmark.
fn processes(text: &str) -> Option<Vec<f64>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let all = document[0]["primaryMetric"]["rawData"].as_array()?;
    let values = |process: &Value| process.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<_>>>();
    all.iter().map(|process| median(&values(process)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_benchmark_is_selected_with_its_parameters() {
        assert_eq!(
            selection("org.example", "A.fill/order=UP/size=10"),
            ["^org\\.example\\.A\\.fill$", "-p", "order=UP", "-p", "size=10"]
        );
        assert_eq!(selection("p", "A.sum/avgt"), ["^p\\.A\\.sum$"]);
    }

    #[test]
    fn each_process_has_its_median() {
        let text = r#"[{"primaryMetric": {"rawData": [[3.0, 1.0, 2.0], [5.0]]}}]"#;
        assert_eq!(processes(text), Some(vec![2.0, 5.0]));
        assert_eq!(processes("[]"), None);
    }
}
