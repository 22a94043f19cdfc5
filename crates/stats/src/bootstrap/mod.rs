//! Intervals from resampling: draw n values with replacement many times and compute how the estimate varies.
//!
//! All methods assume independent values, and all intervals are too narrow for small samples: with nominal 5
//! % the percentile interval of the mean misses 16-19 % of the time at n = 5 and 11-13 % at n = 10. Do not
//! base decisions on them below n = 20.
//!
//! - [`mean`]: the mean, by resampling with a table of pair sums; [`MeanResamples`] for several intervals
//!   from the same draws.
//! - [`median`]: the median, exactly and without resampling if the distribution has a closed form.
//! - [`ratio`]: the ratio of two means.
//! - [`statistic`]: any function of the sample.
//! - [`SharedResamples`]: one set of resamples applied to many samples of the same size.
//!
//! Efron & Tibshirani 1993 (An Introduction to the Bootstrap); Efron 1987, BCa (JASA 82); Hall 1988,
//! studentised (Ann. Stat. 16).

mod draw;
pub mod mean;
mod mean_resamples;
pub mod median;
mod median_distribution;
pub mod ratio;
mod shared;
pub mod statistic;
mod tails;

use crate::Interval;
use crate::sample::{finite, open_share};

pub use mean_resamples::MeanResamples;
pub use median_distribution::MedianDistribution;
pub use shared::SharedResamples;

/// How many resamples are drawn, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Resampling {
    /// Number of resamples, at least 2.
    pub resamples: usize,
    /// Seed of the generator. Equal seeds give the same bits on every machine.
    pub seed: u64,
}

/// The middle part of estimates over resamples that the caller drew: their quantiles (1 ∓ confidence) / 2,
/// interpolated linearly. Reorders them. `None` for no estimates, one that is not finite, or `confidence`
/// outside (0, 1).
pub fn middle_part(estimates: &mut [f64], confidence: f64) -> Option<Interval> {
    finite(estimates)?;
    open_share(confidence)?;
    let tail = (1.0 - confidence) / 2.0;
    (!estimates.is_empty()).then(|| tails::quantile_pair(estimates, tail, 1.0 - tail))
}
