//! The width of the median's percentile interval.

use benchwright_stats::bootstrap::median;
use benchwright_stats::{Interval, dispersion};

use super::{Average, CONFIDENCE, Mode, Sample, Stability, least_width, relative_width};

/// Width of the median's percentile bootstrap interval over the median. The prototype uses the width of the
/// *mean's* interval over the median, but still reports the median's.
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

    fn instability_of(&self, sample: &Sample<'_>, mode: Mode) -> Option<f64> {
        let interval = match mode {
            Mode::Paper => self.interval_of(sample, mode)?,
            Mode::Prototype => sample.resampled()?.percentile(CONFIDENCE)?,
        };
        relative_width(interval, dispersion::median(sample.values())?)
    }

    fn is_random(&self, mode: Mode) -> bool {
        mode == Mode::Prototype
    }

    fn least_instability(&self, sample: &Sample<'_>, mode: Mode) -> f64 {
        match mode {
            Mode::Paper => 0.0,
            Mode::Prototype => least_width(sample, dispersion::median(sample.values())),
        }
    }

    fn interval_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<Interval> {
        median::percentile(sample.values(), CONFIDENCE)
    }
}
