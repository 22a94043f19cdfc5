//! Checks and orderings that all statistics use first.

/// `Some` if every value is finite. This is the single place for the crate's policy on NaN and infinity.
pub(crate) fn finite(values: &[f64]) -> Option<()> {
    values.iter().all(|value| value.is_finite()).then_some(())
}

/// `Some(value)` for a confidence or level strictly between 0 and 1.
pub(crate) fn open_share(value: f64) -> Option<f64> {
    (value > 0.0 && value < 1.0).then_some(value)
}

/// An ascending copy.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_unstable_by(f64::total_cmp);
    copy
}

/// Arithmetic mean of a non-empty slice.
pub(crate) fn plain_mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sum of squared deviations from `centre`.
pub(crate) fn squared_deviations(values: &[f64], centre: f64) -> f64 {
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

/// Median of a non-empty ascending slice.
pub(crate) fn sorted_median(ascending: &[f64]) -> f64 {
    let n = ascending.len();
    let upper = ascending[n / 2];
    if n % 2 == 1 { upper } else { midpoint(ascending[n / 2 - 1], upper) }
}

/// Halves before adding, so that the sum of two large values cannot overflow.
pub(crate) fn midpoint(a: f64, b: f64) -> f64 {
    a * 0.5 + b * 0.5
}

/// Median of a non-empty slice in linear time. Reorders the slice.
pub(crate) fn median_in_place(values: &mut [f64]) -> f64 {
    let n = values.len();
    let (below, middle, _) = values.select_nth_unstable_by(n / 2, f64::total_cmp);
    if n % 2 == 1 {
        return *middle;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    midpoint(lower, *middle)
}
