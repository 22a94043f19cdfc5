//! The values of one configuration.

use std::cell::OnceCell;

use benchwright_stats::bootstrap::{MeanResamples, Resampling};

/// Values with the resamples that several metrics read: drawn when the first asks, and once.
#[derive(Debug)]
pub struct Sample<'a> {
    values: &'a [f64],
    resampling: Resampling,
    resampled: OnceCell<Option<MeanResamples>>,
}

impl<'a> Sample<'a> {
    /// These values; nothing is drawn yet.
    pub fn new(values: &'a [f64], resampling: Resampling) -> Self {
        Sample { values, resampling, resampled: OnceCell::new() }
    }

    /// The values.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// How resamples are drawn.
    pub fn resampling(&self) -> Resampling {
        self.resampling
    }

    /// Resamples for intervals of the mean; none where they cannot be drawn.
    pub fn resampled(&self) -> Option<&MeanResamples> {
        self.resampled.get_or_init(|| MeanResamples::draw(self.values, self.resampling)).as_ref()
    }
}
