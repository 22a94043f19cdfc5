//! The values of one configuration.

use std::cell::OnceCell;

use benchwright_stats::bootstrap::{MeanResamples, Resampling};

/// Values with resamples that several metrics share. They are drawn once, when first needed.
#[derive(Debug)]
pub struct Sample<'a> {
    values: &'a [f64],
    resampling: Resampling,
    resampled: OnceCell<Option<MeanResamples>>,
}

impl<'a> Sample<'a> {
    /// A sample of these values. Nothing is drawn yet.
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

    /// Resamples for intervals of the mean. `None` if they cannot be drawn.
    pub fn resampled(&self) -> Option<&MeanResamples> {
        self.resampled.get_or_init(|| MeanResamples::draw(self.values, self.resampling)).as_ref()
    }
}
