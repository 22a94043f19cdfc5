//! The width of the mean's studentised interval.

use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Sample, Stability, least_width, relative_width};

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

    fn instability_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<f64> {
        relative_width(self.interval_of(sample, mode)?, dispersion::mean(sample.values())?)
    }

    fn is_random(&self, _mode: Mode) -> bool {
        true
    }

    fn least_instability(&self, sample: &Sample<'_>, _mode: Mode) -> f64 {
        // The spread of a resample goes with its mean, which only widens the interval; but of three or four values most resamples
        // have none, and what is left can be anything.
        match sample.values().len() {
            0..5 => 0.0,
            _ => least_width(sample, dispersion::mean(sample.values())),
        }
    }

    fn interval_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<Interval> {
        match mode {
            Mode::Paper => sample.resampled()?.studentised(CONFIDENCE),
            Mode::Prototype => sample.resampled()?.studentised_with_floor(CONFIDENCE, NO_SPREAD),
        }
    }
}
