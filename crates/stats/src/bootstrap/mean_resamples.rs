//! One set of resamples of one sample, for several intervals of its mean.

use super::Resampling;
use super::draw::resample_sums;
use super::tails::{FarTails, quantile_pair};
use crate::Interval;
use crate::reference_distribution::normal_quantile;
use crate::sample::{finite, open_share, plain_mean, squared_deviations};

/// First guess for the ends of an interval, as a share of their distance for a normal distribution. If it is
/// smaller, there are more values to select from. If it is larger, there may be too few values, and all must
/// be examined again.
const GUESS: f64 = 0.8;

/// Sums over every resample of a sample, drawn once. Its intervals share their Monte Carlo error, but each by
/// itself is as good as one with separate resamples.
#[derive(Debug, Clone)]
pub struct MeanResamples {
    n: f64,
    mean: f64,
    /// Sum of squared deviations of the sample from its mean.
    squares: f64,
    /// For each resample the sums of deviations from the sample's mean and of their squares. Deviations are
    /// used because they do not cancel.
    sums: Vec<[f64; 2]>,
}

impl MeanResamples {
    /// Draws the resamples. `None` for n = 0, a value that is not finite, or fewer than 2 resamples. O(n resamples).
    pub fn draw(values: &[f64], resampling: Resampling) -> Option<Self> {
        finite(values)?;
        if values.is_empty() || values.len() >= u32::MAX as usize || resampling.resamples < 2 {
            return None;
        }
        let mean = plain_mean(values);
        let rows: Vec<[f64; 2]> = values.iter().map(|value| [value - mean, (value - mean).powi(2)]).collect();
        Some(MeanResamples {
            n: values.len() as f64,
            mean,
            squares: squared_deviations(values, mean),
            sums: resample_sums(&rows, resampling),
        })
    }

    /// Where does the mean lie? As [`super::mean::percentile`].
    pub fn percentile(&self, confidence: f64) -> Option<Interval> {
        open_share(confidence)?;
        let tail = (1.0 - confidence) / 2.0;
        // The variance of a sum of n draws is n times that of one draw, which is one n-th of the squares.
        let reach = GUESS * normal_quantile(1.0 - tail) * self.squares.sqrt();
        let mut tails = FarTails::beyond(reach);
        self.sums.iter().for_each(|[sum, _]| tails.take(*sum));
        let ends = tails.quantiles(tail, 1.0 - tail).unwrap_or_else(|| {
            let mut sums: Vec<f64> = self.sums.iter().map(|[sum, _]| *sum).collect();
            quantile_pair(&mut sums, tail, 1.0 - tail)
        });
        Some(Interval { lo: self.mean + ends.lo / self.n, hi: self.mean + ends.hi / self.n })
    }

    /// Where does the mean lie, if its uncertainty varies from resample to resample? As [`super::mean::studentised`].
    pub fn studentised(&self, confidence: f64) -> Option<Interval> {
        if self.squares <= 0.0 {
            return None;
        }
        self.studentised_by(confidence, &|_| None)
    }

    /// As [`super::mean::studentised_with_floor`].
    pub fn studentised_with_floor(&self, confidence: f64, floor: f64) -> Option<Interval> {
        self.studentised_by(confidence, &|sum| {
            let ratio = sum / self.n / (floor / self.n.sqrt());
            Some(if ratio.is_finite() { ratio } else { 0.0 })
        })
    }

    /// `without_spread` computes t* of a resample of equal values from its sum. `None` leaves the resample
    /// out.
    fn studentised_by(
        &self,
        confidence: f64,
        without_spread: &dyn Fn(f64) -> Option<f64>,
    ) -> Option<Interval> {
        open_share(confidence)?;
        if self.n < 2.0 {
            return None;
        }
        let tail = (1.0 - confidence) / 2.0;
        let reach = GUESS * normal_quantile(1.0 - tail);
        let mut tails = FarTails::beyond(reach);
        // Compares |t*| with `reach` without a root or a division, so t* is only computed for the few values
        // beyond it.
        let factor = reach * reach * self.n / (self.n - 1.0);
        for &[sum, square] in &self.sums {
            let within = square - sum * sum / self.n;
            if !self.has_spread(within, square) {
                without_spread(sum).into_iter().for_each(|ratio| tails.take(ratio));
            } else if sum * sum > factor * within {
                tails.take(self.ratio(sum, within));
            } else {
                tails.take_inner();
            }
        }
        if tails.count() < 2 {
            return None;
        }
        let t = tails.quantiles(tail, 1.0 - tail).unwrap_or_else(|| {
            let ratio = |&[sum, square]: &[f64; 2]| {
                let within = square - sum * sum / self.n;
                if self.has_spread(within, square) {
                    Some(self.ratio(sum, within))
                } else {
                    without_spread(sum)
                }
            };
            let mut ratios: Vec<f64> = self.sums.iter().filter_map(ratio).collect();
            quantile_pair(&mut ratios, tail, 1.0 - tail)
        });
        let se = (self.squares / (self.n - 1.0) / self.n).sqrt();
        Some(Interval { lo: self.mean - t.hi * se, hi: self.mean - t.lo * se })
    }

    /// Smaller differences are rounding errors of equal values.
    fn has_spread(&self, within: f64, square: f64) -> bool {
        within > 1e-12 * square * (self.n - 1.0) / self.n
    }

    fn ratio(&self, sum: f64, within: f64) -> f64 {
        sum / self.n / (within / (self.n - 1.0) / self.n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::statistic;
    use super::*;

    const DRAWS: Resampling = Resampling { resamples: 10_000, seed: 4 };

    fn samples() -> Vec<Vec<f64>> {
        let spread = |n: usize, power: i32| -> Vec<f64> {
            (0..n).map(|i| 100.0 + (((i * 31) % 47) as f64 / 10.0).powi(power)).collect()
        };
        let mut all: Vec<Vec<f64>> = [3, 4, 5, 6, 9, 15, 75, 130].iter().map(|n| spread(*n, 1)).collect();
        // Skewed, so that one tail is short.
        all.extend([4, 10, 75].iter().map(|n| spread(*n, 6)));
        all
    }

    /// All t* of the resamples, by the definition.
    fn ratios(resampled: &MeanResamples) -> Vec<f64> {
        let n = resampled.n;
        let ratio = |&[sum, square]: &[f64; 2]| {
            let variance = (square - sum * sum / n) / (n - 1.0);
            (variance > 1e-12 * square / n).then(|| sum / n / (variance / n).sqrt())
        };
        resampled.sums.iter().filter_map(ratio).collect()
    }

    #[test]
    fn looking_at_the_tails_alone_gives_the_same_ends() {
        for values in samples() {
            let resampled = MeanResamples::draw(&values, DRAWS).expect("defined");
            let mut sums: Vec<f64> = resampled.sums.iter().map(|[sum, _]| *sum).collect();
            for confidence in [0.5, 0.9, 0.99, 0.9999] {
                let tail = (1.0 - confidence) / 2.0;
                let ends = quantile_pair(&mut sums, tail, 1.0 - tail);
                let found = resampled.percentile(confidence).expect("defined");
                assert_eq!(found.lo, resampled.mean + ends.lo / resampled.n, "n {}", values.len());
                assert_eq!(found.hi, resampled.mean + ends.hi / resampled.n, "n {}", values.len());

                let t = quantile_pair(&mut ratios(&resampled), tail, 1.0 - tail);
                let se = (resampled.squares / (resampled.n - 1.0) / resampled.n).sqrt();
                let found = resampled.studentised(confidence).expect("defined");
                assert!((found.lo - (resampled.mean - t.hi * se)).abs() < 1e-9, "n {}", values.len());
                assert!((found.hi - (resampled.mean - t.lo * se)).abs() < 1e-9, "n {}", values.len());
            }
        }
    }

    #[test]
    fn agrees_with_any_statistic_that_is_the_mean() {
        let values = &samples()[6];
        let own = statistic::percentile(values, 0.9, DRAWS, |sample| plain_mean(sample)).expect("defined");
        let found =
            MeanResamples::draw(values, DRAWS).and_then(|drawn| drawn.percentile(0.9)).expect("defined");
        assert!((found.lo - own.lo).abs() < 0.02 && (found.hi - own.hi).abs() < 0.02, "{found:?} {own:?}");
    }

    #[test]
    fn edges() {
        assert!(MeanResamples::draw(&[], DRAWS).is_none());
        assert!(MeanResamples::draw(&[f64::NAN], DRAWS).is_none());
        assert!(MeanResamples::draw(&[1.0], Resampling { resamples: 1, seed: 0 }).is_none());
        let equal = MeanResamples::draw(&[3.0; 8], DRAWS).expect("defined");
        let point = Some(Interval { lo: 3.0, hi: 3.0 });
        assert_eq!(equal.percentile(0.95), point);
        assert_eq!(equal.studentised(0.95), None);
        assert_eq!(equal.studentised_with_floor(0.95, 1e-6), point);
        assert_eq!(equal.percentile(1.0), None);
        let single = MeanResamples::draw(&[3.0], DRAWS).expect("defined");
        assert_eq!((single.percentile(0.95), single.studentised_with_floor(0.95, 1e-6)), (point, None));
    }
}
