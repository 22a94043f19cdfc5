//! The full JSON report of BenchmarkDotNet. This follows its documented format and was not tested with a run
//! of the tool.
//!
//! A launch is a process. `Result` measurements, which the tool itself reports, exclude overhead and
//! outliers. If a report has none, `Actual` ones count. Warm-up measurements come before them and are marked.

use std::collections::{BTreeMap, BTreeSet};

use benchwright_model::{BenchmarkId, Measurement, Metric};

use crate::reading::collect::{Collector, Found};
use crate::reading::columns::Columns;
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::{Format, Imported, ImportedSummary};

/// Whether it is a report.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_benchmark = head.has(3, "Method") || head.has(3, "FullName") || head.has(3, "DisplayInfo");
    head.is_object() && (head.has(1, "HostEnvironmentInfo") || head.has(1, "Benchmarks") && is_benchmark)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::BenchmarkDotNet);
    let read = json.object(|json, name| {
        match name {
            "HostEnvironmentInfo" => host(json, &mut collector)?,
            "Benchmarks" => {
                json.records(|json| benchmark(json, &mut collector))?;
            }
            _ => json.skip()?,
        }
        Ok(())
    });
    finish_json(json, read.map(|_| ()), vec![collector])
}

fn host(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    json.object(|json, name| {
        let key = match name {
            "BenchmarkDotNetVersion" => "benchmark-dot-net",
            "OsVersion" => "os",
            "ProcessorName" => "cpu",
            "LogicalCoreCount" => "cores",
            "RuntimeVersion" => "runtime",
            "Architecture" => "arch",
            "DotNetCliVersion" => "dotnet",
            "Configuration" => "configuration",
            _ => return json.skip(),
        };
        let value = json.word()?;
        collector.fact(key, value);
        Ok(())
    })?;
    Ok(())
}

#[derive(Default)]
struct Benchmark {
    namespace: String,
    class: String,
    method: String,
    parameters: String,
    full_name: String,
    statistics: Statistics,
    bytes_per_operation: Option<f64>,
    measurements: Vec<Stage>,
}

/// Nanoseconds.
#[derive(Default)]
struct Statistics {
    count: Option<u64>,
    mean: Option<f64>,
    median: Option<f64>,
    deviation: Option<f64>,
    least: Option<f64>,
    greatest: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
}

/// One measurement.
#[derive(Default)]
struct Stage {
    mode: String,
    stage: String,
    launch: u64,
    operations: Option<u64>,
    nanoseconds: Option<f64>,
}

/// The purpose of a measurement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Warmup,
    Actual,
    Result,
    Other,
}

fn benchmark(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    let place = json.place();
    let mut found = Benchmark::default();
    let is_object = json.object(|json, name| {
        match name {
            "Namespace" => found.namespace = json.text()?.unwrap_or_default(),
            "Type" => found.class = json.text()?.unwrap_or_default(),
            "Method" => found.method = json.text()?.unwrap_or_default(),
            "Parameters" => found.parameters = json.text()?.unwrap_or_default(),
            "FullName" => found.full_name = json.text()?.unwrap_or_default(),
            "Statistics" => {
                json.object(|json, name| found.statistics.member(json, name))?;
            }
            "Memory" => {
                json.object(|json, name| {
                    match name {
                        "BytesAllocatedPerOperation" => found.bytes_per_operation = json.number()?,
                        _ => json.skip()?,
                    }
                    Ok(())
                })?;
            }
            "Measurements" => {
                json.array(|json| {
                    let stage = stage(json)?;
                    // There are thousands of others, from the search of the tool for its settings.
                    if stage.purpose() != Purpose::Other {
                        found.measurements.push(stage);
                    }
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    if is_object {
        found.hand_over(place, collector, json);
    }
    Ok(())
}

fn stage(json: &mut Json<'_>) -> Step<Stage> {
    let mut stage = Stage::default();
    json.object(|json, name| {
        match name {
            "IterationMode" => stage.mode = json.word()?.unwrap_or_default(),
            "IterationStage" => stage.stage = json.word()?.unwrap_or_default(),
            "LaunchIndex" => stage.launch = json.count()?.unwrap_or_default(),
            "Operations" => stage.operations = json.count()?,
            "Nanoseconds" => stage.nanoseconds = json.number()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(stage)
}

impl Stage {
    /// Before 0.11 mode and stage were one word.
    fn purpose(&self) -> Purpose {
        match (self.mode.as_str(), self.stage.as_str()) {
            ("Workload", "Warmup") | ("MainWarmup", "") => Purpose::Warmup,
            ("Workload", "Actual") | ("MainTarget", "") => Purpose::Actual,
            ("Workload", "Result") | ("Result", "") => Purpose::Result,
            _ => Purpose::Other,
        }
    }

    fn row(&self) -> (Option<u64>, [(Metric, f64); 1]) {
        let operations = self.operations.filter(|operations| *operations > 0);
        let seconds = self.nanoseconds.unwrap_or(f64::NAN) / 1e9 / operations.unwrap_or(1) as f64;
        (self.operations, [(Metric::time(), seconds)])
    }
}

impl Statistics {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "N" => self.count = json.count()?,
            "Mean" => self.mean = json.number()?,
            "Median" => self.median = json.number()?,
            "StandardDeviation" => self.deviation = json.number()?,
            "Min" => self.least = json.number()?,
            "Max" => self.greatest = json.number()?,
            "ConfidenceInterval" => {
                json.object(|json, name| {
                    match name {
                        "Lower" => self.lower = json.number()?,
                        "Upper" => self.upper = json.number()?,
                        _ => json.skip()?,
                    }
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    }

    fn summary(&self) -> Option<ImportedSummary> {
        let seconds = |nanoseconds: Option<f64>| nanoseconds.map(|nanoseconds| nanoseconds / 1e9);
        let value = self.mean.or(self.median)?;
        Some(ImportedSummary {
            mean: seconds(self.mean),
            median: seconds(self.median),
            standard_deviation: seconds(self.deviation),
            least: seconds(self.least),
            greatest: seconds(self.greatest),
            lower: seconds(self.lower),
            upper: seconds(self.upper),
            count: self.count,
            ..ImportedSummary::new(Metric::time(), value / 1e9)
        })
    }
}

impl Benchmark {
    /// The identity `Type.Method(N: 10)` in its namespace.
    fn id(&self) -> BenchmarkId {
        let inside =
            self.full_name.strip_prefix(self.namespace.as_str()).and_then(|rest| rest.strip_prefix('.'));
        let name = match inside {
            Some(rest) => rest.to_owned(),
            None if !self.method.is_empty() && self.parameters.is_empty() => {
                format!("{}.{}", self.class, self.method)
            }
            None if !self.method.is_empty() => format!("{}.{}({})", self.class, self.method, self.parameters),
            None => self.full_name.clone(),
        };
        BenchmarkId::new("dotnet", self.namespace.as_str(), name)
    }

    fn hand_over(self, place: Place, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        let id = self.id();
        if id.name.is_empty() || id.name == "." {
            return diagnostics.warn(place, "left out a result without the name of its method");
        }
        let mut summaries = Vec::new();
        summaries.extend(
            self.bytes_per_operation.map(|bytes| ImportedSummary::new(Metric::bytes_per_op(), bytes)),
        );
        let processes = self.processes();
        if processes.is_empty() {
            summaries.extend(self.statistics.summary());
        }
        let found = Found { summaries, variant: "time".into(), ..Found::values(id, processes) };
        collector.add(found, place, diagnostics);
    }

    fn processes(&self) -> Vec<Measurement> {
        let has_results = self.measurements.iter().any(|stage| stage.purpose() == Purpose::Result);
        let wanted = if has_results { Purpose::Result } else { Purpose::Actual };
        let mut launches: BTreeMap<u64, Columns> = BTreeMap::new();
        for stage in self.measurements.iter().filter(|stage| stage.purpose() == Purpose::Warmup) {
            let (operations, values) = stage.row();
            launches.entry(stage.launch).or_default().warmup_row(operations, values);
        }
        let mut measured = BTreeSet::new();
        for stage in self.measurements.iter().filter(|stage| stage.purpose() == wanted) {
            let (operations, values) = stage.row();
            launches.entry(stage.launch).or_default().row(operations, values);
            measured.insert(stage.launch);
        }
        launches.retain(|launch, _| measured.contains(launch));
        launches.into_values().map(|columns| columns.finish().0).collect()
    }
}

#[cfg(test)]
mod tests;
