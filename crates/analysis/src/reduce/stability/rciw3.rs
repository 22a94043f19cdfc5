//! The width of the median's percentile interval.

use benchwright_stats::bootstrap::{Resampling, mean, median};
use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Stability, relative_width};

/// Width of the median's percentile bootstrap interval over the median. The prototype takes the *mean's* interval over the
/// median, and still reports the median's.
pub(super) struct Rciw3;

impl Stability for Rciw3 {
    fn name(&self) -> &'static str {
        "RCIW3"
    }

    fn average(&self) -> Average {
        Average::Median
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn instability(&self, values: &[f64], mode: Mode, resampling: Resampling) -> Option<f64> {
        let interval = match mode {
            Mode::Paper => self.interval(values, mode, resampling)?,
            Mode::Prototype => mean::percentile(values, CONFIDENCE, resampling)?,
        };
        relative_width(interval, dispersion::median(values)?)
    }

    fn interval(&self, values: &[f64], _mode: Mode, _resampling: Resampling) -> Option<Interval> {
        median::percentile(values, CONFIDENCE)
    }
}
