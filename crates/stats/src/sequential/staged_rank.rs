//! Signed-rank p-values at a few fixed looks.

use crate::Alternative;
use crate::rank::signed_rank_exact;
use crate::sample::finite;

/// One look of a staged test and its share of the error budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Number of fresh values at which the look takes place.
    pub n: usize,
    /// Share of the level for this look. The shares of all stages add up to at most 1.
    pub weight: f64,
}

/// The looks of the signed-rank confirmation. Most of the level is used at the first look, because most real
/// changes are found there.
pub const SIGNED_RANK_STAGES: [Stage; 4] = [
    Stage { n: 7, weight: 0.4 },
    Stage { n: 14, weight: 0.2 },
    Stage { n: 25, weight: 0.2 },
    Stage { n: 40, weight: 0.2 },
];

/// How surprising is it, over all looks so far, that the values tend upwards?
///
/// At each stage that was reached, the exact one-sided signed-rank p-value of the first n values is divided
/// by the stage's weight. The result is the smallest of these, at most 1. Assumes that under the null
/// hypothesis the sign of each value is a fair coin given its size and the past. Valid as a p-value by the
/// union bound. Wilcoxon 1945 (Biometrics Bull. 1); weights as in Lan & DeMets 1983 (Biometrika 70).
///
/// 1 before the first stage. Zeros are left out and ties share ranks; the result is still exact. `None` for a
/// value that is not finite or a weight outside (0, 1\]. O(n³) at the last stage, microseconds for 40.
pub fn staged_signed_rank(fresh: &[f64], stages: &[Stage]) -> Option<f64> {
    finite(fresh)?;
    let mut smallest: f64 = 1.0;
    for stage in stages {
        if !(stage.weight > 0.0 && stage.weight <= 1.0) {
            return None;
        }
        if stage.n > 0 && stage.n <= fresh.len() {
            let p = signed_rank_exact(&fresh[..stage.n], Alternative::Greater).map_or(1.0, |test| test.p);
            smallest = smallest.min(p / stage.weight);
        }
    }
    Some(smallest)
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    fn check(fresh: &[f64], expected: f64) {
        let p = staged_signed_rank(fresh, &SIGNED_RANK_STAGES).expect("defined");
        assert!((p - expected).abs() < 1e-15, "{p} instead of {expected}");
    }

    #[test]
    fn hand_cases() {
        let rising: Vec<f64> = (1..=14).map(f64::from).collect();
        check(&rising[..6], 1.0);
        // Seven positive values: 2^-7 / 0.4.
        check(&rising[..7], 1.0 / 128.0 / 0.4);
        check(&rising[..13], 1.0 / 128.0 / 0.4);
        // Fourteen: 2^-14 / 0.2 is smaller.
        check(&rising, 1.0 / 16384.0 / 0.2);
    }

    #[test]
    fn the_smallest_so_far_is_kept() {
        let mut values: Vec<f64> = (1..=7).map(f64::from).collect();
        values.extend((1..=7).map(|i| -100.0 * f64::from(i)));
        check(&values, 1.0 / 128.0 / 0.4);
    }

    #[test]
    fn only_zeros_say_nothing() {
        check(&[0.0; 40], 1.0);
    }

    #[test]
    fn without_an_effect_the_level_is_kept() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(8);
        let level = 0.05;
        let mut rejected = 0;
        for _ in 0..4000 {
            // Sizes are arbitrary and only signs are random: some are tied, some far out.
            let fresh: Vec<f64> = (0..40)
                .map(|i| {
                    f64::from(1 + (i * i) % 23) * if generator.next_u64() >> 63 == 0 { 1.0 } else { -1.0 }
                })
                .collect();
            let p = staged_signed_rank(&fresh, &SIGNED_RANK_STAGES).expect("defined");
            rejected += u32::from(p <= level);
        }
        let share = f64::from(rejected) / 4000.0;
        assert!((0.01..=level).contains(&share), "{share} rejected");
    }

    #[test]
    fn senseless_input_gives_none() {
        assert_eq!(staged_signed_rank(&[f64::NAN], &SIGNED_RANK_STAGES), None);
        assert_eq!(staged_signed_rank(&[1.0], &[Stage { n: 1, weight: 0.0 }]), None);
    }
}
