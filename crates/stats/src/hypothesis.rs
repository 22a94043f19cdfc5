//! The direction of a test.

/// The departure from the null hypothesis that a test looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alternative {
    /// The first sample (or the sample against zero) differs in either direction.
    TwoSided,
    /// The first sample (or the sample against zero) tends to be smaller.
    Less,
    /// The first sample (or the sample against zero) tends to be larger.
    Greater,
}

impl Alternative {
    /// The p-value from the two tail probabilities `P(T <= t)` and `P(T >= t)` of the observed statistic.
    /// Two-sided it is twice the smaller tail, at most 1.
    pub(crate) fn p_value(self, lower_tail: f64, upper_tail: f64) -> f64 {
        match self {
            Alternative::TwoSided => (2.0 * lower_tail.min(upper_tail)).min(1.0),
            Alternative::Less => lower_tail.min(1.0),
            Alternative::Greater => upper_tail.min(1.0),
        }
    }
}
