//! The width of the mean's studentised interval.

use benchwright_stats::bootstrap::{Resampling, mean};
use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Stability, relative_width};

/// Width of the mean's studentised bootstrap interval over the mean.
pub(super) struct Rciw2;

/// What the prototype takes for the spread of a resample without any, in nanoseconds.
const NO_SPREAD: f64 = 1e-6;

impl Stability for Rciw2 {
    fn name(&self) -> &'static str {
        "RCIW2"
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

    fn interval(&self, values: &[f64], mode: Mode, resampling: Resampling) -> Option<Interval> {
        match mode {
            Mode::Paper => mean::studentised(values, CONFIDENCE, resampling),
            Mode::Prototype => mean::studentised_with_floor(values, CONFIDENCE, resampling, NO_SPREAD),
        }
    }
}
