//! Measures which differences the machine cannot show at this moment.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// How much the time of a fixed computation varies in one process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// How often it was timed.
    pub samples: u32,
    /// Median time, nanoseconds.
    pub median_ns: f64,
    /// Spread as a ratio: 1.4826 x median absolute deviation / median.
    pub spread: f64,
    /// The slowest sample over the median.
    pub worst: f64,
    /// Share of samples more than a tenth above the median, in which something else ran.
    pub interrupted: f64,
    /// The range of the medians of ten equal parts of the samples, as a ratio. Two measurements of the same
    /// code differ by up to this much here, so smaller differences cannot be distinguished in one process.
    pub floor: f64,
    /// The typical difference of two successive stretches of ten samples, as a ratio: 1.4826 x median
    /// absolute logarithm of their quotient. Drift over seconds, which the halves of a duet share, counts
    /// less here than in the floor.
    pub between_neighbours: f64,
}

/// Number of parts that the samples are divided into.
const PARTS: usize = 10;

/// Fewest samples in a part.
const FEWEST: usize = 5;

/// About a millisecond: longer than a timer interrupt and shorter than a time slice, so that both are
/// visible.
const SAMPLE_TIME: Duration = Duration::from_millis(1);

/// Times the computation for `duration`, or until `is_interrupted` returns true. `None` if that was too short
/// for fifty samples.
pub fn noise_floor(duration: Duration, mut is_interrupted: impl FnMut() -> bool) -> Option<NoiseFloor> {
    let rounds = rounds_per_sample();
    let start = Instant::now();
    let mut samples = Vec::new();
    while start.elapsed() < duration && !is_interrupted() {
        let before = Instant::now();
        black_box(spin(black_box(rounds)));
        samples.push(before.elapsed().as_nanos() as f64);
    }
    NoiseFloor::of(&samples)
}

impl NoiseFloor {
    /// The noise of these samples, in nanoseconds and in order. `None` for fewer than fifty, or if their
    /// median is zero.
    fn of(samples: &[f64]) -> Option<Self> {
        if samples.len() < PARTS * FEWEST {
            return None;
        }
        let centre = median(samples);
        let deviations: Vec<f64> = samples.iter().map(|sample| (sample - centre).abs()).collect();
        let parts: Vec<f64> = samples.chunks_exact(samples.len() / PARTS).map(median).collect();
        let largest = |numbers: &[f64]| numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let smallest = |numbers: &[f64]| numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let late = samples.iter().filter(|sample| **sample > 1.1 * centre).count();
        (centre > 0.0).then(|| NoiseFloor {
            samples: samples.len() as u32,
            median_ns: centre,
            spread: 1.4826 * median(&deviations) / centre,
            worst: largest(samples) / centre,
            interrupted: late as f64 / samples.len() as f64,
            floor: (largest(&parts) - smallest(&parts)) / centre,
            between_neighbours: between_neighbours(samples),
        })
    }

    /// The sentence for people.
    pub fn describe(&self) -> String {
        format!(
            "differences below about {} cannot be distinguished here in one process",
            percentage(self.floor.max(self.spread / (self.samples as f64).sqrt()))
        )
    }
}

fn between_neighbours(samples: &[f64]) -> f64 {
    /// About as many as in an iteration of a benchmark.
    const STRETCH: usize = 10;
    let stretches: Vec<f64> = samples.chunks_exact(STRETCH).map(|stretch| stretch.iter().sum()).collect();
    let logs: Vec<f64> = stretches.windows(2).map(|pair| (pair[1] / pair[0]).ln().abs()).collect();
    1.4826 * median(&logs)
}

/// Two significant digits, never zero.
fn percentage(ratio: f64) -> String {
    match ratio * 100.0 {
        small if small < 0.01 => "0.01 %".into(),
        small if small < 1.0 => format!("{small:.2} %"),
        middle if middle < 10.0 => format!("{middle:.1} %"),
        large => format!("{large:.0} %"),
    }
}

/// The median. For an even number of values it is the mean of the two middle ones. Not for empty slices.
fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}

/// The number of rounds that take about a sample's time. It is doubled until the fastest of some trials takes
/// long enough.
fn rounds_per_sample() -> u64 {
    const MOST: u64 = 1 << 40;
    let fastest = |rounds: u64| {
        let time = |_| {
            let before = Instant::now();
            black_box(spin(black_box(rounds)));
            before.elapsed()
        };
        (0..3).map(time).min().unwrap_or_default()
    };
    let mut rounds = 1024;
    while rounds < MOST && fastest(rounds) < SAMPLE_TIME {
        rounds *= 2;
    }
    rounds
}

/// A computation in registers: no memory, no branches to predict, and each round depends on the previous one.
#[inline(never)]
fn spin(rounds: u64) -> u64 {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_samples_have_no_floor() {
        let floor = NoiseFloor::of(&[100.0; 60]).expect("enough samples");
        let expected = NoiseFloor {
            samples: 60,
            median_ns: 100.0,
            spread: 0.0,
            worst: 1.0,
            interrupted: 0.0,
            floor: 0.0,
            between_neighbours: 0.0,
        };
        assert_eq!(floor, expected);
        assert_eq!(
            floor.describe(),
            "differences below about 0.01 % cannot be distinguished here in one process"
        );
    }

    #[test]
    fn a_drift_is_a_floor_and_a_spike_is_not() {
        // Ten parts of ten with medians 100, 101, ... 109: the floor is 9 divided by the median 104.5.
        let drifting: Vec<f64> = (0..100).map(|i| 100.0 + f64::from(i / 10)).collect();
        let floor = NoiseFloor::of(&drifting).expect("enough samples");
        assert_eq!((floor.median_ns, floor.floor), (104.5, 9.0 / 104.5));
        let mut spiked = [100.0; 100];
        spiked[40] = 500.0;
        let floor = NoiseFloor::of(&spiked).expect("enough samples");
        assert_eq!((floor.floor, floor.worst, floor.interrupted), (0.0, 5.0, 0.01));
    }

    #[test]
    fn neighbours_share_a_drift_but_not_a_disturbance() {
        let drifting: Vec<f64> = (0..1000).map(|i| 100.0 + f64::from(i) / 100.0).collect();
        let floor = NoiseFloor::of(&drifting).expect("enough samples");
        assert!(floor.floor > 0.08 && floor.between_neighbours < 0.002, "{floor:?}");
        // Work of another process takes ten of thirty samples.
        let shared: Vec<f64> = (0..1000).map(|i| if i % 30 < 10 { 200.0 } else { 100.0 }).collect();
        let floor = NoiseFloor::of(&shared).expect("enough samples");
        assert!(floor.floor == 0.0 && floor.between_neighbours > 0.5, "{floor:?}");
    }

    #[test]
    fn too_few_samples_say_nothing() {
        assert_eq!(NoiseFloor::of(&[1.0; 49]), None);
        assert_eq!(NoiseFloor::of(&[0.0; 50]), None);
        assert_eq!(noise_floor(Duration::from_secs(3600), || true), None);
    }

    #[test]
    fn a_real_measurement_has_a_time() {
        let floor = noise_floor(Duration::from_millis(400), || false);
        assert!(floor.is_none_or(|floor| floor.median_ns > 0.0 && floor.worst >= 1.0));
    }

    #[test]
    fn percentages_keep_two_digits() {
        let check = |ratio: f64, expected: &str| assert_eq!(percentage(ratio), expected);
        check(0.0, "0.01 %");
        check(0.00123, "0.12 %");
        check(0.0123, "1.2 %");
        check(0.123, "12 %");
    }
}
