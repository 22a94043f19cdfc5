//! Summary numbers of times, with the names that pytest-benchmark and hyperfine use.

use benchwright_model::Metric;

use super::json::{Json, Step};
use crate::ImportedSummary;

/// Summary numbers, in seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Statistics {
    mean: Option<f64>,
    median: Option<f64>,
    deviation: Option<f64>,
    least: Option<f64>,
    greatest: Option<f64>,
}

impl Statistics {
    /// Reads the member called `name`, or skips it if it is not one of these.
    pub(crate) fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        let number = match name {
            "mean" => &mut self.mean,
            "median" => &mut self.median,
            "stddev" => &mut self.deviation,
            "min" => &mut self.least,
            "max" => &mut self.greatest,
            _ => return json.skip(),
        };
        *number = json.number()?;
        Ok(())
    }

    /// The summary of a time. `None` without mean and median.
    pub(crate) fn summary(&self) -> Option<ImportedSummary> {
        Some(ImportedSummary {
            mean: self.mean,
            median: self.median,
            standard_deviation: self.deviation,
            least: self.least,
            greatest: self.greatest,
            ..ImportedSummary::new(Metric::time(), self.mean.or(self.median)?)
        })
    }
}
