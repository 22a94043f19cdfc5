//! The formats by name.

use std::io::{self, Write};

use benchwright_model::{Direction, Finding, Run, Side, Trial};

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

    /// Writes the run, whose `findings` say which values summaries show; none of a run of one version. Returns how many metrics were left out because the format has no place for their direction.
    pub fn write(
        self,
        run: &Run,
        findings: &[Finding],
        trials: &[Trial],
        options: ExportOptions,
        out: &mut dyn Write,
    ) -> io::Result<usize> {
        let side = options.side;
        match self {
            ExportFormat::SamplesJson => super::samples_json::write(run, trials, side, out).map(|()| 0),
            ExportFormat::SamplesCsv => super::samples_csv::write(run, trials, side, out).map(|()| 0),
            ExportFormat::Parquet => super::parquet::write(run, trials, side, out).map(|()| 0),
            ExportFormat::BencherMetric => {
                super::bencher_metric::write(findings, trials, side.unwrap_or(Side::Head), out).map(|()| 0)
            }
            ExportFormat::GithubAction => {
                let side = side.unwrap_or(Side::Head);
                super::github_action::write(run, findings, trials, side, options.better, out)
            }
        }
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
