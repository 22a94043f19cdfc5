//! Calibrates the length of an inserted loop for a wanted slowdown.
//!
//! The time that a loop adds is the difference between two programs that differ only in the length of the
//! loop. So it does not include the call, or the effect of the code's new position in memory.

use anyhow::{Result, bail};
use benchwright_stats::dispersion;

/// How accurately a length is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Accurate enough for the search.
    Quick,
    /// Accurate enough for computing the result.
    Thorough,
}

/// A measured ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slowdown {
    /// Logarithm of the ratio of slower to original.
    pub(crate) log_ratio: f64,
    /// Its standard error.
    pub(crate) error: f64,
}

impl Slowdown {
    /// Computes the median of the logarithms of ratios. Processes ran in turns. A median is used, so that
    /// disturbed processes have no effect.
    pub(crate) fn of(log_ratios: &[f64]) -> Option<Slowdown> {
        // The standard error of the median of normal values is sqrt(pi / 2) times that of the mean.
        let spread = dispersion::median_absolute_deviation(log_ratios)?
            * NORMAL_MAD
            * (std::f64::consts::PI / 2.0).sqrt();
        let error = spread / (log_ratios.len() as f64).sqrt();
        Some(Slowdown { log_ratio: dispersion::median(log_ratios)?, error })
    }

    /// The slowdown as a share.
    pub(crate) fn excess(self) -> f64 {
        self.log_ratio.exp_m1()
    }
}

/// Ratio of the standard deviation of normal values to their median absolute deviation.
const NORMAL_MAD: f64 = 1.4826;

/// A loop that causes the wanted slowdown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibrated {
    pub(crate) rounds: u32,
    /// The slowdown that the rounds of the loop cause.
    pub(crate) slowdown: Slowdown,
}

/// First and largest length of the search.
const SHORTEST_LOOP: u32 = 64;
const LONGEST_LOOP: f64 = 1e7;

/// Largest factor by which the length changes in one step.
const LARGEST_STEP: f64 = 16.0;

/// A slowdown, as a share, that is clearly visible in a few noisy processes. The time of a round is measured
/// there.
const CLEAR: f64 = 0.4;

/// Slowdowns that are accepted as clear.
const CLEARLY: std::ops::RangeInclusive<f64> = 0.2..=0.8;

/// Maximum number of steps of the search.
const TRIES: usize = 8;

/// A processor can run a shorter loop in parallel with the surrounding code. Loops of 30 rounds that should
/// have added 5 % added half of that.
const FEWEST_ROUNDS: f64 = 200.0;

/// Maximum change of the time by the call alone, including its effects on inlining and layout, as a share.
const CALL: f64 = 0.02;

/// Times of one turn: first the original, then one for each length.
pub(crate) type Turn = Vec<f64>;

/// Builds loops of these lengths and measures them in turns with the original.
pub(crate) type Measure<'a> = dyn FnMut(&[u32], Effort) -> Result<Vec<Turn>> + 'a;

/// Finds the length of the loop for `wanted`.
pub(crate) fn calibrate(wanted: f64, measure: &mut Measure<'_>) -> Result<Calibrated> {
    let far = clear_length(measure)?;
    let turns = measure(&[1, far], Effort::Thorough)?;
    let call = ratio(&turns, 1)?;
    if call.excess().abs() - 2.0 * call.error > CALL {
        bail!("the call alone changes the time by {:+.1} %", 100.0 * call.excess());
    }
    let added: Vec<f64> = turns.iter().map(|turn| (turn[2] - turn[1]) / turn[0]).collect();
    // A clear slowdown in a few processes may have been caused by the machine.
    let is_clear = |added: &Slowdown| added.log_ratio > CLEAR / 4.0 && added.log_ratio > 5.0 * added.error;
    let Some(added) = Slowdown::of(&added).filter(is_clear) else {
        bail!("slowing the function down does not slow the benchmark down");
    };
    let rounds = (wanted * f64::from(far - 1) / added.log_ratio).round();
    if rounds < FEWEST_ROUNDS {
        bail!("the function is called so often that {rounds} rounds would do, which the processor hides");
    }
    let excess: f64 = added.log_ratio * rounds / f64::from(far - 1);
    let slowdown = Slowdown {
        log_ratio: excess.ln_1p(),
        error: excess * added.error / added.log_ratio / (1.0 + excess),
    };
    Ok(Calibrated { rounds: rounds as u32, slowdown })
}

/// A length with a clear slowdown. The search begins with short loops, because a long loop in a function that
/// is called often would take minutes.
fn clear_length(measure: &mut Measure<'_>) -> Result<u32> {
    let mut rounds = SHORTEST_LOOP;
    for _ in 0..TRIES {
        let excess = ratio(&measure(&[rounds], Effort::Quick)?, 1)?.excess();
        if CLEARLY.contains(&excess) {
            return Ok(rounds);
        }
        if f64::from(rounds) >= LONGEST_LOOP {
            break;
        }
        let step = (CLEAR / excess.max(CLEAR / LARGEST_STEP)).max(1.0 / LARGEST_STEP);
        rounds = (f64::from(rounds) * step).clamp(2.0, LONGEST_LOOP) as u32;
    }
    bail!("slowing the function down does not slow the benchmark down")
}

/// The ratio of one length to the original.
pub(crate) fn ratio(turns: &[Turn], length: usize) -> Result<Slowdown> {
    let log_ratios: Vec<f64> = turns.iter().map(|turn| (turn[length] / turn[0]).ln()).collect();
    let Some(found) = Slowdown::of(&log_ratios) else { bail!("take the median of no ratios") };
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calibrates for a round that costs `slope` and a call that costs `call`, as shares. Returns the rounds
    /// and the number of measurements.
    fn check(slope: f64, call: f64, nanoseconds: f64) -> Result<(u32, usize)> {
        let mut taken = 0;
        let mut measure = |lengths: &[u32], _| {
            taken += 1;
            let times = lengths.iter().map(|rounds| nanoseconds * (1.0 + call + slope * f64::from(*rounds)));
            let turn: Turn = std::iter::once(nanoseconds).chain(times).collect();
            Ok(vec![turn; 5])
        };
        let found = calibrate(0.05, &mut measure)?;
        let excess = found.slowdown.excess();
        assert!((0.048..=0.052).contains(&excess), "{excess}");
        Ok((found.rounds, taken))
    }

    #[test]
    fn the_length_follows_from_the_price_of_a_round() {
        // 64 rounds give 0.0064. The next lengths are 1024 and 4000, which gives 0.4. 0.05 / 0.0001 is 500.
        assert_eq!(check(0.0001, 0.0, 1000.0).unwrap(), (500, 4));
        // The function is called in one of a hundred operations.
        assert_eq!(check(0.000_007, 0.0, 1000.0).unwrap().0, 7143);
    }

    #[test]
    fn the_place_of_the_code_is_no_part_of_it() {
        assert_eq!(check(0.0001, 0.015, 1000.0).unwrap().0, 500);
        assert_eq!(check(0.0001, -0.015, 1000.0).unwrap().0, 500);
        for call in [0.03, -0.03] {
            let error = check(0.0001, call, 1000.0).expect_err("the call alone is a change");
            assert!(error.to_string().contains("the call alone"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_slowed_down_exactly_does_not_serve() {
        let told = |slope, part: &str| {
            let error = check(slope, 0.0, 1000.0).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        };
        told(0.0, "does not slow the benchmark down");
        told(0.01, "called so often");
    }

    #[test]
    fn noise_is_not_taken_for_a_slowdown() {
        // The machine was slow during the quick measurements, but not later.
        let mut measure = |lengths: &[u32], effort| {
            let disturbed = if effort == Effort::Quick { 1.3 } else { 1.0 };
            Ok(vec![std::iter::once(1000.0).chain(lengths.iter().map(|_| 1000.0 * disturbed)).collect(); 5])
        };
        assert!(calibrate(0.05, &mut measure).is_err());
    }

    #[test]
    fn a_slowdown_is_the_median_of_its_pairs() {
        // Deviations from 0.05 are 0.01, 0, 0.01, 0.95 and 0. Their median is 0.01.
        let slowdown = Slowdown::of(&[0.04, 0.05, 0.06, 1.0, 0.05]).unwrap();
        assert_eq!(slowdown.log_ratio, 0.05);
        let expected = 0.01 * 1.4826 * 1.2533 / 5_f64.sqrt();
        assert!((slowdown.error - expected).abs() < 1e-6, "{}", slowdown.error);
        assert!(Slowdown::of(&[]).is_none());
    }
}
