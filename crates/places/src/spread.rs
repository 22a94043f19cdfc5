//! How duets are spread over instances, and how long that takes.

use std::time::Duration;

/// The longest time that is computed with, so that sums do not overflow.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The expected cost of one benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Duets it will take.
    pub duets: f64,
    /// The time of one trial.
    pub trial: Duration,
}

/// Instances that work in parallel and get requests in waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Requests at a time.
    pub parallel: u32,
    /// Maximum number of duets in a request.
    pub repeats: u32,
    /// Waves, each sent when the one before is judged.
    pub waves: u32,
    /// Overhead of each request.
    pub per_parcel: Duration,
    /// Overhead of each wave.
    pub per_wave: Duration,
}

impl Spread {
    /// The number of requests of one benchmark and the time of each, if all benchmarks together take `duets`.
    pub fn parcels(&self, expected: &Expected, duets: f64) -> (f64, Duration) {
        let in_wave = (duets / f64::from(self.waves.max(1))).ceil();
        let size = per_parcel(in_wave as usize, self.parallel, self.repeats) as f64;
        let count = (expected.duets / size).ceil().max(1.0);
        (count, expected.trial.min(LONGEST).mul_f64(2.0 * expected.duets / count) + self.per_parcel)
    }

    /// The time from the first request to the last response. Either the instances are always busy, or each
    /// wave waits for its longest request.
    pub fn time(&self, benchmarks: &[Expected]) -> Duration {
        let duets = benchmarks.iter().map(|expected| expected.duets).sum();
        let (mut whole, mut longest) = (Duration::ZERO, Duration::ZERO);
        for expected in benchmarks {
            let (count, time) = self.parcels(expected, duets);
            whole += time.mul_f64(count);
            longest = longest.max(time);
        }
        let waves = self.waves.max(1);
        self.per_wave * waves + whole.div_f64(f64::from(self.parallel.max(1))).max(longest * waves)
    }
}

/// The number of duets in a request of a wave with this many duets: as few as keep `parallel` instances busy,
/// because those of one request are measured one after the other, and at most `most`.
pub(crate) fn per_parcel(duets: usize, parallel: u32, most: u32) -> usize {
    duets.div_ceil(parallel.max(1) as usize).clamp(1, most.max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn parcels_are_as_small_as_instances_allow() {
        let check = |duets, parallel, expected| assert_eq!(per_parcel(duets, parallel, 3), expected);
        check(0, 8, 1);
        check(8, 8, 1);
        check(9, 8, 2);
        check(24, 8, 3);
        check(1000, 8, 3);
        check(5, 0, 3);
        assert_eq!(per_parcel(1000, 8, 0), 1);
    }

    fn spread(parallel: u32) -> Spread {
        Spread { parallel, repeats: 3, waves: 2, per_parcel: Duration::ZERO, per_wave: SECOND }
    }

    #[test]
    fn few_instances_are_busy_all_the_time() {
        // 10 benchmarks of 6 duets of 2 s: 120 s of work on four instances, and one second per wave.
        let benchmarks = [Expected { duets: 6.0, trial: SECOND }; 10];
        assert_eq!(spread(4).parcels(&benchmarks[0], 60.0), (2.0, 6 * SECOND));
        assert_eq!(spread(4).time(&benchmarks), 32 * SECOND);
    }

    #[test]
    fn with_many_instances_a_wave_takes_as_long_as_a_duet() {
        let benchmarks = [Expected { duets: 6.0, trial: SECOND }; 10];
        assert_eq!(spread(1000).parcels(&benchmarks[0], 60.0), (6.0, 2 * SECOND));
        assert_eq!(spread(1000).time(&benchmarks), 6 * SECOND);
        assert_eq!(spread(8).time(&[]), 2 * SECOND);
    }
}
