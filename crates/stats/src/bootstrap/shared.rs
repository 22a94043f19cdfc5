//! One set of resamples for many samples.

use super::Resampling;
use super::draw::for_each_resample;
use super::tails::quantile_pair;
use crate::Interval;
use crate::sample::{finite, open_share, plain_mean};

/// Number of samples that are summed at once. Their values at one position fill a cache line.
const GROUP: usize = 8;

/// The positions of which each resample consists, drawn once and applied to any number of samples of n
/// values.
///
/// The intervals of different samples then share their Monte Carlo error, but each by itself is as good as
/// one with separate resamples. Memory: 4 bytes per position and resample, 3 MB for 75 positions and 10,000
/// resamples.
#[derive(Debug, Clone)]
pub struct SharedResamples {
    n: usize,
    /// The positions of the first resample, then those of the second, ...
    positions: Vec<u32>,
}

impl SharedResamples {
    /// Draws the resamples. `None` for n = 0, n >= 2^32 or fewer than 2 resamples. O(n resamples).
    pub fn draw(n: usize, resampling: Resampling) -> Option<Self> {
        if n == 0 || u32::try_from(n).is_err() || resampling.resamples < 2 {
            return None;
        }
        let mut positions = Vec::with_capacity(n.checked_mul(resampling.resamples)?);
        for_each_resample(n, resampling, |resample| positions.extend_from_slice(resample));
        Some(SharedResamples { n, positions })
    }

    /// The size of the samples these resamples are for.
    pub fn sample_size(&self) -> usize {
        self.n
    }

    /// Percentile bootstrap intervals of the means of many samples, with the assumptions of
    /// [`super::mean::percentile`].
    ///
    /// `None` if a sample does not have [`Self::sample_size`] finite values or `confidence` is outside (0,
    /// 1). Without samples there are no intervals. O(n resamples) per sample: one addition per draw, and
    /// several samples per instruction.
    pub fn mean_percentile<Sample: AsRef<[f64]>>(
        &self,
        samples: &[Sample],
        confidence: f64,
    ) -> Option<Vec<Interval>> {
        open_share(confidence)?;
        for sample in samples {
            finite(sample.as_ref())?;
            if sample.as_ref().len() != self.n {
                return None;
            }
        }
        let tail = (1.0 - confidence) / 2.0;
        let n = self.n as f64;
        let mut intervals = Vec::with_capacity(samples.len());
        let mut sums: [Vec<f64>; GROUP] = std::array::from_fn(|_| vec![0.0; self.positions.len() / self.n]);
        for group in samples.chunks(GROUP) {
            self.group_sums(group, &mut sums);
            for (sample, sums) in group.iter().zip(&mut sums) {
                let centre = plain_mean(sample.as_ref());
                let ends = quantile_pair(sums, tail, 1.0 - tail);
                intervals.push(Interval { lo: centre + ends.lo / n, hi: centre + ends.hi / n });
            }
        }
        Some(intervals)
    }

    /// Sums of deviations from the mean over every resample, for up to [`GROUP`] samples.
    fn group_sums<Sample: AsRef<[f64]>>(&self, group: &[Sample], sums: &mut [Vec<f64>; GROUP]) {
        let mut rows = vec![[0.0; GROUP]; self.n];
        for (slot, sample) in group.iter().enumerate() {
            let centre = plain_mean(sample.as_ref());
            for (row, value) in rows.iter_mut().zip(sample.as_ref()) {
                row[slot] = value - centre;
            }
        }
        for (index, resample) in self.positions.chunks_exact(self.n).enumerate() {
            for (own, sum) in sums.iter_mut().zip(add_up(resample, &rows)) {
                own[index] = sum;
            }
        }
    }
}

/// Sums of the rows at the given positions. Not inlined, so that its sums stay in vector registers.
#[inline(never)]
fn add_up(positions: &[u32], rows: &[[f64; GROUP]]) -> [f64; GROUP] {
    let mut sums = [0.0; GROUP];
    for &position in positions {
        let row = &rows[position as usize];
        for slot in 0..GROUP {
            sums[slot] += row[slot];
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::mean;
    use super::*;

    const DRAWS: Resampling = Resampling { resamples: 100_001, seed: 9 };

    fn series(count: usize, n: usize) -> Vec<Vec<f64>> {
        (0..count).map(|s| (0..n).map(|i| 100.0 + ((i * (31 + 2 * s)) % 47) as f64).collect()).collect()
    }

    #[test]
    fn agrees_with_resamples_of_its_own() {
        let samples = series(7, 75);
        let shared = SharedResamples::draw(75, DRAWS).expect("defined");
        let found = shared.mean_percentile(&samples, 0.95).expect("defined");
        assert_eq!(found.len(), 7);
        for (interval, sample) in found.iter().zip(&samples) {
            let own = mean::percentile(sample, 0.95, DRAWS).expect("defined");
            assert!(
                (interval.lo - own.lo).abs() < 0.05 && (interval.hi - own.hi).abs() < 0.05,
                "{interval:?} {own:?}"
            );
        }
    }

    #[test]
    fn neighbours_do_not_change_an_interval() {
        let samples = series(6, 20);
        let shared = SharedResamples::draw(20, DRAWS).expect("defined");
        let together = shared.mean_percentile(&samples, 0.9).expect("defined");
        for (sample, expected) in samples.iter().zip(together) {
            assert_eq!(shared.mean_percentile(&[sample], 0.9), Some(vec![expected]));
        }
    }

    #[test]
    fn every_resample_has_n_draws_in_range() {
        let shared = SharedResamples::draw(13, Resampling { resamples: 50, seed: 1 }).expect("defined");
        assert_eq!(shared.positions.len(), 13 * 50);
        assert!(shared.positions.iter().all(|&position| position < 13));
    }

    #[test]
    fn edges() {
        assert!(SharedResamples::draw(0, DRAWS).is_none());
        assert!(SharedResamples::draw(5, Resampling { resamples: 1, seed: 0 }).is_none());
        let shared = SharedResamples::draw(3, DRAWS).expect("defined");
        assert_eq!(shared.sample_size(), 3);
        assert_eq!(shared.mean_percentile::<Vec<f64>>(&[], 0.9), Some(vec![]));
        assert_eq!(shared.mean_percentile(&[[1.0, 2.0]], 0.9), None);
        assert_eq!(shared.mean_percentile(&[[1.0, 2.0, f64::NAN]], 0.9), None);
        assert_eq!(shared.mean_percentile(&[[4.0; 3]], 0.9), Some(vec![Interval { lo: 4.0, hi: 4.0 }]));
    }
}
