//! How many requests are sent at a time, and how long pauses are.

use std::time::Duration;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Patience;

/// The number of requests at a time. It falls to seven tenths when one is throttled, and rises by one after
/// as many good responses as it permits.
pub(crate) struct Pace {
    most: f64,
    allowed: f64,
    random: Xoshiro256PlusPlus,
}

impl Pace {
    pub(crate) fn new(parallel: u32, seed: u64) -> Self {
        let most = f64::from(parallel.max(1));
        Pace { most, allowed: most, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    pub(crate) fn allowed(&self) -> usize {
        self.allowed as usize
    }

    pub(crate) fn throttled(&mut self) {
        self.allowed = (self.allowed * 0.7).max(1.0);
    }

    pub(crate) fn answered(&mut self) {
        self.allowed = (self.allowed + 1.0 / self.allowed).min(self.most);
    }

    /// The pause before a request is sent again after `failures` failures. It is drawn uniformly up to a
    /// bound that doubles, so that requests that failed together are not sent again together.
    pub(crate) fn pause(&mut self, patience: &Patience, failures: u32) -> Duration {
        let bound = patience.first_pause.saturating_mul(1 << failures.saturating_sub(1).min(20));
        let bound = bound.min(patience.longest_pause).as_secs_f64();
        // The upper 53 bits make a uniform number from 0 to 1.
        let share = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        Duration::from_secs_f64(bound * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_slows_down_and_answers_speed_up_within_bounds() {
        let mut pace = Pace::new(100, 1);
        pace.throttled();
        assert_eq!(pace.allowed(), 70);
        (0..50).for_each(|_| pace.throttled());
        assert_eq!(pace.allowed(), 1);
        (0..100_000).for_each(|_| pace.answered());
        assert_eq!(pace.allowed(), 100);
        assert_eq!(Pace::new(0, 1).allowed(), 1);
    }

    #[test]
    fn pauses_double_up_to_a_bound_and_differ() {
        let patience = Patience::default();
        let longest = |failures| {
            let mut pace = Pace::new(1, 42);
            (0..1000).map(|_| pace.pause(&patience, failures)).max().unwrap()
        };
        let close = |failures, bound: Duration| {
            let longest = longest(failures);
            assert!(longest <= bound && longest > bound.mul_f64(0.95), "{failures}: {longest:?}");
        };
        close(1, Duration::from_millis(200));
        close(3, Duration::from_millis(800));
        close(30, Duration::from_secs(20));
    }
}
