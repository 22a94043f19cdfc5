//! pytest-benchmark: the command line of a test, and reading its rounds.
//!
//! A round is a timed batch of calls, so rounds are the iterations. The time of a round is passed as the
//! minimum for calibration, and their number as the minimum number of rounds. The total time adds rounds of
//! warm-up if the function is fast enough. A test that sets these values itself, by its mark or by
//! `pedantic`, keeps them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use benchwright_formats::pytest_benchmark::{TestResult, results};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Series};

use super::{description, result_file};
use crate::{Executable, Reader, Reading, Stop, TrialCommand, TrialRequest, TrialShape};

/// Maximum number of diagnostics of the same kind about one trial.
const MOST_DOUBTS: usize = 10;

/// The command line of one trial.
pub(super) fn command(request: &TrialRequest<'_>) -> TrialCommand {
    let TrialRequest { out, executable, benchmark, shape, scratch, .. } = request;
    let mut args = description::launch(out, executable, "run", benchmark.name.clone().into());
    args.extend(common_arguments(executable, request.root, scratch));
    args.push(option("--benchmark-json", &scratch.join(result_file::NAME)));
    let total =
        shape.iteration_time.saturating_mul(shape.iterations.max(1)).saturating_add(shape.warmup_time);
    let ours = [
        ("--benchmark-min-rounds", shape.iterations.max(1).to_string()),
        ("--benchmark-min-time", seconds(shape.iteration_time)),
        ("--benchmark-max-time", seconds(total)),
    ];
    for (name, value) in ours {
        args.push(format!("{name}={value}").into());
    }
    // Under PyPy the plug-in first runs the same number of rounds without reporting them. A rule that looks
    // for warm-up needs all rounds.
    if let Stop::Rule(_) = shape.stop {
        args.push("--benchmark-warmup=off".into());
    }
    args.extend(shape.args.iter().map(OsString::from));
    TrialCommand {
        program: Some(description::interpreter(out).into()),
        args,
        env: description::variables(out),
        ..TrialCommand::default()
    }
}

/// The arguments of every call of pytest, including listing: the file, and a root that makes ids the same
/// whatever the project's configuration.
pub(super) fn common_arguments(executable: &Executable, root: &Path, scratch: &Path) -> Vec<OsString> {
    let mut cache = OsString::from("cache_dir=");
    cache.push(scratch.join("cache"));
    let project: PathBuf = root.join(&executable.dir).components().collect();
    let mut args: Vec<OsString> =
        vec![description::file_of(executable).into(), option("--rootdir", &project)];
    args.extend(["-q", "-rs", "--tb=short", "--color=no", "-o"].map(OsString::from));
    args.push(cache);
    // pytest-benchmark makes the directory even if it stores nothing.
    let mut storage = OsString::from("--benchmark-storage=file://");
    storage.push(scratch.join("storage"));
    args.push(storage);
    args
}

fn option(name: &str, value: &Path) -> OsString {
    let mut argument = OsString::from(name);
    argument.push("=");
    argument.push(value);
    argument
}

/// A time in the format of the command line, never zero.
fn seconds(time: Duration) -> String {
    format!("{:.9}", time.as_secs_f64().max(1e-6))
}

/// Reads the rounds after the process has ended.
pub(super) struct RoundReader {
    benchmark: BenchmarkId,
    /// Number of requested rounds without warm-up.
    measured: usize,
    /// Maximum number of rounds that warm-up can have added.
    warmup: usize,
}

impl RoundReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId, shape: &TrialShape) -> Self {
        let rounds = shape.warmup_time.as_secs_f64() / shape.iteration_time.as_secs_f64().max(1e-9);
        RoundReader {
            benchmark: benchmark.clone(),
            measured: shape.iterations.max(1) as usize,
            // The total is rounded up to whole rounds.
            warmup: rounds.ceil().clamp(0.0, 1e6) as usize + 1,
        }
    }

    fn reading(&self, results: &[TestResult]) -> Reading {
        let wanted = format!("::{}", self.benchmark.name);
        let is_wanted = |result: &&TestResult| result.full_name.ends_with(&wanted);
        let result = match results {
            [] => return Reading::default(),
            [only] => only,
            several => match several.iter().find(is_wanted) {
                Some(result) => result,
                None => return self.doubt(format!("{} results, none of this test", several.len())),
            },
        };
        let Some(data) = &result.stats.data else {
            return self.doubt("the report has statistics only, no rounds".into());
        };
        let calls = result.stats.iterations.unwrap_or(1).max(1);
        let mut reading = Reading::default();
        let mut values = Vec::with_capacity(data.len());
        for (round, value) in data.iter().enumerate() {
            match value {
                value if value.is_finite() => values.push(*value),
                _ if reading.diagnostics.len() < MOST_DOUBTS => {
                    let message = format!("left out round {}, which is not a number", round + 1);
                    reading.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
                }
                _ => {}
            }
        }
        if values.is_empty() {
            return reading;
        }
        reading.measurement = Measurement {
            warmup: self.warmup_of(values.len()),
            operations: vec![calls; values.len()],
            series: vec![Series { metric: Metric::time(), values, resolution: 0.0 }],
            ..Measurement::default()
        };
        reading
    }

    /// The number of leading rounds that are warm-up. A test that chose its own number of rounds has none.
    fn warmup_of(&self, rounds: usize) -> u32 {
        let surplus = rounds.saturating_sub(self.measured);
        if surplus <= self.warmup { u32::try_from(surplus).unwrap_or(0) } else { 0 }
    }

    fn doubt(&self, message: String) -> Reading {
        Reading::without_values(&self.benchmark, message)
    }
}

impl Reader for RoundReader {
    fn line(&mut self, _line: &str) -> u32 {
        0
    }

    fn finish(self: Box<Self>, scratch: &Path) -> Reading {
        result_file::reading(scratch, &self.benchmark, results, |results| self.reading(&results))
    }
}

#[cfg(test)]
mod tests;
