//! pyperf: how one worker is called, and the values it leaves.
//!
//! A trial is one worker process, started by us instead of by pyperf's own manager. It calibrates its number of loops
//! itself and goes on with that number; pyperf reports all values of such a process as warm-ups with their loops. The
//! last of them are the iterations asked for, and those before are warm-up. Where the user fixes the loops, pyperf
//! separates warm-ups from values.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Series};
use serde::Deserialize;

use super::{description, result_file};
use crate::{Reader, Reading, TrialCommand, TrialRequest, TrialShape};

/// The command line of one trial.
pub(super) fn command(request: &TrialRequest<'_>) -> TrialCommand {
    let TrialRequest { out, executable, benchmark, shape, scratch, .. } = request;
    let mut args = description::launch(out, executable, "run", benchmark.name.clone().into());
    args.extend(["--worker", "--worker-task=0"].map(OsString::from));
    let is_given =
        |names: &[&str]| shape.args.iter().any(|arg| names.iter().any(|name| is_option(arg, name)));
    if !is_given(&["--loops", "-l"]) {
        args.push("--calibrate-loops".into());
    }
    let ours = [
        (&["--values", "-n"], shape.iterations.max(1).to_string()),
        (&["--warmups", "-w"], warmups(shape).to_string()),
        (&["--min-time", "--min-time"], format!("{:.9}", shape.iteration_time.as_secs_f64().max(1e-9))),
    ];
    for (names, value) in ours.into_iter().filter(|(names, _)| !is_given(*names)) {
        args.push(format!("{}={value}", names[0]).into());
    }
    let mut output = OsString::from("--output=");
    output.push(scratch.join(result_file::NAME));
    args.push(output);
    args.extend(shape.args.iter().map(OsString::from));
    TrialCommand {
        program: Some(description::interpreter(out).into()),
        args,
        env: description::variables(out),
        ..TrialCommand::default()
    }
}

/// The arguments of a listing: those of a worker, so that scripts do what they do in one.
pub(super) fn list_arguments() -> [&'static str; 5] {
    ["--worker", "--worker-task=0", "--loops=1", "--warmups=0", "--values=1"]
}

fn is_option(arg: &str, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(_) => arg == name || arg.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')),
        None => arg.starts_with(name) && !arg.starts_with("--"),
    }
}

fn warmups(shape: &TrialShape) -> u32 {
    let iteration = shape.iteration_time.max(Duration::from_nanos(1));
    let values = (shape.warmup_time.as_secs_f64() / iteration.as_secs_f64()).ceil();
    // No need for more than pyperf itself would ever try.
    values.clamp(0.0, 300.0) as u32
}

/// Reads the values after the process has ended.
pub(super) struct ValueReader {
    benchmark: BenchmarkId,
    /// Values asked for.
    values: usize,
}

impl ValueReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId, shape: &TrialShape) -> Self {
        ValueReader { benchmark: benchmark.clone(), values: shape.iterations.max(1) as usize }
    }

    fn reading(&self, suite: Suite) -> Reading {
        let common = suite.metadata.unwrap_or_default();
        let has_name = |benchmark: &Benchmark| {
            let own = benchmark.metadata.as_ref().and_then(|metadata| metadata.name.as_ref());
            own.or(common.name.as_ref()) == Some(&self.benchmark.name)
        };
        let Some(benchmark) = suite.benchmarks.iter().find(|benchmark| has_name(benchmark)) else {
            return self.doubt(format!("{} results, none of this benchmark", suite.benchmarks.len()));
        };
        let [run] = benchmark.runs.as_slice() else {
            return self.doubt(format!("results of {} processes instead of one", benchmark.runs.len()));
        };
        let sources = [run.metadata.as_ref(), benchmark.metadata.as_ref(), Some(&common)];
        let inner = sources.iter().find_map(|source| (*source)?.inner_loops).unwrap_or(1).max(1);
        let loops = sources.iter().find_map(|source| (*source)?.loops).unwrap_or(1).max(1);
        let unit = sources.iter().find_map(|source| (*source)?.unit.as_deref()).unwrap_or("second");
        let entries: Vec<(u64, Option<f64>)> = run
            .warmups
            .iter()
            .copied()
            .chain(run.values.iter().map(|value| (loops, *value)))
            .map(|(loops, value)| (loops.saturating_mul(inner), value))
            .collect();
        // A process that calibrates calls everything a warm-up.
        let measured = if run.values.is_empty() { self.values } else { run.values.len() };
        self.measurement(&entries, entries.len().saturating_sub(measured), unit)
    }

    fn measurement(&self, entries: &[(u64, Option<f64>)], warmup: usize, unit: &str) -> Reading {
        let mut reading = Reading::default();
        let Some(metric) = metric(unit) else {
            return self.doubt(format!("its values are in the unit `{unit}`, which is not known"));
        };
        if !metric.is_time() {
            let message = format!("it measures in the unit `{unit}`, so there is no time to compare");
            reading.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
        }
        let (mut values, mut operations, mut left_out) = (Vec::new(), Vec::new(), (0, 0));
        for (index, (loops, value)) in entries.iter().enumerate() {
            match value.filter(|value| value.is_finite()) {
                // Calibration may meet a clock that did not advance; such a value is kept by nobody.
                Some(value) if value > 0.0 || index >= warmup => {
                    values.push(value);
                    operations.push(*loops);
                }
                _ if index < warmup => left_out.0 += 1,
                _ => left_out.1 += 1,
            }
        }
        if left_out.1 > 0 {
            let message = format!("left out {} values that are not numbers", left_out.1);
            reading.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
        }
        let warmup = warmup - left_out.0;
        if values.len() <= warmup {
            return reading;
        }
        let warmup = u32::try_from(warmup).unwrap_or(u32::MAX);
        let series = vec![Series { metric, values, resolution: 0.0 }];
        reading.measurement = Measurement { warmup, operations, series, ..Measurement::default() };
        reading
    }

    fn doubt(&self, message: String) -> Reading {
        Reading::without_values(&self.benchmark, message)
    }
}

/// What pyperf's units measure: a runner may count bytes or anything else instead of seconds.
fn metric(unit: &str) -> Option<Metric> {
    match unit {
        "second" => Some(Metric::time()),
        "byte" => Some(Metric::bytes_per_op()),
        "integer" => Some(Metric::custom("integer")),
        _ => None,
    }
}

impl Reader for ValueReader {
    fn line(&mut self, _line: &str) -> u32 {
        0
    }

    fn finish(self: Box<Self>, scratch: &Path) -> Reading {
        result_file::reading(scratch, &self.benchmark, |suite| self.reading(suite))
    }
}

/// What `--output` writes, as far as it is read here. Metadata that all parts share are written once, further up.
#[derive(Debug, Deserialize)]
struct Suite {
    benchmarks: Vec<Benchmark>,
    metadata: Option<Metadata>,
}

#[derive(Debug, Deserialize)]
struct Benchmark {
    metadata: Option<Metadata>,
    runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
struct Run {
    metadata: Option<Metadata>,
    /// Loops and seconds per operation.
    #[serde(default)]
    warmups: Vec<(u64, Option<f64>)>,
    /// Seconds per operation.
    #[serde(default)]
    values: Vec<Option<f64>>,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    name: Option<String>,
    unit: Option<String>,
    loops: Option<u64>,
    inner_loops: Option<u64>,
}

#[cfg(test)]
mod tests;
