//! How long a comparison will take.
//!
//! A benchmark's duets vary by its spread, and the spread decides how many of them the paired rule takes. The spread comes from
//! the benchmark's own duets as far as there are some, from earlier runs, or from what benchmarks of its harness usually do.

mod duets;
mod prior;

use std::time::Duration;

use benchwright_stats::trimmed::trimmed_interval;

pub use prior::Prior;

/// Mean number of duets of an unchanged benchmark under the paired rule, as measured on recorded Go suites
/// (METHODOLOGY.md); a noisy suite needs more.
pub const USUAL_DUETS: f64 = 7.1;

/// Share of benchmarks that a comparison changes by more than a fraction of the threshold, before anything is known.
const CHANGED: f64 = 0.1;
/// Standard deviation of the change of these, and of all others, in thresholds.
const CHANGE: [f64; 2] = [5.0, 0.2];
/// Nodes and weights of the Gauss-Hermite rule with five points, for a standard normal variable.
const NORMAL: [(f64, f64); 5] = [
    (-2.856_970, 0.011_257_4),
    (-1.355_626, 0.222_075_9),
    (0.0, 0.533_333_3),
    (1.355_626, 0.222_075_9),
    (2.856_970, 0.011_257_4),
];

/// The expected number of further duets until a benchmark has its verdict, fresh duets of suspects included.
///
/// `delta` is the threshold as a logarithm, `ratios` the log-ratios of the benchmark's duets so far (perhaps none), `looks` the
/// numbers of duets at which the rule looks, in ascending order. The last look is the end: a benchmark that is still open then
/// stays undecided, which counts like a verdict. At least 1. A call takes some ten microseconds.
pub fn expected_duets(harness: &str, delta: f64, ratios: &[f64], looks: &[u32]) -> f64 {
    let prior = prior::of_harness(harness);
    let deviation = prior.of_run.hypot(prior.of_benchmark);
    further((prior.median.ln(), deviation), delta, ratios, looks).mean.max(1.0)
}

/// The number of further duets of a benchmark whose spread has a logarithm with this mean and standard deviation, before its own
/// duets are looked at.
fn further(spread: (f64, f64), delta: f64, ratios: &[f64], looks: &[u32]) -> duets::Duets {
    let (mean, deviation) = updated(spread, ratios);
    let centre = trimmed_interval(ratios, 0.5).map(|interval| interval.centre);
    let done = ratios.len() as u32;
    let (mut first, mut second, mut fresh) = (0.0, 0.0, 0.0);
    for (node, weight) in NORMAL {
        let spread = (mean + deviation * node).exp();
        for (share, shift) in shifts(centre, spread, done, delta) {
            let found = duets::further(spread, shift, delta, looks, done);
            first += weight * share * found.mean;
            second += weight * share * (found.variance + found.mean * found.mean);
            fresh += weight * share * found.fresh;
        }
    }
    duets::Duets { mean: first, variance: (second - first * first).max(0.0), fresh }
}

/// Mean and standard deviation of the logarithm of the spread after `ratios` were seen. Below three duets nothing is learnt.
fn updated((mean, deviation): (f64, f64), ratios: &[f64]) -> (f64, f64) {
    let Some((seen, error)) = observed(ratios) else { return (mean, deviation) };
    let (before, now) = (deviation.powi(-2), error.powi(-2));
    ((mean * before + seen * now) / (before + now), (before + now).powf(-0.5))
}

/// Logarithm of the spread of these duets and its standard error; none below three.
fn observed(ratios: &[f64]) -> Option<(f64, f64)> {
    /// Duets that agree to the last digit say no more than that they vary little.
    const LEAST: f64 = 1e-4;
    let interval = trimmed_interval(ratios, 0.5).filter(|interval| interval.n >= 3)?;
    let efficiency = if interval.trimmed == 0 { 1.0 } else { 0.876 };
    let spread = interval.se * (interval.n as f64 * efficiency).sqrt();
    Some((spread.max(LEAST).ln(), (2.0 * interval.df as f64).sqrt().recip()))
}

/// Where the change may lie, with shares: among benchmarks that hardly change and among those that do. Each share weighs as much as
/// it makes the mean of the duets so far likely; without any, the change of the former is none and that of the latter typical.
fn shifts(centre: Option<f64>, spread: f64, done: u32, delta: f64) -> [(f64, f64); 2] {
    let [wide, narrow] = CHANGE.map(|change| (change * delta).powi(2));
    let Some(centre) = centre else { return [(1.0 - CHANGED, 0.0), (CHANGED, wide.sqrt())] };
    let error = spread * spread / f64::from(done.max(1));
    let density = |variance: f64| {
        let whole = variance + error;
        (-centre * centre / (2.0 * whole)).exp() / whole.sqrt()
    };
    let (changed, unchanged) = (CHANGED * density(wide), (1.0 - CHANGED) * density(narrow));
    let share = if changed + unchanged > 0.0 { changed / (changed + unchanged) } else { 1.0 };
    [(1.0 - share, centre * narrow / (narrow + error)), (share, centre * wide / (wide + error))]
}

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
    use crate::PairedSettings;

    #[test]
    fn prediction_adds_up() {
        // Two benchmarks of 1 s and 2 s per trial, 5 duets of two trials each: 10 s + 20 s.
        assert_eq!(whole(&[1.0, 2.0], 5.0), Duration::from_secs(30));
        // One has had 4 of 7 duets, three left; the other 9 of 7: at least one more.
        assert_eq!(left([(1.0, 4), (2.0, 9)].into_iter(), 7.0), Duration::from_secs(6 + 4));
    }

    #[test]
    fn quiet_duets_shorten_and_noisy_ones_prolong() {
        let looks = PairedSettings::default().with_duets(5, 96).looks;
        let delta = 1.03_f64.ln();
        let further = |ratios: &[f64]| expected_duets("go", delta, ratios, &looks);
        let unknown = further(&[]);
        let quiet = further(&[0.001, -0.002, 0.0005, 0.001]);
        let noisy = further(&[0.2, -0.15, 0.1, -0.05]);
        assert!((10.0..30.0).contains(&unknown), "{unknown}");
        assert!((1.0..3.0).contains(&quiet), "{quiet}");
        assert!(noisy > 50.0, "{noisy}");
        // A large change needs its fresh duets beside the first look.
        let changed = further(&[0.151, 0.148, 0.152, 0.149]);
        assert!((4.0..12.0).contains(&changed), "{changed}");
        // Beyond the last look nothing is left to do.
        assert_eq!(expected_duets("go", delta, &[0.1; 12], &[5, 10]), 1.0);
    }
}
