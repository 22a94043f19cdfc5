//! pyperf's JSON: one run per process, with its warm-ups.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Measurement, Metric, Series};

use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::{Format, Imported};

/// Facts about the machine; others vary from process to process.
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

/// What values are measured in, and how.
const USED: [&str; 4] = ["name", "unit", "loops", "inner_loops"];

/// Whether it has runs of benchmarks.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_run = ["values", "warmups"].iter().any(|name| head.has(5, name));
    head.is_object() && head.has(1, "benchmarks") && (head.has(3, "runs") || is_run)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::Pyperf);
    let mut shared = Metadata::new();
    let mut benchmarks = Vec::new();
    let read = json.object(|json, name| {
        match name {
            "metadata" => shared = metadata(json)?,
            "benchmarks" => {
                json.records(|json| benchmark(json, &mut benchmarks))?;
            }
            _ => json.skip()?,
        }
        Ok(())
    });
    for key in FACTS {
        collector.fact(key, shared.get(key).cloned());
    }
    for benchmark in benchmarks {
        // The name comes after everything else where there is a single benchmark.
        benchmark.hand_over(&shared, &mut collector, &mut json);
    }
    finish_json(json, read.map(|_| ()), vec![collector])
}

type Metadata = BTreeMap<String, String>;

struct Benchmark {
    place: Place,
    metadata: Metadata,
    runs: Vec<Run>,
}

#[derive(Default)]
struct Run {
    metadata: Metadata,
    /// Loops and value.
    warmups: Vec<(f64, f64)>,
    values: Vec<f64>,
}

fn metadata(json: &mut Json<'_>) -> Step<Metadata> {
    let mut metadata = Metadata::new();
    json.object(|json, name| {
        // What else there is varies from process to process and is not needed.
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

/// Reads a benchmark. Runs that were complete before the file ends are kept.
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
    if !found.runs.is_empty() {
        list.push(found);
    }
    read.map(|_| ())
}

fn run(json: &mut Json<'_>) -> Step<Run> {
    let mut run = Run::default();
    json.object(|json, name| {
        match name {
            // The same few for every process, so only those that matter are kept.
            "metadata" => {
                run.metadata = metadata(json)?;
                run.metadata.retain(|key, _| matches!(key.as_str(), "loops" | "inner_loops"));
            }
            "values" => run.values = json.numbers()?,
            "warmups" => {
                json.array(|json| {
                    let pair = json.numbers()?;
                    if let [loops, value] = pair[..] {
                        run.warmups.push((loops, value));
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

impl Benchmark {
    fn hand_over(self, shared: &Metadata, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        let fact = |run: &Metadata, key: &str| {
            let maps = [run, &self.metadata, shared];
            maps.iter().find_map(|map| map.get(key)).cloned()
        };
        let nothing = Metadata::new();
        let name = fact(&nothing, "name").unwrap_or_else(|| {
            diagnostics.warn(self.place, "a benchmark has no name; it is called `unnamed`");
            "unnamed".into()
        });
        let id = BenchmarkId::new("python", "", name.as_str());
        let unit = fact(&nothing, "unit").unwrap_or_else(|| "second".into());
        let metric = metric(&unit);
        let mut processes = Vec::new();
        // A run without values only found out how many loops to make.
        for run in self.runs.iter().filter(|run| !run.values.is_empty()) {
            let number =
                |key: &str| fact(&run.metadata, key).and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
            processes.push(run.measurement(metric.clone(), number("loops"), number("inner_loops")));
        }
        collector.add(Found::values(id, processes), self.place, diagnostics);
    }
}

impl Run {
    fn measurement(&self, metric: Metric, loops: f64, inner_loops: f64) -> Measurement {
        let is_warmup_whole = self.warmups.iter().all(|(_, value)| value.is_finite() && *value > 0.0);
        let warmups = if is_warmup_whole { self.warmups.as_slice() } else { &[] };
        let count = |loops: f64| (loops * inner_loops).clamp(0.0, 1e18) as u64;
        let mut operations: Vec<u64> = warmups.iter().map(|(loops, _)| count(*loops)).collect();
        operations.resize(warmups.len() + self.values.len(), count(loops));
        let values = warmups.iter().map(|(_, value)| *value).chain(self.values.iter().copied()).collect();
        Measurement {
            warmup: u32::try_from(warmups.len()).unwrap_or(u32::MAX),
            operations,
            series: vec![Series { metric, values, resolution: 0.0 }],
            ..Measurement::default()
        }
    }
}

fn metric(unit: &str) -> Metric {
    match unit {
        "second" => Metric::time(),
        "byte" => Metric::bytes_per_op(),
        _ => Metric::custom(unit),
    }
}

#[cfg(test)]
mod tests;
