//! The width of the mean's studentised interval.

use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Sample, Stability, least_width, relative_width};

/// Width of the mean's studentised bootstrap interval over the mean.
pub(super) struct Rciw2;

/// The spread that the prototype assumes for a resample without any, in nanoseconds.
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

    fn instability_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<f64> {
        relative_width(self.interval_of(sample, mode)?, dispersion::mean(sample.values())?)
    }

    fn is_random(&self, _mode: Mode) -> bool {
        true
    }

    fn least_instability(&self, sample: &Sample<'_>, _mode: Mode) -> f64 {
        // The spread of a resample is correlated with its mean, which only widens the interval. But most
        // resamples of three or four values have no spread, and the result of the others can be anything.
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
