//! Runs the product as its users do: a program with options that prints JSON.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use benchwright_model::{RunId, Trial};
use benchwright_store::Store;
use serde::Deserialize;
use serde_json::Value;

use super::prepare::ORIGINAL;
use crate::command::shown;
use crate::program;

/// The built program, and the directory for check-outs and builds.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    pub(crate) program: PathBuf,
    cache: PathBuf,
}

/// A comparison that the product made.
#[derive(Debug)]
pub(crate) struct Compared {
    /// Its findings about times, in the same order.
    pub(crate) findings: Vec<Found>,
    /// All its processes, in the order in which they ended.
    pub(crate) trials: Vec<Trial>,
    /// Wall time from the end of all builds to the end of measuring.
    pub(crate) seconds: f64,
}

/// A finding about the time of one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The benchmark as `package:name`.
    pub(crate) benchmark: String,
    pub(crate) verdict: String,
    pub(crate) reason: String,
    /// Ratio, with the lower and upper end of its interval.
    pub(crate) effect: Option<(f64, f64, f64)>,
    pub(crate) duets: usize,
}

/// A benchmark in the product's list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Listed {
    pub(crate) package: String,
    pub(crate) name: String,
}

impl Listed {
    /// The name that filters match.
    pub(crate) fn id(&self) -> String {
        format!("{}:{}", self.package, self.name)
    }
}

impl Product {
    /// Builds the program. Its cache is below `dir`.
    pub(crate) fn build(root: &Path, dir: &Path) -> Result<Product> {
        let program = program::build(root)?;
        Ok(Product { program, cache: dir.join("cache") })
    }

    /// A command that runs the product in a repository.
    pub(crate) fn command(&self, repository: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(repository).env("BENCHWRIGHT_CACHE", &self.cache).stdin(Stdio::null());
        command
    }

    /// The benchmarks of a suite's original version.
    pub(crate) fn list(&self, repository: &Path, skip: &str, arguments: &[&str]) -> Result<Vec<Listed>> {
        let mut command = self.command(repository);
        command.args(["list", ORIGINAL, "--format", "json"]);
        if !skip.is_empty() {
            command.args(["--skip", skip]);
        }
        let output = run(command.arg("--").args(arguments))?;
        let mut document: Value = document(&output)?;
        serde_json::from_value(document["benchmarks"].take()).context("understand the list of benchmarks")
    }

    /// Compares two revisions. Slower or failed benchmarks are not errors.
    pub(crate) fn compare(
        &self,
        repository: &Path,
        revisions: [&str; 2],
        options: &[String],
        arguments: &[&str],
    ) -> Result<Compared> {
        let mut command = self.command(repository);
        command.arg("compare").args(revisions).args(["--format", "json"]).args(options);
        let output = run(command.arg("--").args(arguments))?;
        let document = document(&output)?;
        let id = document["run"]["id"].as_str().context("find the run's id")?;
        let store = Store::open_read_only(&repository.join(".benchwright")).context("open the results")?;
        let record = store.load(&RunId(id.into())).context("read the run from the results")?;
        let ended = record.run.ended_at.context("find the end of the run")?;
        let seconds = (ended.0 - record.run.started_at.0) as f64 / 1e6;
        Ok(Compared { findings: findings(&document)?, trials: record.trials, seconds })
    }
}

impl Compared {
    /// Wall time of the processes of each benchmark.
    pub(crate) fn seconds_by_benchmark(&self) -> HashMap<String, f64> {
        let mut seconds = HashMap::new();
        for trial in &self.trials {
            *seconds.entry(trial.benchmark.to_string()).or_default() += trial.usage.wall.as_secs_f64();
        }
        seconds
    }
}

fn run(command: &mut Command) -> Result<Output> {
    let text = shown(command);
    command.stderr(Stdio::piped()).output().with_context(|| format!("start `{text}`"))
}

/// Parses the printed JSON. The error contains the end of standard error.
fn document(output: &Output) -> Result<Value> {
    serde_json::from_slice(&output.stdout).with_context(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        let end: Vec<&str> = said.lines().rev().take(12).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        format!("read what benchwright printed ({}); it said:\n{}", output.status, end.join("\n"))
    })
}

/// The findings about times. Other metrics are ignored.
fn findings(document: &Value) -> Result<Vec<Found>> {
    let all = document["findings"].as_array().context("find the findings")?;
    let about_time = all.iter().filter(|finding| finding["metric"]["name"] == "time");
    about_time.map(|finding| found(finding).context("understand a finding")).collect()
}

fn found(finding: &Value) -> Option<Found> {
    let text = |value: &Value| value.as_str().map(str::to_string);
    let benchmark = &finding["benchmark"];
    let effect = &finding["effect"];
    let ends = || Some((effect["ratio"].as_f64()?, effect["lo"].as_f64()?, effect["hi"].as_f64()?));
    Some(Found {
        benchmark: format!("{}:{}", benchmark["package"].as_str()?, benchmark["name"].as_str()?),
        verdict: text(&finding["verdict"])?,
        reason: text(&finding["reason"]["code"])?,
        effect: ends(),
        duets: finding["duet_ratios"].as_array()?.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_about_time_are_read_and_others_left_out() {
        let text = r#"{"findings": [
            {"benchmark": {"harness": "go", "package": "p", "name": "B/1"}, "metric": {"name": "time"},
             "verdict": "slower", "reason": {"code": "confirmed", "text": "", "numbers": {}},
             "effect": {"ratio": 1.05, "lo": 1.04, "hi": 1.06, "level": 0.98}, "duet_ratios": [1.05, 1.06]},
            {"benchmark": {"harness": "go", "package": "p", "name": "C"}, "metric": {"name": "time"},
             "verdict": "undecided", "reason": {"code": "failed"}, "effect": null, "duet_ratios": []},
            {"benchmark": {"harness": "go", "package": "p", "name": "B/1"}, "metric": {"name": "B/op"}}]}"#;
        let found = findings(&serde_json::from_str(text).unwrap()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].benchmark, "p:B/1");
        assert_eq!((found[0].effect, found[0].duets), (Some((1.05, 1.04, 1.06)), 2));
        assert_eq!((found[1].effect, found[1].reason.as_str()), (None, "failed"));
    }
}
