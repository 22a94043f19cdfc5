//! pyperf's JSON: one run per process, with its warm-ups.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Series};

use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::Place;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::{finish_json, object_in_memory};
use crate::{Format, Imported};

/// Facts about the machine. Others differ between processes.
const FACTS: [&str; 12] = [
    "aslr",
    "cpu_affinity",
    "cpu_config",
    "cpu_count",
    "cpu_model_name",
    "hostname",
    "perf_version",
    "platform",
    "python_compiler",
    "python_implementation",
    "python_version",
    "timer",
];

/// Metadata that determine the meaning of values.
const USED: [&str; 4] = ["name", "unit", "loops", "inner_loops"];

/// All benchmarks of a file. Metadata that all parts share are stored once, on a higher level.
#[derive(Debug, Clone, Default)]
pub struct Suite {
    metadata: Metadata,
    /// In the order of the file.
    pub benchmarks: Vec<Benchmark>,
}

type Metadata = BTreeMap<String, String>;

/// One benchmark.
#[derive(Debug, Clone)]
pub struct Benchmark {
    place: Place,
    metadata: Metadata,
    /// One per process.
    pub runs: Vec<Run>,
}

/// One process. Values are per operation, in the benchmark's unit, and NaN if missing.
#[derive(Debug, Clone, Default)]
pub struct Run {
    metadata: Metadata,
    /// Loops and value of each. A process that calibrates reports all its values in this form.
    pub warmups: Vec<(f64, f64)>,
    /// Values after warm-up.
    pub values: Vec<f64>,
}

/// The content of a file, with diagnostics.
pub fn suite(name: &str, text: &[u8]) -> (Suite, Vec<Diagnostic>) {
    object_in_memory(name, text, |json, suite: &mut Suite, member| suite.member(json, member))
}

/// The metric of a unit.
pub fn metric(unit: &str) -> Metric {
    match unit {
        "second" => Metric::time(),
        "byte" => Metric::bytes_per_op(),
        _ => Metric::custom(unit),
    }
}

/// Whether it has runs of benchmarks.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_run = ["values", "warmups"].iter().any(|name| head.has(5, name));
    head.is_object() && head.has(1, "benchmarks") && (head.has(3, "runs") || is_run)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::Pyperf);
    let mut suite = Suite::default();
    let read = json.object(|json, name| suite.member(json, name));
    for key in FACTS {
        collector.fact(key, suite.metadata.get(key).cloned());
    }
    // If there is a single benchmark, its name comes after everything else.
    for benchmark in suite.benchmarks.iter().filter(|benchmark| !benchmark.runs.is_empty()) {
        suite.hand_over(benchmark, &mut collector, &mut json);
    }
    finish_json(json, read.map(|_| ()), vec![collector])
}

fn metadata(json: &mut Json<'_>) -> Step<Metadata> {
    let mut metadata = Metadata::new();
    json.object(|json, name| {
        // Other metadata differ between processes and are not needed.
        if !USED.contains(&name) && !FACTS.contains(&name) {
            return json.skip();
        }
        if let Some(value) = json.word()? {
            metadata.insert(name.into(), value);
        }
        Ok(())
    })?;
    Ok(metadata)
}

impl Suite {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "metadata" => self.metadata = metadata(json)?,
            "benchmarks" => {
                json.records(|json| benchmark(json, &mut self.benchmarks))?;
            }
            _ => json.skip()?,
        }
        Ok(())
    }

    /// The name of a benchmark.
    pub fn name<'a>(&'a self, benchmark: &'a Benchmark) -> Option<&'a str> {
        self.fact(benchmark, None, "name")
    }

    /// The unit of its values.
    pub fn unit<'a>(&'a self, benchmark: &'a Benchmark) -> &'a str {
        self.fact(benchmark, None, "unit").unwrap_or("second")
    }

    /// Operations and value of every iteration of a process, warm-ups first.
    pub fn iterations(&self, benchmark: &Benchmark, run: &Run) -> Vec<(u64, f64)> {
        let number = |key: &str| {
            self.fact(benchmark, Some(run), key).and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0)
        };
        let (loops, inner_loops) = (number("loops"), number("inner_loops"));
        let values = run.values.iter().map(|value| (loops, *value));
        let all = run.warmups.iter().copied().chain(values);
        all.map(|(loops, value)| ((loops * inner_loops).clamp(0.0, 1e18) as u64, value)).collect()
    }

    fn fact<'a>(&'a self, benchmark: &'a Benchmark, run: Option<&'a Run>, key: &str) -> Option<&'a str> {
        let maps = [run.map(|run| &run.metadata), Some(&benchmark.metadata), Some(&self.metadata)];
        maps.into_iter().flatten().find_map(|map| map.get(key)).map(String::as_str)
    }

    fn hand_over(&self, benchmark: &Benchmark, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        let name = self.name(benchmark).unwrap_or_else(|| {
            diagnostics.warn(benchmark.place, "a benchmark has no name; it is called `unnamed`");
            "unnamed"
        });
        let id = BenchmarkId::new("python", "", name);
        let metric = metric(self.unit(benchmark));
        // A run without values only determined the number of loops.
        let runs = benchmark.runs.iter().filter(|run| !run.values.is_empty());
        let processes = runs.map(|run| {
            let is_time = |(_, value): &(f64, f64)| value.is_finite() && *value > 0.0;
            let warmups = if run.warmups.iter().all(is_time) { run.warmups.len() } else { 0 };
            let left_out = run.warmups.len() - warmups;
            let (operations, values) = self.iterations(benchmark, run).into_iter().skip(left_out).unzip();
            Measurement {
                warmup: u32::try_from(warmups).unwrap_or(u32::MAX),
                operations,
                series: vec![Series { metric: metric.clone(), values, resolution: 0.0 }],
                ..Measurement::default()
            }
        });
        let found = Found::values(id, processes.collect());
        collector.add(found, benchmark.place, diagnostics);
    }
}

/// Reads a benchmark. Runs that are complete before the file ends are kept.
fn benchmark(json: &mut Json<'_>, list: &mut Vec<Benchmark>) -> Step<()> {
    let mut found = Benchmark { place: json.place(), metadata: Metadata::new(), runs: Vec::new() };
    let read = json.object(|json, name| {
        match name {
            "metadata" => found.metadata = metadata(json)?,
            "runs" => {
                json.array(|json| {
                    let run = run(json)?;
                    found.runs.push(run);
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    });
    list.push(found);
    read.map(|_| ())
}

fn run(json: &mut Json<'_>) -> Step<Run> {
    let mut run = Run::default();
    json.object(|json, name| {
        match name {
            // Every process has the same metadata, so only the needed ones are kept.
            "metadata" => {
                run.metadata = metadata(json)?;
                run.metadata.retain(|key, _| matches!(key.as_str(), "loops" | "inner_loops"));
            }
            "values" => run.values = json.numbers()?,
            "warmups" => {
                json.array(|json| {
                    match json.numbers()?[..] {
                        [loops, value] => run.warmups.push((loops, value)),
                        _ => {
                            let place = json.place();
                            json.input
                                .diagnostics
                                .warn(place, "left out a warm-up that is not `[loops, value]`");
                        }
                    }
                    Ok(())
                })?;
            }
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(run)
}

#[cfg(test)]
mod tests;
