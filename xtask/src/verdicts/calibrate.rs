//! How long an inserted loop must be for a wanted slowdown.

use anyhow::{Result, bail};
use benchwright_stats::dispersion;

/// How thoroughly a slowdown is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to come near.
    Quick,
    /// Enough to say that it is there.
    Thorough,
}

/// A slowdown as measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slowdown {
    /// Logarithm of slower over original.
    pub(crate) log_ratio: f64,
    /// Its standard error.
    pub(crate) error: f64,
}

impl Slowdown {
    /// From logarithms of ratios of processes run in turns: their median, since a disturbed process says nothing.
    pub(crate) fn of(log_ratios: &[f64]) -> Option<Slowdown> {
        // A median of normal values has a standard error of sqrt(pi / 2) times the mean's.
        let spread = dispersion::median_absolute_deviation(log_ratios)?
            * NORMAL_MAD
            * (std::f64::consts::PI / 2.0).sqrt();
        let error = spread / (log_ratios.len() as f64).sqrt();
        Some(Slowdown { log_ratio: dispersion::median(log_ratios)?, error })
    }

    /// By how much slower, as a share.
    pub(crate) fn excess(self) -> f64 {
        self.log_ratio.exp_m1()
    }
}

/// Standard deviation over median absolute deviation of normal values.
const NORMAL_MAD: f64 = 1.4826;

/// A loop that slows down as wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calibrated {
    pub(crate) rounds: u32,
    pub(crate) slowdown: Slowdown,
}

/// One measurement on the way.
#[derive(Debug, Clone, Copy)]
struct Point {
    rounds: u32,
    excess: f64,
    weight: f64,
}

/// Time of one round of the loop, roughly: where the search begins.
const ROUND_NANOSECONDS: f64 = 0.7;

/// How far from the wanted slowdown the true one may lie, as shares of it: 5 % may be 4.5 to 5.6 %.
const ACCEPTED: (f64, f64) = (0.9, 1.12);

/// How often a length is tried thoroughly.
const TRIES: usize = 3;

/// A slowdown that is seen clearly through the noise of a few processes, as a share: the slope is taken there.
const CLEAR: f64 = 0.4;

/// How far a thorough measurement may lie from the wanted slowdown, in standard errors, if all measurements together say
/// that the length is right. Asking every single one to lie nearby would leave the product the quiet benchmarks.
const CONSISTENT: f64 = 2.0;

/// Finds the length of the loop for `wanted` in a benchmark of so many nanoseconds; `measure` builds and measures a length.
pub(crate) fn calibrate(
    wanted: f64,
    nanoseconds: f64,
    measure: &mut dyn FnMut(u32, Effort) -> Result<Slowdown>,
) -> Result<Calibrated> {
    let guess = (wanted * nanoseconds / ROUND_NANOSECONDS).clamp(4.0, 1e7) as u32;
    let mut points = vec![point(guess, measure(guess, Effort::Quick)?, Effort::Quick, wanted)];
    if points[0].excess < wanted / 3.0 {
        let more = guess.saturating_mul(8);
        points = vec![point(more, measure(more, Effort::Quick)?, Effort::Quick, wanted)];
        if points[0].excess < wanted / 3.0 {
            bail!("slowing the function down does not slow the benchmark down");
        }
    }
    if points[0].excess > 3.0 * wanted {
        // Far off: what a call costs beside its rounds shows only nearby.
        let near = next_rounds(&points, wanted)?;
        points.push(point(near, measure(near, Effort::Quick)?, Effort::Quick, wanted));
    } else {
        let far = (f64::from(points[0].rounds) * CLEAR / points[0].excess).clamp(1.0, 1e9) as u32;
        points.push(point(far, measure(far, Effort::Quick)?, Effort::Quick, wanted));
    }
    for _ in 0..TRIES {
        let rounds = next_rounds(&points, wanted)?;
        let slowdown = measure(rounds, Effort::Thorough)?;
        points.push(point(rounds, slowdown, Effort::Thorough, wanted));
        let is_near = is_accepted(slowdown.excess(), wanted);
        let is_consistent = (slowdown.excess() - wanted).abs() <= CONSISTENT * slowdown.error;
        let fitted = line(&points).map(|(intercept, slope)| intercept + slope * f64::from(rounds));
        if is_near || is_consistent && fitted.is_some_and(|excess| is_accepted(excess, wanted)) {
            return Ok(Calibrated { rounds, slowdown });
        }
    }
    let last = points.last().map_or(0.0, |point| point.excess);
    bail!("no length of the loop was found in {TRIES} tries; the last slowed down by {:.1} %", last * 100.0)
}

fn is_accepted(excess: f64, wanted: f64) -> bool {
    (wanted * ACCEPTED.0..=wanted * ACCEPTED.1).contains(&excess)
}

/// A measurement counts by its effort and by how near it is to what is wanted.
fn point(rounds: u32, slowdown: Slowdown, effort: Effort, wanted: f64) -> Point {
    let excess = slowdown.excess();
    let effort = if effort == Effort::Thorough { 10.0 } else { 1.0 };
    Point { rounds, excess, weight: effort / excess.max(wanted).powi(2) }
}

/// Where the line through the points reaches the wanted slowdown.
fn next_rounds(points: &[Point], wanted: f64) -> Result<u32> {
    let rounds = line(points)
        .map(|(intercept, slope)| (wanted - intercept) / slope)
        .filter(|rounds| rounds.is_finite() && *rounds < 1e9)
        .or_else(|| {
            let best = points.iter().max_by(|a, b| a.weight.total_cmp(&b.weight))?;
            Some(f64::from(best.rounds) * wanted / best.excess.max(wanted / 8.0))
        })
        .unwrap_or(0.0)
        .round();
    if rounds < 1.0 {
        bail!("one call of the loop is more than is wanted");
    }
    Ok(rounds as u32)
}

/// Intercept and slope of the weighted line through the points; none without two lengths that differ clearly, or if longer
/// loops are no slower.
fn line(points: &[Point]) -> Option<(f64, f64)> {
    let total: f64 = points.iter().map(|point| point.weight).sum();
    let mean = |value: fn(&Point) -> f64| {
        points.iter().map(|point| point.weight * value(point)).sum::<f64>() / total
    };
    let (rounds, excess) = (mean(|point| f64::from(point.rounds)), mean(|point| point.excess));
    let longest = points.iter().map(|point| point.rounds).max()?;
    let shortest = points.iter().map(|point| point.rounds).min()?;
    if f64::from(longest) < 1.2 * f64::from(shortest) {
        return None;
    }
    let sum = |value: &dyn Fn(&Point) -> f64| points.iter().map(|p| p.weight * value(p)).sum::<f64>();
    let across = sum(&|point| (f64::from(point.rounds) - rounds) * (point.excess - excess));
    let along = sum(&|point| (f64::from(point.rounds) - rounds).powi(2));
    let slope = across / along;
    (slope > 0.0).then_some((excess - slope * rounds, slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calibrates where one round costs `slope` and a call `intercept`, as shares; returns rounds and measurements taken.
    fn check(slope: f64, intercept: f64, nanoseconds: f64) -> Result<(u32, usize)> {
        let mut taken = 0;
        let mut measure = |rounds: u32, _| {
            taken += 1;
            let excess = intercept + slope * f64::from(rounds);
            Ok(Slowdown { log_ratio: excess.ln_1p(), error: 0.001 })
        };
        let found = calibrate(0.05, nanoseconds, &mut measure)?;
        let excess = found.slowdown.excess();
        assert!((0.045..=0.056).contains(&excess), "{excess}");
        Ok((found.rounds, taken))
    }

    #[test]
    fn a_line_without_noise_is_found_at_once() {
        // 1000 ns: the guess is 0.05 * 1000 / 0.7 = 71 rounds, which give 0.05; one far off and one thorough follow.
        assert_eq!(check(0.0007, 0.0, 1000.0).unwrap(), (71, 3));
        // Called 1000 times per operation: far off at first, then 0.05 / 0.7 of a round: more than is wanted.
        assert!(check(0.7, 0.0, 1000.0).is_err());
        // Called 20 times: 0.05 / 0.014 is 3.6 rounds, 4 give 0.056.
        assert_eq!(check(0.01390, 0.0, 1000.0).unwrap().0, 4);
    }

    #[test]
    fn the_price_of_a_call_is_part_of_the_slowdown() {
        let (rounds, _) = check(0.0007, 0.01, 1000.0).unwrap();
        assert!((56..=61).contains(&rounds), "{rounds}");
    }

    #[test]
    fn a_function_that_is_not_called_does_not_serve() {
        let error = check(0.0, 0.001, 1000.0).expect_err("nothing gets slower");
        assert!(error.to_string().contains("does not slow the benchmark down"), "{error}");
    }

    #[test]
    fn a_noisy_benchmark_serves_if_all_measurements_together_say_so() {
        // Thorough measurements err upwards and downwards in turn.
        let served = |error: f64, off: f64| {
            let mut sign = 1.0;
            let mut measure = |rounds: u32, effort| {
                let mut excess = 0.0007 * f64::from(rounds);
                if effort == Effort::Thorough {
                    excess += sign * off;
                    sign = -sign;
                }
                Ok(Slowdown { log_ratio: excess.ln_1p(), error })
            };
            calibrate(0.05, 1000.0, &mut measure).is_ok()
        };
        assert!(served(0.006, 0.007));
        assert!(!served(0.006, 0.040), "too far for its standard error");
        assert!(!served(0.001, 0.040));
    }

    #[test]
    fn a_slowdown_is_the_median_of_its_pairs() {
        // Deviations from 0.05: 0.01, 0, 0.01, 0.95, 0; their median is 0.01.
        let slowdown = Slowdown::of(&[0.04, 0.05, 0.06, 1.0, 0.05]).unwrap();
        assert_eq!(slowdown.log_ratio, 0.05);
        let expected = 0.01 * 1.4826 * 1.2533 / 5_f64.sqrt();
        assert!((slowdown.error - expected).abs() < 1e-6, "{}", slowdown.error);
        assert!(Slowdown::of(&[]).is_none());
    }
}
