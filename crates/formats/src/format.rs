//! The file formats that are read, one line each.

use std::fmt;

use benchwright_model::Diagnostic;

use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::{
    Imported, bencher_metric, benchfmt, benchmark_dot_net, criterion, github_action, google_benchmark,
    gungraun, hyperfine, jmh, pa, pyperf, pytest_benchmark, samples, uoptime,
};

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Go's benchmark text.
    Benchfmt,
    /// JMH's JSON result.
    JmhJson,
    /// A folder of Criterion, `sample.json` or `raw.csv`.
    Criterion,
    /// Google Benchmark's JSON.
    GoogleBenchmark,
    /// pytest-benchmark's JSON.
    PytestBenchmark,
    /// pyperf's JSON.
    Pyperf,
    /// hyperfine's JSON.
    Hyperfine,
    /// The full JSON report of BenchmarkDotNet.
    BenchmarkDotNet,
    /// Summaries of gungraun or iai-callgrind.
    Gungraun,
    /// Bencher Metric Format.
    BencherMetric,
    /// Results or history of github-action-benchmark.
    GithubAction,
    /// CSV of the µOpTime data sets.
    Uoptime,
    /// CSV of `pa` and its converter.
    Pa,
    /// Our own raw samples, as `benchwright export` writes them.
    Samples,
    /// The same as CSV rows.
    SamplesCsv,
    /// The same as Parquet columns.
    Parquet,
}

/// How a format is recognised and read.
pub(crate) struct Reader {
    pub(crate) format: Format,
    /// Whether the beginning of a file has this format.
    pub(crate) recognise: fn(&Head) -> bool,
    /// Reads everything. The file's name is for diagnostics.
    pub(crate) read: fn(Input<'_>) -> Vec<Imported>,
}

/// Strict formats come first. A file whose beginning fits several formats is read as the first of them.
pub(crate) const READERS: [Reader; 16] = [
    Reader { format: Format::JmhJson, recognise: jmh::recognise, read: jmh::read },
    Reader { format: Format::Samples, recognise: samples::json::recognise, read: samples::json::read },
    Reader { format: Format::SamplesCsv, recognise: samples::csv::recognise, read: samples::csv::read },
    Reader { format: Format::Parquet, recognise: samples::parquet::recognise, read: samples::parquet::read },
    Reader {
        format: Format::GoogleBenchmark,
        recognise: google_benchmark::recognise,
        read: google_benchmark::read,
    },
    Reader {
        format: Format::PytestBenchmark,
        recognise: pytest_benchmark::recognise,
        read: pytest_benchmark::read,
    },
    Reader { format: Format::Pyperf, recognise: pyperf::recognise, read: pyperf::read },
    Reader { format: Format::Hyperfine, recognise: hyperfine::recognise, read: hyperfine::read },
    Reader {
        format: Format::BenchmarkDotNet,
        recognise: benchmark_dot_net::recognise,
        read: benchmark_dot_net::read,
    },
    Reader { format: Format::Gungraun, recognise: gungraun::recognise, read: gungraun::read },
    Reader { format: Format::GithubAction, recognise: github_action::recognise, read: github_action::read },
    Reader {
        format: Format::BencherMetric,
        recognise: bencher_metric::recognise,
        read: bencher_metric::read,
    },
    Reader { format: Format::Criterion, recognise: criterion::recognise, read: criterion::read },
    Reader { format: Format::Uoptime, recognise: uoptime::recognise, read: uoptime::read },
    Reader { format: Format::Pa, recognise: pa::recognise, read: pa::read },
    Reader { format: Format::Benchfmt, recognise: benchfmt::recognise, read: benchfmt::read },
];

/// The names of all formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.format.name())
}

impl Format {
    /// Its short name: `benchfmt`, `jmh-json`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Benchfmt => "benchfmt",
            Format::JmhJson => "jmh-json",
            Format::Criterion => "criterion",
            Format::GoogleBenchmark => "google-benchmark",
            Format::PytestBenchmark => "pytest-benchmark",
            Format::Pyperf => "pyperf",
            Format::Hyperfine => "hyperfine",
            Format::BenchmarkDotNet => "benchmark-dot-net",
            Format::Gungraun => "gungraun",
            Format::BencherMetric => "bencher-metric-format",
            Format::GithubAction => "github-action-benchmark",
            Format::Uoptime => "uoptime-csv",
            Format::Pa => "pa-csv",
            Format::Samples => "samples-json",
            Format::SamplesCsv => "samples-csv",
            Format::Parquet => "parquet",
        }
    }

    /// An empty set of results of this format.
    pub(crate) fn nothing(self, diagnostics: Vec<Diagnostic>) -> Imported {
        Imported {
            format: self,
            revision: None,
            taken_at: None,
            environment: Default::default(),
            benchmarks: Vec::new(),
            diagnostics,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
