//! The width of the mean's percentile interval.

use benchwright_stats::bootstrap::{Resampling, mean};
use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Stability, relative_width};

/// Width of the mean's percentile bootstrap interval over the mean.
pub(super) struct Rciw1;

impl Stability for Rciw1 {
    fn name(&self) -> &'static str {
        "RCIW1"
    }

    fn average(&self) -> Average {
        Average::Mean
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn instability(&self, values: &[f64], mode: Mode, resampling: Resampling) -> Option<f64> {
        relative_width(self.interval(values, mode, resampling)?, dispersion::mean(values)?)
    }

    fn interval(&self, values: &[f64], _mode: Mode, resampling: Resampling) -> Option<Interval> {
        mean::percentile(values, CONFIDENCE, resampling)
    }
}
