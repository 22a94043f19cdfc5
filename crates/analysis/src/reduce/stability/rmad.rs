//! The relative median absolute deviation.

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::median;
use benchwright_stats::dispersion::{self, median_absolute_deviation};

use super::{Average, CONFIDENCE, Mode, Sample, Stability};

/// Median absolute deviation over median, without the factor that makes it a standard deviation.
pub(super) struct Rmad;

impl Stability for Rmad {
    fn name(&self) -> &'static str {
        "RMAD"
    }

    fn average(&self) -> Average {
        Average::Median
    }

    fn instability_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<f64> {
        let ratio = median_absolute_deviation(sample.values())? / dispersion::median(sample.values())?;
        ratio.is_finite().then_some(ratio)
    }

    fn is_random(&self, _mode: Mode) -> bool {
        false
    }

    fn interval_of(&self, sample: &Sample<'_>, _mode: Mode) -> Option<Interval> {
        median::percentile(sample.values(), CONFIDENCE)
    }
}
