//! How many duets the paired rule takes for a given spread and change.

use std::sync::OnceLock;

use benchwright_stats::power::{at_least, sign_bets, t_reach};

use crate::PairedSettings;
use crate::rules::MOST_FRESH;

/// Efficiency of the 20 % trimmed mean of normal values against the mean.
pub(super) const TRIMMED_EFFICIENCY: f64 = 0.876;
/// The rule trims means of at least this many duets.
const TRIMMED_FROM: u32 = 7;
/// How independent looks at the same duets are, between 0 (a benchmark that is open after one look was open
/// after all earlier ones) and 1 (each look is an independent chance). From simulation with the rule itself,
/// see the tests.
const NEW_CHANCE: f64 = 0.45;
/// The evidence that a suspect needs if it is one of three.
const EVIDENCE: f64 = 60.0;
/// Fresh duets of a suspect that is not confirmed, if the spread equals the threshold. A wrong bet on a
/// change of the threshold loses faster the smaller the spread is, by its square. Of 13 such suspects of
/// fastjson (docs/design/0013-budget.md) nine with a spread up to the threshold took 3 to 26, and those with
/// at least three times that all 96.
const UNCONFIRMED: f64 = 9.0;
/// The smallest number of them, and the largest as a share of those allowed.
const UNCONFIRMED_FEWEST: f64 = 4.0;
const UNCONFIRMED_MOST: f64 = 0.75;
/// How far the bettor's estimate of the change lags behind the change, and the weight kept for outliers; as
/// in `reduce::for_compare`.
const LEARNING: f64 = 0.87;
const ETA: f64 = 0.02;

/// A mean number of duets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Duets {
    pub(super) mean: f64,
    /// Mean number of fresh duets among them.
    pub(super) fresh: f64,
}

/// Further duets until the verdict of a benchmark that has had `done` duets. The duets have the standard
/// deviation `spread` around `shift`, and at most `most` of them may be fresh.
pub(super) fn further(spread: f64, shift: f64, delta: f64, looks: &[u32], (done, most): (u32, u32)) -> Duets {
    let fresh_of_each = fresh(spread, shift, delta, most);
    let (mut mean, mut suspected) = (0.0, 0.0);
    let (mut open, mut before) = (1.0, 0.0);
    for look in course(spread, shift, delta, looks, done) {
        mean += open * (look.ahead - before);
        (open, before, suspected) = (look.open, look.ahead, look.suspected);
    }
    let fresh = suspected * fresh_of_each;
    Duets { mean: mean + fresh, fresh }
}

/// The expected state of a benchmark at one of its looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// Number of duets until then.
    pub(super) ahead: f64,
    /// Probability that it is still open after the look.
    pub(super) open: f64,
    /// Probability that it has become a suspect by then.
    pub(super) suspected: f64,
}

/// The remaining looks of a benchmark that has had `done` duets.
pub(super) fn course(
    spread: f64,
    shift: f64,
    delta: f64,
    looks: &[u32],
    done: u32,
) -> impl Iterator<Item = Ahead> {
    let (mut open, mut suspected) = (1.0, 0.0);
    looks.iter().filter(move |look| **look > done).map(move |&look| {
        let (same, suspect) = leaves(spread, shift, delta, look);
        let once = open_after(open, 1.0 - (same + suspect).min(1.0));
        if same + suspect > 0.0 {
            suspected += (open - once) * suspect / (same + suspect);
        }
        open = once;
        Ahead { ahead: f64::from(look - done), open, suspected }
    })
}

/// The share still open after a look that would leave `share` open by itself.
fn open_after(open: f64, share: f64) -> f64 {
    if open <= 0.0 || share <= 0.0 {
        return 0.0;
    }
    open.min(share).powf(1.0 - NEW_CHANCE) * (open * share).powf(NEW_CHANCE)
}

/// The probabilities that a look calls a benchmark the same, and a suspect. Centre and half-width of the
/// interval are assumed to be independent and normal.
fn leaves(spread: f64, shift: f64, delta: f64, look: u32) -> (f64, f64) {
    let cut = if look < TRIMMED_FROM { 0 } else { look / 5 };
    let degrees = look.saturating_sub(2 * cut + 1);
    let Some(reach) = reach(degrees) else { return (0.0, 0.0) };
    let worth = f64::from(look) * if look < TRIMMED_FROM { 1.0 } else { TRIMMED_EFFICIENCY };
    let error = spread / worth.sqrt();
    let degrees = f64::from(degrees);
    // Mean and spread of the root of chi-squared divided by its degrees.
    let half = reach * error * (1.0 - 0.25 / degrees);
    let both = error.hypot(reach * error / (2.0 * degrees).sqrt());
    let inside = |edge: f64| at_least(edge - half, both, 0.0);
    let same = (inside(delta - shift) + inside(delta + shift) - 1.0).max(0.0);
    let beyond = |shift: f64| at_least(shift, error, delta).min(at_least(shift - half, both, 0.0));
    (same, beyond(shift) + beyond(-shift))
}

/// Fresh duets of a suspect that may take `most`. They are read from a table, because the sum takes long and
/// is needed often.
pub(super) fn fresh(spread: f64, shift: f64, delta: f64, most: u32) -> f64 {
    /// Steps of the table per doubling of the shift in spreads. The table begins at `FIRST`.
    const STEPS: f64 = 4.0;
    const FIRST: f64 = 1.0 / 32.0;
    const LAST: usize = 40;
    static TABLE: OnceLock<Vec<[f64; 2]>> = OnceLock::new();
    let table = TABLE
        .get_or_init(|| (0..=LAST).map(|step| confirmed(FIRST * (step as f64 / STEPS).exp2())).collect());
    let at = (STEPS * (shift.abs() / spread.max(1e-9) / FIRST).log2()).clamp(0.0, LAST as f64);
    let below = (at as usize).min(LAST - 1);
    let between = |column: usize| {
        let [low, high] = [below, below + 1].map(|row| table[row][column]);
        low + (high - low) * (at - below as f64)
    };
    let most = UNCONFIRMED_MOST * f64::from(most);
    let unconfirmed = (UNCONFIRMED * (spread / delta).powi(2)).clamp(UNCONFIRMED_FEWEST.min(most), most);
    between(0) * between(1).min(most) + (1.0 - between(0)) * unconfirmed
}

/// The probability that a change of this many spreads is confirmed if many fresh duets are allowed, and the
/// number of duets this takes.
fn confirmed(shift: f64) -> [f64; 2] {
    sign_bets(LEARNING * shift, MOST_FRESH, EVIDENCE, ETA)
        .map_or([0.0, f64::from(MOST_FRESH)], |(reached, mean)| [reached, mean])
}

/// Student's quantile at the level of the rule.
fn reach(degrees: u32) -> Option<f64> {
    static TABLE: OnceLock<Vec<Option<f64>>> = OnceLock::new();
    let level = PairedSettings::default().a;
    let table = TABLE.get_or_init(|| (0..=100).map(|degrees| t_reach(level, degrees)).collect());
    match table.get(degrees as usize) {
        Some(known) => *known,
        None => t_reach(level, degrees as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::paired::{Look, look};

    /// Mean number of screening duets and share of suspects of the rule itself.
    fn simulated(spread: f64, shift: f64, delta: f64, looks: &[u32]) -> (f64, f64) {
        const RUNS: u32 = 400;
        let mut state = 1_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let (mut duets, mut suspects) = (0, 0);
        for _ in 0..RUNS {
            let mut ratios: Vec<f64> = Vec::new();
            for &at in looks {
                while ratios.len() < at as usize {
                    let angle = 2.0 * std::f64::consts::PI * uniform();
                    ratios.push(shift + spread * (-2.0 * uniform().ln()).sqrt() * angle.cos());
                }
                match look(&ratios, 0.02, delta).expect("two duets or more").0 {
                    Look::GoOn => continue,
                    Look::Same => break,
                    Look::Suspect(_) => {
                        suspects += 1;
                        break;
                    }
                }
            }
            duets += ratios.len();
        }
        (duets as f64 / f64::from(RUNS), f64::from(suspects) / f64::from(RUNS))
    }

    #[test]
    fn the_formula_agrees_with_the_rule() {
        let delta = 1.03_f64.ln();
        let long = PairedSettings::default().with_duets(5, 96).looks;
        for looks in [PairedSettings::default().looks, long] {
            for shift in [0.0, 0.3 * delta, 0.7 * delta, 1.5 * delta, 3.0 * delta] {
                for spread in [0.005, 0.01, 0.02, 0.04, 0.08, 0.2] {
                    let found = further(spread, shift, delta, &looks, (0, 40));
                    let (duets, suspects) = simulated(spread, shift, delta, &looks);
                    let screening = found.mean - found.fresh;
                    let told = format!("{shift:.4} {spread}: {screening:.1} duets, found {duets:.1}");
                    assert!((screening / duets).ln().abs() < 0.25, "{told}");
                    assert!(suspects > 0.05 || found.fresh < 4.5, "{told}, {} fresh", found.fresh);
                }
            }
        }
    }
}
