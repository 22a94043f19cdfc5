//! The coefficient of variation.

use benchwright_stats::Interval;
use benchwright_stats::dispersion::{Divisor, coefficient_of_variation};

use super::{Average, CONFIDENCE, Mode, Sample, Stability};

/// Standard deviation over mean, the sum of squares divided by n.
pub(super) struct Cv;

impl Stability for Cv {
    fn name(&self) -> &'static str {
        "CV"
    }

    fn average(&self) -> Average {
        Average::Mean
    }

    fn instability_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<f64> {
        coefficient_of_variation(sample.values(), Divisor::Population)
    }

    fn is_random(&self, _mode: Mode) -> bool {
        false
    }

    fn interval_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<Interval> {
        sample.resampled()?.percentile(CONFIDENCE)
    }
}
