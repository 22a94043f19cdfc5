//! The names of all formats in which results are exported for other programs.

use std::io::{self, Write};

use benchwright_model::{Direction, Run, Side, Trial};

use crate::summary::MetricSummary;
use crate::{bencher_metric, github_action, samples};

/// An export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// Every sample with its place, one JSON document.
    SamplesJson,
    /// Every sample with its place, one row each.
    SamplesCsv,
    /// The same rows as columns, for data frames.
    Parquet,
    /// Bencher Metric Format.
    BencherMetric,
    /// The custom format of github-action-benchmark.
    GithubAction,
}

/// The part of a run to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportOptions {
    /// Export only this side. `None` exports samples of both sides, and summaries of head.
    pub side: Option<Side>,
    /// The direction of a github-action-benchmark file, which has only one.
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

    /// The format called `name`, if it exists.
    pub fn by_name(name: &str) -> Option<ExportFormat> {
        let lower = name.to_ascii_lowercase();
        ExportFormat::ALL.into_iter().find(|format| format.name() == lower)
    }

    /// Whether it is binary, and must not be written to a terminal.
    pub fn is_binary(self) -> bool {
        self == ExportFormat::Parquet
    }

    /// Writes the run. Formats with one number per metric get them from `summaries` for a side. Returns how
    /// many metrics were left out because the format does not support their direction.
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
