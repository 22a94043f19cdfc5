//! Tests two small samples whose spread is roughly known from an earlier measurement.
//!
//! A rank test needs several values per sample: the smallest p-value of three against three is one in ten. If
//! the same thing was measured before, its spread is roughly known, and a single value on each side is
//! informative.

use crate::dispersion::{median, quantile};
use crate::reference_distribution::{chi_squared_quantile, normal_cdf, t_cdf, t_quantile};
use crate::sample::open_share;

/// Prior knowledge about the spread of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownSpread {
    /// Variance of one value within its group, positive.
    pub variance: f64,
    /// The number of degrees of freedom that this knowledge counts as, positive. It should be small if the
    /// spread itself may have changed.
    pub degrees: f64,
}

/// A shift and its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownShift {
    /// The median of the differences between second and first.
    pub shift: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub degrees: f64,
}

/// The upper quartile of |Z|, Z standard normal.
const UPPER_QUARTILE: f64 = 1.150_349_380_376_008;
/// Asymptotic efficiency of the median of differences relative to the difference of means for normal values,
/// 3/π. With fewer than three values per sample the two are nearly equal.
const EFFICIENCY: f64 = 3.0 / std::f64::consts::PI;
/// With at least this many values per sample, the median of differences ignores an outlier.
pub const ROBUST_FROM: usize = 3;

/// By how much is the second sample larger than the first?
///
/// Values are in groups (machines, for example) that both samples share, and only values of the same group
/// are compared. The shift is the median of all differences within groups (Hodges & Lehmann 1963). Its error
/// is computed from a moderated variance: the earlier one and the spread within the groups of each sample,
/// weighted by their degrees of freedom, as Smyth 2004 (Stat. Appl. Genet. Mol. Biol. 3) does for thousands
/// of genes with few replicates. The spread is computed from the upper quartile of absolute differences, so
/// that one outlier in eight does not count. Assumes independent values that are equal except for group and
/// shift, and roughly normal.
///
/// One value per sample is enough: its error is then the earlier one. `None` if there is no group with values
/// on both sides, for values that are not finite, or for a known spread that is not positive.
pub fn known_shift(first: &[Vec<f64>], second: &[Vec<f64>], known: KnownSpread) -> Option<KnownShift> {
    let is_positive = |value: f64| value > 0.0 && value.is_finite();
    if !is_positive(known.variance) || !is_positive(known.degrees) {
        return None;
    }
    let pairs = |(old, new): (&Vec<f64>, &Vec<f64>)| {
        let of = |old: &f64| new.iter().map(|new| new - old).collect::<Vec<f64>>();
        old.iter().flat_map(of).collect::<Vec<f64>>()
    };
    let differences: Vec<f64> = first.iter().zip(second).flat_map(pairs).collect();
    let shift = median(&differences)?;
    let (mut spreads, mut seen) = (Vec::new(), 0);
    for group in first.iter().chain(second) {
        seen += group.len().saturating_sub(1);
        for (at, value) in group.iter().enumerate() {
            spreads.extend(group[at + 1..].iter().map(|other| (value - other).abs()));
        }
    }
    let spread = quantile(&spreads, 0.75).map_or(0.0, |scale| (scale / UPPER_QUARTILE).powi(2) / 2.0);
    let degrees = known.degrees + seen as f64;
    let variance = (known.degrees * known.variance + seen as f64 * spread) / degrees;
    let [n, m] = [first, second].map(|groups| groups.iter().map(Vec::len).sum::<usize>());
    let error = error(variance, n, m);
    Some(KnownShift { shift, error, degrees })
}

fn error(variance: f64, n: usize, m: usize) -> f64 {
    let efficiency = if n.min(m) >= ROBUST_FROM { EFFICIENCY } else { 1.0 };
    (variance * (1.0 / n as f64 + 1.0 / m as f64) / efficiency).sqrt()
}

impl KnownShift {
    /// The probability of a shift at least as large if there is none, with `more` added to the shift.
    /// One-sided, Student's t.
    pub fn p_larger(&self, more: f64) -> f64 {
        1.0 - t_cdf((self.shift + more) / self.error, self.degrees)
    }
}

/// The goal of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownPlan {
    /// Values per sample.
    pub n: usize,
    /// Number of groups over which they are spread evenly.
    pub groups: usize,
    /// The true shift.
    pub shift: f64,
    /// The smallest shift that counts.
    pub bound: f64,
    /// One-sided level of the test.
    pub level: f64,
}

/// Number of quantiles of the variance over which power is averaged.
const QUANTILES: u32 = 15;

/// How often does [`known_shift`] find a shift at this level that is at least as large as the bound?
///
/// The variance of the next measurement is not the known one. It is assumed to be known variance x degrees /
/// chi-squared, the Bayesian predictive distribution with a reference prior, and power is averaged over it.
/// So a benchmark that looked hopeless is not given up, and one that looked perfect is not trusted
/// completely. `None` for no values, a level outside (0, 1), or a known spread that is not positive.
pub fn known_power(known: KnownSpread, plan: KnownPlan) -> Option<f64> {
    open_share(plan.level)?;
    if plan.n == 0 || known.variance.is_nan() || known.variance <= 0.0 || known.degrees <= 0.0 {
        return None;
    }
    let seen = 2.0 * plan.n.saturating_sub(plan.groups.max(1)) as f64;
    let degrees = known.degrees + seen;
    let reach = t_quantile(1.0 - plan.level, degrees);
    let of = |step: u32| {
        let share = (f64::from(step) + 0.5) / f64::from(QUANTILES);
        let met = known.variance * known.degrees / chi_squared_quantile(share, known.degrees);
        let estimated = (known.degrees * known.variance + seen * met) / degrees;
        let bound = (reach * error(estimated, plan.n, plan.n)).max(plan.bound);
        normal_cdf((plan.shift - bound) / error(met, plan.n, plan.n))
    };
    Some((0..QUANTILES).map(of).sum::<f64>() / f64::from(QUANTILES))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: KnownSpread = KnownSpread { variance: 1e-4, degrees: 3.0 };

    #[test]
    fn one_value_per_sample_has_the_known_error() {
        let found = known_shift(&[vec![1.0]], &[vec![1.05]], KNOWN).unwrap();
        // The square root of 1e-4 x (1 + 1).
        assert!((found.shift - 0.05).abs() < 1e-12 && (found.error - 0.014_142_135_6).abs() < 1e-9);
        assert_eq!(found.degrees, 3.0);
        // t = 3.5355 with three degrees: 1.92 % (scipy 1.17.1, stats.t.sf(0.05 / 0.0141421356, 3)).
        assert!((found.p_larger(0.0) - 0.019_243).abs() < 1e-5, "{}", found.p_larger(0.0));
        assert!(found.p_larger(-0.1) > 0.97);
    }

    #[test]
    fn groups_that_both_share_do_not_matter() {
        let apart = |far: f64| {
            let first = [vec![0.00, 0.01, 0.02], vec![far, far + 0.01, far + 0.02]];
            let second = [vec![0.05, 0.06, 0.07], vec![far + 0.05, far + 0.06, far + 0.07]];
            known_shift(&first, &second, KNOWN).unwrap()
        };
        let (near, far) = (apart(0.0), apart(9.0));
        assert!((near.shift - far.shift).abs() < 1e-9 && (near.error - far.error).abs() < 1e-9);
        assert_eq!(near.degrees, 3.0 + 8.0);
    }

    #[test]
    fn spread_that_is_seen_counts_by_its_degrees_and_a_wild_value_does_not() {
        let calm = known_shift(&[vec![0.0; 5]], &[vec![0.0; 5]], KNOWN).unwrap();
        // 3 of 11 degrees have the known variance; for the others it is zero.
        let expected = (3.0 / 11.0 * 1e-4 * (2.0 / 5.0) / EFFICIENCY).sqrt();
        assert!((calm.error - expected).abs() < 1e-12);
        let wild = known_shift(&[vec![0.0; 9]], &[[vec![0.0; 8], vec![7.0]].concat()], KNOWN).unwrap();
        assert_eq!(wild.shift, 0.0);
        assert!(wild.error < calm.error);
    }

    #[test]
    fn without_values_or_knowledge_there_is_no_answer() {
        assert_eq!(known_shift(&[], &[], KNOWN), None);
        assert_eq!(known_shift(&[vec![1.0]], &[vec![]], KNOWN), None);
        assert_eq!(known_shift(&[vec![f64::NAN]], &[vec![1.0]], KNOWN), None);
        let unknown = KnownSpread { variance: 0.0, ..KNOWN };
        assert_eq!(known_shift(&[vec![1.0]], &[vec![1.0]], unknown), None);
        let plan = KnownPlan { n: 0, groups: 1, shift: 0.05, bound: 0.03, level: 0.05 };
        assert_eq!(known_power(KNOWN, plan), None);
        assert_eq!(known_power(KNOWN, KnownPlan { n: 3, level: 1.0, ..plan }), None);
    }

    #[test]
    fn predicted_power_is_what_the_test_reaches() {
        use rand_xoshiro::Xoshiro256PlusPlus;
        use rand_xoshiro::rand_core::{Rng, SeedableRng};
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(11);
        let mut share = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON;
        const TRIALS: u32 = 4000;
        for (n, level) in [(1, 0.1), (4, 0.05), (9, 0.02)] {
            let (mut found, mut alarms) = (0, 0);
            for _ in 0..TRIALS {
                let met = KNOWN.variance * KNOWN.degrees / chi_squared_quantile(share(), KNOWN.degrees);
                let mut normal =
                    || met.sqrt() * (-2.0 * share().ln()).sqrt() * (std::f64::consts::TAU * share()).cos();
                let [first, second] = [0, 1].map(|_| vec![(0..n).map(|_| normal()).collect::<Vec<f64>>()]);
                let seen = known_shift(&first, &second, KNOWN).unwrap();
                found += u32::from(seen.shift + 0.05 >= 0.03 && seen.p_larger(0.05) <= level);
                alarms += u32::from(seen.p_larger(0.0) <= level);
            }
            let plan = KnownPlan { n, groups: 1, shift: 0.05, bound: 0.03, level };
            let (found, alarms) =
                (f64::from(found) / f64::from(TRIALS), f64::from(alarms) / f64::from(TRIALS));
            let predicted = known_power(KNOWN, plan).unwrap();
            assert!((predicted - found).abs() < 0.03, "{n}: predicted {predicted}, found {found}");
            assert!(alarms < 1.3 * level, "{n}: {alarms}");
        }
    }
}
