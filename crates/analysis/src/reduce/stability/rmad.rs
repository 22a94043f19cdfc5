//! The relative median absolute deviation.

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::{Resampling, median};
use benchwright_stats::dispersion::{self, median_absolute_deviation};

use super::{Average, CONFIDENCE, Mode, Stability};

/// Median absolute deviation over median, without the factor that makes it a standard deviation.
pub(super) struct Rmad;

impl Stability for Rmad {
    fn name(&self) -> &'static str {
        "RMAD"
    }

    fn average(&self) -> Average {
        Average::Median
    }

    fn instability(&self, values: &[f64], _mode: Mode, _resampling: Resampling) -> Option<f64> {
        let ratio = median_absolute_deviation(values)? / dispersion::median(values)?;
        ratio.is_finite().then_some(ratio)
    }

    fn interval(&self, values: &[f64], _mode: Mode, _resampling: Resampling) -> Option<Interval> {
        median::percentile(values, CONFIDENCE)
    }
}
