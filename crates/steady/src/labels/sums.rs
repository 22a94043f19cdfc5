//! The cost of a segment.

use super::extended::ExtendedSum;

/// The cost of a segment without variance, where a normal distribution has no likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ZeroVariance {
    /// The standard deviation is at least a ten thousandth of the mean, because no clock is more precise. The
    /// unit does not matter.
    Relative,
    /// A variance that is not above 0, for example due to rounding, counts as 10⁻¹¹ in squared seconds, as in
    /// R's package `changepoint`. A quiet segment of a fast benchmark then has a high cost.
    Published,
}

/// The relative standard deviation that [`ZeroVariance::Relative`] adds to every segment.
const FLOOR: f64 = 1e-4;

/// How far above the rounding error of the squares a variance must be.
const CLEAR: f64 = 400.0 * f64::EPSILON;

/// Number of values in the windows that are used to check a whole series.
const WINDOW: usize = 8;

/// Replaces a variance that is not above 0.
const REPLACEMENT: f64 = 1e-11;

/// Prefix sums of a series and of its squares.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
    /// Added to every variance.
    floor: f64,
    is_published: bool,
    /// Whether the variance of every segment of at least two windows is far above rounding errors.
    is_clear_throughout: bool,
}

impl Sums {
    /// Of finite values.
    pub(super) fn new(values: &[f64], zero: ZeroVariance) -> Self {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let mut sums = match zero {
            ZeroVariance::Published => Sums {
                values: prefix(values.iter().copied()),
                squares: prefix(values.iter().map(|value| value * value)),
                floor: 0.0,
                is_published: true,
                is_clear_throughout: false,
            },
            ZeroVariance::Relative => Sums {
                // Relative to the mean, so that squares do not cancel.
                values: plain_prefix(values.iter().map(|value| value - mean)),
                squares: plain_prefix(values.iter().map(|value| (value - mean).powi(2))),
                floor: (FLOOR * mean).powi(2).max(f64::MIN_POSITIVE),
                is_published: false,
                is_clear_throughout: false,
            },
        };
        let starts = (0..values.len().saturating_sub(WINDOW - 1)).step_by(WINDOW);
        let total = sums.squares.last().copied().unwrap_or(0.0);
        // A longer segment consists of windows for at least half of its values, and its variance is at least
        // the mean of theirs.
        sums.is_clear_throughout =
            starts.into_iter().all(|start| sums.variance(start, start + WINDOW) > 4.0 * CLEAR * total);
        sums
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.values.len() - 1
    }

    /// Twice the negative log-likelihood of the values `from..to` under their own normal distribution, n (ln
    /// 2π + ln σ² + 1) with n in the variance's denominator. The order of operations is the same as for the
    /// published labels.
    #[inline]
    pub(super) fn cost(&self, from: usize, to: usize) -> f64 {
        cost_of((to - from) as f64, self.usable(self.variance(from, to)))
    }

    /// Whether the variance is so far above its rounding error that the error of the cost is less than a
    /// hundredth.
    #[inline]
    pub(super) fn is_clear(&self, from: usize, to: usize) -> bool {
        let is_long = to - from >= 4 * WINDOW;
        (is_long && self.is_clear_throughout) || self.variance(from, to) > CLEAR * self.squares[to]
    }

    #[inline]
    fn variance(&self, from: usize, to: usize) -> f64 {
        let n = (to - from) as f64;
        let sum = self.values[to] - self.values[from];
        let squares = self.squares[to] - self.squares[from];
        (squares - (sum * sum) / n) / n + self.floor
    }

    #[inline]
    fn usable(&self, variance: f64) -> f64 {
        if variance > 0.0 {
            variance
        } else if self.is_published {
            REPLACEMENT
        } else {
            self.floor
        }
    }
}

#[inline]
fn cost_of(n: f64, variance: f64) -> f64 {
    const LN_TWO_PI: f64 = 1.837_877_066_409_345_3;
    n * (LN_TWO_PI + variance.ln() + 1.0)
}

fn prefix(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = ExtendedSum::default();
    let sums = values.map(|value| {
        sum.add(value);
        sum.value()
    });
    std::iter::once(0.0).chain(sums).collect()
}

fn plain_prefix(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_costs_what_its_likelihood_says() {
        // 1, 2, 3, 4: variance 1.25; 4 (ln 2π + ln 1.25 + 1).
        let expected = 4.0 * ((2.0 * std::f64::consts::PI).ln() + 1.25_f64.ln() + 1.0);
        let values = [9.0, 1.0, 2.0, 3.0, 4.0, 9.0];
        let published = Sums::new(&values, ZeroVariance::Published).cost(1, 5);
        assert!((published - expected).abs() < 1e-12, "{published}");
        let relative = Sums::new(&values, ZeroVariance::Relative).cost(1, 5);
        assert!((relative - expected).abs() < 1e-5, "{relative}");
    }

    #[test]
    fn equal_values_cost_the_floor() {
        let seconds = Sums::new(&[2.0; 10], ZeroVariance::Published);
        assert_eq!(seconds.cost(0, 4), cost_of(4.0, 1e-11));
        assert!(!seconds.is_clear(0, 4));
        let relative = Sums::new(&[2.0; 10], ZeroVariance::Relative);
        assert!((relative.cost(0, 4) - cost_of(4.0, 4e-8)).abs() < 1e-9);
        assert!(relative.is_clear(0, 4));
    }

    #[test]
    fn the_unit_changes_all_segments_alike() {
        let values: Vec<f64> = (0..50).map(|i| 3.0 + f64::from((i * 37) % 11)).collect();
        let nanos: Vec<f64> = values.iter().map(|value| value * 1e-9).collect();
        let (large, small) =
            (Sums::new(&values, ZeroVariance::Relative), Sums::new(&nanos, ZeroVariance::Relative));
        let shift =
            |from: usize, to: usize| (large.cost(from, to) - small.cost(from, to)) / (to - from) as f64;
        assert!((shift(0, 10) - shift(10, 50)).abs() < 1e-9);
    }
}
