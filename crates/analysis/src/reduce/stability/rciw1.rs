//! The width of the mean's percentile interval.

use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Sample, Stability, least_width, relative_width};

/// Width of the mean's percentile bootstrap interval over the mean.
pub(super) struct Rciw1;

impl Stability for Rciw1 {
    fn name(&self) -> &'static str {
        "RCIW1"
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
        least_width(sample, dispersion::mean(sample.values()))
    }

    fn interval_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<Interval> {
        sample.resampled()?.percentile(CONFIDENCE)
    }
}
