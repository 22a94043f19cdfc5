//! The formats that programs read what benchwright measured from, by name.

use std::io::{self, Write};

use benchwright_model::{Direction, Run, Side, Trial};

use crate::summary::MetricSummary;
use crate::{bencher_metric, github_action, samples};

/// A way to hand a run to another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// Every sample with its place, one JSON document.
    SamplesJson,
    /// Every sample with its place, one row each.
    SamplesCsv,
    /// The same rows as columns for data frames.
    Parquet,
    /// Bencher Metric Format.
    BencherMetric,
    /// The custom format of github-action-benchmark.
    GithubAction,
}

/// The part of a run to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Only this side; none: samples of both, summaries of head.
    pub side: Option<Side>,
    /// A github-action-benchmark file has one direction: this one.
    pub better: Direction,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [ExportFormat; 5] = [
        ExportFormat::SamplesJson,
        ExportFormat::SamplesCsv,
        ExportFormat::Parquet,
        ExportFormat::BencherMetric,
        ExportFormat::GithubAction,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::SamplesJson => "samples-json",
            ExportFormat::SamplesCsv => "samples-csv",
            ExportFormat::Parquet => "parquet",
            ExportFormat::BencherMetric => "bmf",
            ExportFormat::GithubAction => "github-action-benchmark",
        }
    }

    /// The format called `name`, if there is one.
    pub fn by_name(name: &str) -> Option<ExportFormat> {
        let lower = name.to_ascii_lowercase();
        ExportFormat::ALL.into_iter().find(|format| format.name() == lower)
    }

    /// Whether it is binary, so that it is not written to a terminal.
    pub fn is_binary(self) -> bool {
        self == ExportFormat::Parquet
    }

    /// Writes the run. Formats that keep one number per metric ask `summaries` for those of a side. Returns how many metrics were left
    /// out because the format has no place for their direction.
    pub fn write(
        self,
        run: &Run,
        trials: &[Trial],
        summaries: &dyn Fn(Side) -> Vec<MetricSummary>,
        options: ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<usize> {
        let side = options.side.unwrap_or(Side::Head);
        match self {
            ExportFormat::SamplesJson => samples::json::write(run, trials, options.side, out)?,
            ExportFormat::SamplesCsv => samples::csv::write(run, trials, options.side, out)?,
            ExportFormat::Parquet => samples::parquet::write(run, trials, options.side, out)?,
            ExportFormat::BencherMetric => bencher_metric::write(&summaries(side), out)?,
            ExportFormat::GithubAction => {
                return github_action::write(run, &summaries(side), side, options.better, out);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in ExportFormat::ALL {
            assert_eq!(ExportFormat::by_name(format.name()), Some(format));
        }
        assert_eq!(ExportFormat::by_name("BMF"), Some(ExportFormat::BencherMetric));
        assert_eq!(ExportFormat::by_name("yaml"), None);
    }
}
