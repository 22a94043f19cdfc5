//! How long a comparison will take.

use std::time::Duration;

/// Mean number of duets of an unchanged benchmark under the paired rule, as measured on recorded Go suites
/// (METHODOLOGY.md); a noisy suite needs more.
pub const USUAL_DUETS: f64 = 7.1;

/// Predicted time of `trials_secs` (mean seconds of one trial, per benchmark) when each benchmark takes `duets` duets.
pub fn whole(trials_secs: &[f64], duets: f64) -> Duration {
    seconds(trials_secs.iter().map(|trial| 2.0 * trial * duets).sum())
}

/// Predicted time left: each open benchmark has had `done` duets of `expected`, and goes on at its own pace.
pub fn left(open: impl Iterator<Item = (f64, u32)>, expected: f64) -> Duration {
    seconds(open.map(|(trial_secs, done)| 2.0 * trial_secs * (expected - f64::from(done)).max(1.0)).sum())
}

fn seconds(total: f64) -> Duration {
    Duration::try_from_secs_f64(total).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prediction_adds_up() {
        // Two benchmarks of 1 s and 2 s per trial, 5 duets of two trials each: 10 s + 20 s.
        assert_eq!(whole(&[1.0, 2.0], 5.0), Duration::from_secs(30));
        // One has had 4 of 7 duets, three left; the other 9 of 7: at least one more.
        assert_eq!(left([(1.0, 4), (2.0, 9)].into_iter(), 7.0), Duration::from_secs(6 + 4));
    }
}
