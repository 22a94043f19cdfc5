//! The coefficient of variation.

use benchwright_stats::Interval;
use benchwright_stats::bootstrap::{Resampling, mean};
use benchwright_stats::dispersion::{Divisor, coefficient_of_variation};

use super::{Average, CONFIDENCE, Mode, Stability};

/// Standard deviation over mean, the sum of squares divided by n.
pub(super) struct Cv;

impl Stability for Cv {
    fn name(&self) -> &'static str {
        "CV"
    }

    fn average(&self) -> Average {
        Average::Mean
    }

    fn instability(&self, values: &[f64], _mode: Mode, _resampling: Resampling) -> Option<f64> {
        coefficient_of_variation(values, Divisor::Population)
    }

    fn interval(&self, values: &[f64], _mode: Mode, resampling: Resampling) -> Option<Interval> {
        mean::percentile(values, CONFIDENCE, resampling)
    }
}
