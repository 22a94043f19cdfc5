//! pyperf: the command line of a worker, and reading its values.
//!
//! A trial is one worker process, which benchwright starts instead of pyperf's own manager. It calibrates its
//! number of loops and then continues with that number. pyperf reports all values of such a process as
//! warm-ups with their loops. The last of them are the requested iterations, and those before are warm-up. If
//! the user fixes the number of loops, pyperf separates warm-ups from values.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use benchwright_formats::pyperf::{self, Benchmark, Suite};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Series};

use super::{description, result_file};
use crate::{Reader, Reading, TrialCommand, TrialRequest, TrialShape};

/// The units of a runner's values; seconds are the usual one.
const UNITS: [&str; 3] = ["second", "byte", "integer"];

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

/// The arguments of a listing. They are those of a worker, so that scripts behave as in a worker.
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
    // pyperf itself would never try more.
    values.clamp(0.0, 300.0) as u32
}

/// Reads the values after the process has ended.
pub(super) struct ValueReader {
    benchmark: BenchmarkId,
    /// Number of requested values.
    values: usize,
}

impl ValueReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId, shape: &TrialShape) -> Self {
        ValueReader { benchmark: benchmark.clone(), values: shape.iterations.max(1) as usize }
    }

    fn reading(&self, suite: &Suite) -> Reading {
        let has_name = |benchmark: &&Benchmark| suite.name(benchmark) == Some(&self.benchmark.name);
        let Some(benchmark) = suite.benchmarks.iter().find(has_name) else {
            return self.doubt(format!("{} results, none of this benchmark", suite.benchmarks.len()));
        };
        let [run] = benchmark.runs.as_slice() else {
            return self.doubt(format!("results of {} processes instead of one", benchmark.runs.len()));
        };
        let iterations = suite.iterations(benchmark, run);
        // A process that calibrates calls all values warm-ups.
        let measured = if run.values.is_empty() { self.values } else { run.values.len() };
        self.measurement(&iterations, iterations.len().saturating_sub(measured), suite.unit(benchmark))
    }

    fn measurement(&self, iterations: &[(u64, f64)], warmup: usize, unit: &str) -> Reading {
        let mut reading = Reading::default();
        if !UNITS.contains(&unit) {
            return self.doubt(format!("its values are in the unit `{unit}`, which is not known"));
        }
        let metric = pyperf::metric(unit);
        if !metric.is_time() {
            let message = format!("it measures in the unit `{unit}`, so there is no time to compare");
            reading.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
        }
        let (mut values, mut operations, mut left_out) = (Vec::new(), Vec::new(), (0, 0));
        for (index, (loops, value)) in iterations.iter().enumerate() {
            // During calibration the clock may not advance. Such a value is left out.
            if value.is_finite() && (*value > 0.0 || index >= warmup) {
                values.push(*value);
                operations.push(*loops);
            } else if index < warmup {
                left_out.0 += 1;
            } else {
                left_out.1 += 1;
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

impl Reader for ValueReader {
    fn line(&mut self, _line: &str) -> u32 {
        0
    }

    fn finish(self: Box<Self>, scratch: &Path) -> Reading {
        result_file::reading(scratch, &self.benchmark, pyperf::suite, |suite| self.reading(&suite))
    }
}

#[cfg(test)]
mod tests;
