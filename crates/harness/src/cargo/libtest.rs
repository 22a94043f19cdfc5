//! libtest's output format: `#[bench]` functions, the `bencher` crate, and programs that print the same.

use std::ffi::OsString;
use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic, Metric, Series};

use super::number::{self, Printed};
use crate::{Reader, Reading, TrialCommand, TrialShape};

/// The command line of one trial. The measuring time of libtest cannot be set.
pub(super) fn command(name: &str, shape: &TrialShape) -> TrialCommand {
    let mut args: Vec<OsString> = vec!["--bench".into(), "--exact".into()];
    args.extend(shape.args.iter().map(OsString::from));
    if name.starts_with('-') {
        args.push("--".into());
    }
    args.push(name.into());
    TrialCommand { args, ..TrialCommand::default() }
}

/// The command line of one trial of the `bencher` crate. The first argument besides `--bench` is a text that
/// names must contain. Benchmarks with longer names run too, and the reader ignores them.
pub(super) fn bencher_command(name: &str, shape: &TrialShape) -> TrialCommand {
    let mut args: Vec<OsString> = vec!["--bench".into(), name.into()];
    args.extend(shape.args.iter().map(OsString::from));
    TrialCommand { args, ..TrialCommand::default() }
}

/// The names in a list, `NAME: benchmark`.
pub(super) fn listed(stdout: &str) -> impl Iterator<Item = &str> {
    stdout.lines().filter_map(|line| line.strip_suffix(": benchmark"))
}

/// Whether a list was printed by libtest itself, which ends it with a count: `1 test, 3 benchmarks`.
pub(super) fn is_own_list(stdout: &str) -> bool {
    let is_count = |words: &[&str]| {
        matches!(words, [tests, "tests," | "test,", benchmarks, "benchmarks" | "benchmark"]
            if tests.parse::<u64>().is_ok() && benchmarks.parse::<u64>().is_ok())
    };
    stdout.lines().any(|line| is_count(&line.split(' ').collect::<Vec<_>>()))
}

/// The names of the benchmarks whose results are in the output.
pub(super) fn measured(stdout: &str) -> Vec<String> {
    let mut lines = Lines::default();
    stdout.lines().filter_map(|line| lines.take(line)).map(|result| result.name).collect()
}

/// Reads the lines of one benchmark.
pub(super) struct LineReader {
    benchmark: BenchmarkId,
    lines: Lines,
    times: Vec<f64>,
    rates: Vec<f64>,
    resolution: f64,
    /// Whether libtest has printed its first line, and after the result its last one. Other programs print
    /// neither.
    is_begun: bool,
    is_ended: bool,
    diagnostics: Vec<Diagnostic>,
}

impl LineReader {
    /// A reader for one benchmark.
    pub(super) fn new(benchmark: &BenchmarkId) -> Self {
        LineReader {
            benchmark: benchmark.clone(),
            lines: Lines::default(),
            times: Vec::new(),
            rates: Vec::new(),
            resolution: 0.0,
            is_begun: false,
            is_ended: false,
            diagnostics: Vec::new(),
        }
    }

    fn take(&mut self, text: &str) {
        let Some(values) = Values::read(text) else {
            let message = format!("cannot understand the result `{}`", text.trim());
            return self.diagnostics.push(Diagnostic::warning(self.benchmark.to_string(), message));
        };
        self.times.push(values.time.value * values.scale);
        self.rates.extend(values.bytes_per_second);
        self.resolution = values.time.resolution().max(self.resolution);
    }
}

impl Reader for LineReader {
    fn line(&mut self, line: &str) -> u32 {
        self.is_begun |=
            line.starts_with("running ") && (line.ends_with(" test") || line.ends_with(" tests"));
        self.is_ended |= line.starts_with("test result: ") && !self.times.is_empty();
        let result = self.lines.take(line);
        if let Some(result) = result.filter(|result| result.name == self.benchmark.name) {
            self.take(&result.text);
        }
        0
    }

    fn finish(self: Box<Self>, _scratch: &Path) -> Reading {
        let mut reading = Reading { diagnostics: self.diagnostics, ..Reading::default() };
        let series = &mut reading.measurement.series;
        if self.times.len() > 1 {
            let message = format!(
                "printed {} results where one was asked for: something prints lines that look like results",
                self.times.len()
            );
            reading.diagnostics.push(Diagnostic::error(self.benchmark.to_string(), message));
        } else if self.is_begun && !self.is_ended && !self.times.is_empty() {
            let message = "ended before libtest did, so that its result may not be one of libtest";
            reading.diagnostics.push(Diagnostic::error(self.benchmark.to_string(), message));
        } else if !self.times.is_empty() {
            let whole = self.rates.len() == self.times.len();
            let resolution = self.resolution;
            series.push(Series { metric: Metric::time(), values: self.times, resolution });
            if whole {
                series.push(Series { metric: Metric::bytes_per_second(), values: self.rates, resolution });
            }
        }
        reading
    }
}

/// A result in the output.
struct BenchLine {
    name: String,
    /// The text after `bench:`.
    text: String,
}

/// Finds results, even if the benchmark printed something between its name and its result.
#[derive(Default)]
struct Lines {
    open: Option<String>,
}

impl Lines {
    fn take(&mut self, line: &str) -> Option<BenchLine> {
        // The last separator counts, because a name may contain any text.
        if let Some((start, text)) = line.rsplit_once(" ... bench:") {
            self.open = None;
            let name = start.strip_prefix("test ")?;
            return Some(BenchLine { name: name.trim_end().to_owned(), text: text.to_owned() });
        }
        let start = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        if let Some((name, _)) = start {
            self.open = Some(name.trim_end().to_owned());
        }
        let (_, text) = line.rsplit_once("bench:").filter(|(_, text)| text.contains("/iter"))?;
        Some(BenchLine { name: self.open.take()?, text: text.to_owned() })
    }
}

/// The numbers of a result: `1,234.56 ns/iter (+/- 7.89) = 123 MB/s`.
struct Values {
    time: Printed,
    /// Seconds per unit of `time`.
    scale: f64,
    bytes_per_second: Option<f64>,
}

impl Values {
    fn read(text: &str) -> Option<Values> {
        let mut words = text.split_whitespace();
        let time = number::with_separators(words.next()?)?;
        let scale = number::seconds(words.next()?.strip_suffix("/iter")?)?;
        let rate = text.rsplit_once(" = ").and_then(|(_, rate)| {
            let (value, unit) = rate.trim().split_once(' ')?;
            Some(number::with_separators(value)?.value * number::bytes(unit.strip_suffix("/s")?)?)
        });
        Some(Values { time, scale, bytes_per_second: rate })
    }
}

#[cfg(test)]
mod tests;
