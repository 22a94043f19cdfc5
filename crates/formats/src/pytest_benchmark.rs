//! pytest-benchmark's JSON: one process, with raw values only if `--benchmark-save-data` requested them.

use benchwright_model::{BenchmarkId, Diagnostic, Metric};

use crate::moment::parse_moment;
use crate::reading::collect::{Collector, Found};
use crate::reading::columns;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::statistics::Statistics;
use crate::reading::{finish_json, object_in_memory};
use crate::{Format, Imported, ImportedSummary};

/// One test.
#[derive(Debug, Clone, Default)]
pub struct TestResult {
    name: String,
    /// The test's id, file included.
    pub full_name: String,
    is_failed: bool,
    /// The measured statistics.
    pub stats: Stats,
}

/// The statistics of a test. Times are seconds per call.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// The time of each round, NaN if missing. Only present if `--benchmark-save-data` or `--benchmark-json`
    /// requested it.
    pub data: Option<Vec<f64>>,
    /// Calls per round.
    pub iterations: Option<u64>,
    rounds: Option<u64>,
    statistics: Statistics,
}

/// All tests of a file, with diagnostics.
pub fn results(name: &str, text: &[u8]) -> (Vec<TestResult>, Vec<Diagnostic>) {
    let mut has_list = false;
    let (list, mut diagnostics) = object_in_memory(name, text, |json, list: &mut Vec<TestResult>, name| {
        if name != "benchmarks" {
            return json.skip();
        }
        has_list = json.records(|json| {
            list.extend(TestResult::read(json)?);
            Ok(())
        })?;
        Ok(())
    });
    if !has_list && diagnostics.is_empty() {
        diagnostics.push(Diagnostic::warning(name, "has no list of benchmarks"));
    }
    (list, diagnostics)
}

/// Whether it has the machine and the statistics of tests.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_test = head.has(3, "fullname") && head.has(3, "stats");
    head.is_object() && (head.has(1, "machine_info") || head.has(1, "benchmarks") && is_test)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::PytestBenchmark);
    let read = json.object(|json, name| {
        match name {
            "machine_info" => machine(json, &mut collector)?,
            "commit_info" => commit(json, &mut collector)?,
            "benchmarks" => {
                json.records(|json| benchmark(json, &mut collector))?;
            }
            "datetime" => collector.taken_at = json.word()?.as_deref().and_then(parse_moment),
            "version" => {
                let version = json.word()?;
                collector.fact("pytest-benchmark", version);
            }
            _ => json.skip()?,
        }
        Ok(())
    });
    finish_json(json, read.map(|_| ()), vec![collector])
}

fn machine(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    json.object(|json, name| {
        match name {
            "cpu" => {
                json.object(|json, name| {
                    match name {
                        "brand_raw" | "brand" => collector.fact("cpu", json.word()?),
                        "arch_string_raw" => collector.fact("arch", json.word()?),
                        "count" => collector.fact("cores", json.word()?),
                        _ => json.skip()?,
                    }
                    Ok(())
                })?;
            }
            "node" | "machine" | "system" | "release" | "python_version" | "python_implementation" => {
                let value = json.word()?;
                collector.fact(name, value);
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(())
}

fn commit(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    json.object(|json, name| {
        match name {
            "id" => collector.revision = json.word()?.filter(|id| !id.is_empty() && id != "unversioned"),
            "branch" | "dirty" | "project" => {
                let value = json.word()?;
                collector.fact(name, value);
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(())
}

fn benchmark(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    let place = json.place();
    let Some(result) = TestResult::read(json)? else { return Ok(()) };
    let diagnostics = &mut json.input.diagnostics;
    let (file, test) = result.full_name.split_once("::").unwrap_or(("", result.name.as_str()));
    if test.is_empty() {
        diagnostics.warn(place, "left out a result without the name of its test");
        return Ok(());
    }
    let id = BenchmarkId::new("python", file, test);
    if result.is_failed {
        diagnostics.error(place, format!("`{id}` failed"));
    } else {
        collector.add(result.stats.found(id), place, diagnostics);
    }
    Ok(())
}

impl TestResult {
    /// Reads the next value. `None` if it is not an object.
    fn read(json: &mut Json<'_>) -> Step<Option<TestResult>> {
        let mut result = TestResult::default();
        let is_object = json.object(|json, member| {
            match member {
                "name" => result.name = json.text()?.unwrap_or_default(),
                "fullname" => result.full_name = json.text()?.unwrap_or_default(),
                "failed" | "has_error" => result.is_failed = json.word()?.is_some_and(|word| word == "true"),
                "stats" => {
                    json.object(|json, member| result.stats.member(json, member))?;
                }
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(is_object.then_some(result))
    }
}

impl Stats {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "data" => self.data = Some(json.numbers()?),
            "iterations" => self.iterations = json.count()?,
            "rounds" => self.rounds = json.count()?,
            _ => self.statistics.member(json, name)?,
        }
        Ok(())
    }

    fn found(self, id: BenchmarkId) -> Found {
        if let Some(data) = self.data.filter(|data| !data.is_empty()) {
            let operations = self.iterations.map(|iterations| vec![iterations; data.len()]);
            let mut process = columns::series(Metric::time(), data);
            process.operations = operations.unwrap_or_default();
            return Found::values(id, vec![process]);
        }
        let summary = self.statistics.summary();
        let summary = summary.map(|summary| ImportedSummary { count: self.rounds, ..summary });
        Found::summaries(id, summary.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
