//! Whether two segments differ.

use benchwright_stats::bootstrap::{Resampling, ratio};

/// How two segments are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SegmentTest {
    /// The smallest relative difference of means that counts.
    pub(super) effect: f64,
    /// Confidence of the interval.
    pub(super) confidence: f64,
    /// Resamples and their seed.
    pub(super) resampling: Resampling,
}

impl SegmentTest {
    /// Whether the whole bootstrap interval of mean(last) / mean(other) is at or beyond 1 ± effect. Positive
    /// values only.
    ///
    /// Most answers need no resampling, and most others a tenth of it: see [`SegmentTest::certain`] and
    /// [`SegmentTest::nearly_certain`].
    pub(super) fn differs(self, last: &[f64], other: &[f64]) -> bool {
        let early = self.certain(last, other).or_else(|| self.nearly_certain(last, other));
        early.unwrap_or_else(|| {
            let interval = ratio::percentile(last, other, self.confidence, self.resampling);
            interval
                .is_some_and(|interval| interval.hi <= 1.0 - self.effect || interval.lo >= 1.0 + self.effect)
        })
    }

    /// The answer, if a tenth of the resamples leaves no doubt. The interval is beyond the threshold if a
    /// share of 1 - tail of the ratios is. If all of a thousand are beyond it, or six standard deviations
    /// fewer than that share, the other nine thousand change the answer only once in 10⁹ cases.
    fn nearly_certain(self, last: &[f64], other: &[f64]) -> Option<bool> {
        let some = Resampling { resamples: self.resampling.resamples / 10, ..self.resampling };
        let ratios = ratio::resampled(last, other, some)?;
        let n = ratios.len() as f64;
        let needed = 1.0 - (1.0 - self.confidence) / 2.0;
        let doubtful = needed - 6.0 * (needed * (1.0 - needed) / n).sqrt();
        let below = ratios.iter().filter(|ratio| **ratio <= 1.0 - self.effect).count() as f64;
        let above = ratios.iter().filter(|ratio| **ratio >= 1.0 + self.effect).count() as f64;
        let share = below.max(above) / n;
        if share >= 1.0 {
            // 0.975 to the power of a thousand.
            (n * needed.ln() < -20.0).then_some(true)
        } else {
            (share < doubtful).then_some(false)
        }
    }

    /// The answer, if no resampling could change it.
    ///
    /// At most a share p of a distribution is beyond its mean plus √((1 - p) / p) standard deviations
    /// (Cantelli 1928). The mean of a resample has the sample's mean and the deviation s / √n. So with p half
    /// a tail for either mean, the ratio's quantiles are within the ratios of these ends.
    fn certain(self, last: &[f64], other: &[f64]) -> Option<bool> {
        let tail = (1.0 - self.confidence) / 4.0;
        let reach = ((1.0 - tail) / tail).sqrt();
        let (last_lo, last_hi) = ends(last, reach)?;
        let (other_lo, other_hi) = ends(other, reach)?;
        if other_lo <= 0.0 {
            return None;
        }
        let (lo, hi) = (last_lo / other_hi, last_hi / other_lo);
        if hi < 1.0 - self.effect || lo > 1.0 + self.effect {
            Some(true)
        } else if lo > 1.0 - self.effect && hi < 1.0 + self.effect {
            Some(false)
        } else {
            None
        }
    }
}

/// Mean minus and plus `reach` standard errors.
fn ends(values: &[f64], reach: f64) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
    let distance = reach * (variance / n).sqrt();
    Some((mean - distance, mean + distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: SegmentTest =
        SegmentTest { effect: 0.05, confidence: 0.95, resampling: Resampling { resamples: 10_000, seed: 1 } };

    fn sample(n: usize, level: f64, spread: f64) -> Vec<f64> {
        (0..n).map(|i| level + spread * (((i * 7919) % 101) as f64 / 50.0 - 1.0)).collect()
    }

    #[test]
    fn clear_answers_need_no_resampling() {
        let check = |last: &[f64], other: &[f64], expected: Option<bool>| {
            assert_eq!(TEST.certain(last, other), expected);
            if let Some(expected) = expected {
                assert_eq!(TEST.differs(last, other), expected);
            }
        };
        let base = sample(1000, 1.0, 0.01);
        check(&base, &sample(1000, 1.001, 0.01), Some(false));
        check(&base, &sample(1000, 1.2, 0.01), Some(true));
        check(&base, &sample(1000, 0.8, 0.01), Some(true));
        check(&base, &sample(1000, 1.0527, 0.01), None);
        check(&sample(5, 1.0, 0.5), &base, None);
    }

    #[test]
    fn five_per_cent_is_the_threshold() {
        let check = |last: f64, expected: bool| {
            assert_eq!(TEST.differs(&[last; 20], &[1.0; 20]), expected, "{last}");
        };
        check(0.949_999, true);
        check(0.9501, false);
        check(1.0499, false);
        check(1.050_001, true);
        // Uncertain means count as equal.
        assert!(!TEST.differs(&sample(6, 1.1, 0.6), &sample(1000, 1.0, 0.01)));
    }

    #[test]
    fn what_is_certain_is_what_resampling_says() {
        let mut certain = 0;
        for level in 0..60 {
            for (n, spread) in [(4, 0.02), (30, 0.1), (400, 0.3)] {
                let last = sample(500, 1.0, 0.02);
                let other = sample(n, 0.8 + 0.01 * f64::from(level), spread);
                if let Some(answer) = TEST.certain(&last, &other) {
                    certain += 1;
                    let interval = ratio::percentile(&last, &other, 0.95, TEST.resampling).expect("values");
                    let simulated = interval.hi <= 0.95 || interval.lo >= 1.05;
                    assert_eq!(answer, simulated, "{level} {n}");
                }
            }
        }
        assert!(certain > 60, "{certain}");
    }
}
