//! Predicts the paired rule.
//!
//! Screening is a random walk of the mean of duets from look to look, between the bounds at which the rule
//! calls a benchmark *same* or a suspect. Its distribution is computed on a grid (Armitage, McPherson & Rowe
//! 1969). Confirmation is a bet on signs.

use benchwright_stats::power::{at_least, sign_bets, t_reach};

use super::Wanted;
use super::power::Prediction;
use crate::PairedSettings;

/// Efficiency of the 20 % trimmed mean of normal values against the mean.
const TRIMMED_EFFICIENCY: f64 = 0.876;
/// The rule trims means of at least this many duets.
const TRIMMED_FROM: u32 = 7;
/// How far the bettor's estimate of the change lags behind the change, because it is learned from earlier
/// duets. From simulation with the rule itself.
const LEARNING: f64 = 0.87;
/// Weight that the rule's bets keep for outlier duets.
const ETA: f64 = 0.02;
/// Points of the grid.
const POINTS: usize = 101;
/// Range of the grid, in standard deviations of the last mean.
const REACH: f64 = 6.0;

/// The result of screening up to a look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Screened {
    /// Number of duets.
    look: u32,
    /// Share that became a suspect in the direction of the change.
    suspected: f64,
    /// Share that has left, as a suspect or as *same*.
    left: f64,
    /// Duets of those that have left, averaged over all.
    duets: f64,
}

impl Screened {
    /// Mean number of duets if this look is the last.
    fn duets_if_last(&self) -> f64 {
        self.duets + (1.0 - self.left) * f64::from(self.look)
    }
}

/// Predicts the result for every look as the last one, up to `most` duets, if the value of a process has the
/// standard deviation `own`.
pub(super) fn predict(own: f64, wanted: &Wanted, settings: &PairedSettings, most: u32) -> Vec<Prediction> {
    let deviation = own * 2.0_f64.sqrt();
    let first = settings.looks.first().copied().unwrap_or(2);
    let settings = settings.clone().with_duets(first, most.max(first));
    let (shift, delta) = (wanted.change.abs().ln_1p(), wanted.threshold.ln_1p());
    let changed = screening(shift, deviation, delta, &settings);
    let unchanged = screening(0.0, deviation, delta, &settings);
    let bets = sign_bets(LEARNING * shift / deviation, settings.max_fresh, 1.0 / wanted.false_alarms, ETA);
    let confirmed = bets.map_or(0.0, |(reached, _)| reached);
    let prediction = |(changed, unchanged): (&Screened, &Screened)| Prediction {
        processes: changed.look,
        power: changed.suspected * confirmed,
        // Suspects in either direction. Most are dropped long before the last fresh duet, so counting half of
        // them is cautious.
        usual: unchanged.duets_if_last() + unchanged.suspected * f64::from(settings.max_fresh),
        most: changed.look + settings.max_fresh,
        // An early look costs nothing, and a benchmark that it decides needs no more duets.
        floor: first,
    };
    changed.iter().zip(&unchanged).map(prediction).collect()
}

/// Computes the distribution of the mean from look to look.
fn screening(shift: f64, deviation: f64, delta: f64, settings: &PairedSettings) -> Vec<Screened> {
    let mut found: Vec<Screened> = Vec::new();
    let mut before: Option<(f64, Vec<(f64, f64)>)> = None;
    for &look in &settings.looks {
        let weight = information(look);
        let error = deviation / weight.sqrt();
        let density = advance(before.as_ref(), weight, shift, deviation, error);
        let Some(bounds) = Bounds::at(look, error, delta, settings.a) else { break };
        let last = found.last().copied();
        let mut now = Screened {
            look,
            suspected: last.map_or(0.0, |last| last.suspected),
            left: last.map_or(0.0, |last| last.left),
            duets: last.map_or(0.0, |last| last.duets),
        };
        let mut open = Vec::with_capacity(density.len());
        for (mean, mass) in density {
            let (suspect, leaves) = bounds.shares(mean);
            now.suspected += mass * suspect;
            now.left += mass * leaves;
            now.duets += mass * leaves * f64::from(look);
            open.push((mean, mass * (1.0 - leaves)));
        }
        found.push(now);
        before = Some((weight, open));
    }
    found
}

/// How many untrimmed duets a look corresponds to.
fn information(look: u32) -> f64 {
    f64::from(look) * if look < TRIMMED_FROM { 1.0 } else { TRIMMED_EFFICIENCY }
}

/// The distribution of the mean at a look as points with masses, computed from the distribution of benchmarks
/// still open after the previous look, if there was one.
fn advance(
    before: Option<&(f64, Vec<(f64, f64)>)>,
    weight: f64,
    shift: f64,
    deviation: f64,
    error: f64,
) -> Vec<(f64, f64)> {
    let width = 2.0 * REACH * error / (POINTS - 1) as f64;
    let points = (0..POINTS).map(|at| shift - REACH * error + width * at as f64);
    let cell = |mean: f64, error: f64, at: f64| {
        at_least(mean, error, at - width / 2.0) - at_least(mean, error, at + width / 2.0)
    };
    match before {
        None => points.map(|at| (at, cell(shift, error, at))).collect(),
        Some((old, open)) => {
            let added = (weight - old).max(f64::MIN_POSITIVE);
            let step = deviation * added.sqrt() / weight;
            let mass = |at: f64| {
                let from = |(mean, mass): &(f64, f64)| {
                    if *mass < 1e-12 {
                        return 0.0;
                    }
                    mass * cell((mean * old + shift * added) / weight, step, at)
                };
                open.iter().map(from).sum::<f64>()
            };
            points.map(|at| (at, mass(at))).collect()
        }
    }
}

/// The result of a look, given the mean of the duets. The spread that the rule uses is an estimate too, so
/// with few degrees of freedom the bounds are not sharp.
struct Bounds {
    /// The mean half-width of the interval.
    half: f64,
    /// How much the half-width varies.
    varies: f64,
    delta: f64,
}

impl Bounds {
    fn at(look: u32, error: f64, delta: f64, a: f64) -> Option<Bounds> {
        let cut = if look < TRIMMED_FROM { 0 } else { look / 5 };
        let degrees = (look - 2 * cut).saturating_sub(1) as usize;
        let half = t_reach(a, degrees)? * error;
        let degrees = degrees as f64;
        // Mean and spread of the root of chi-squared divided by its degrees.
        Some(Bounds { half: half * (1.0 - 0.25 / degrees), varies: half / (2.0 * degrees).sqrt(), delta })
    }

    /// The probability that the half-width is smaller than `room`.
    fn is_below(&self, room: f64) -> f64 {
        if room <= 0.0 { 0.0 } else { at_least(room, self.varies, self.half) }
    }

    /// The probability that this mean makes a suspect in the direction of the change, and the probability
    /// that the benchmark leaves at all: as *same*, which is checked first, or as a suspect in either
    /// direction.
    fn shares(&self, mean: f64) -> (f64, f64) {
        let same = self.is_below(self.delta - mean.abs());
        let suspect = if mean.abs() >= self.delta { self.is_below(mean.abs()).min(1.0 - same) } else { 0.0 };
        (if mean > 0.0 { suspect } else { 0.0 }, same + suspect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(shift: f64, deviation: f64) -> Screened {
        *screening(shift, deviation, 1.03_f64.ln(), &PairedSettings::default()).last().unwrap()
    }

    #[test]
    fn nothing_gets_lost_on_the_grid() {
        // Noise of 50 %: nearly all benchmarks continue to the last look.
        let noisy = last(0.0, 0.5);
        assert!(noisy.duets_if_last() > 36.0 && noisy.left < 0.2, "{noisy:?}");
        let quiet = last(0.0, 0.002);
        assert!((quiet.left - 1.0).abs() < 1e-3 && (quiet.duets_if_last() - 5.0).abs() < 0.1, "{quiet:?}");
        assert!(quiet.suspected < 1e-6, "{quiet:?}");
    }

    #[test]
    fn noise_delays_and_hides() {
        let shares = [0.01, 0.05, 0.08, 0.15].map(|deviation| last(1.05_f64.ln(), deviation).suspected);
        assert!(shares.windows(2).all(|pair| pair[0] >= pair[1]), "{shares:?}");
        assert!(shares[0] > 0.99 && shares[3] < 0.6, "{shares:?}");
    }
}
