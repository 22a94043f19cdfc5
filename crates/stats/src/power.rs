//! How often a test will find a shift of normal values. This is needed for planning before anything is
//! measured.

use crate::rank::left_out;
use crate::reference_distribution::{beta_cdf, chi_squared_quantile, normal_cdf, t_quantile};
use crate::sample::open_share;

/// Asymptotic efficiency of the Hodges-Lehmann shift relative to the difference of means for normal values,
/// 3/π.
const SHIFT_EFFICIENCY: f64 = 3.0 / std::f64::consts::PI;

/// The assumed shift between two samples of equal size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shifted {
    /// Values per sample.
    pub n: usize,
    /// The shift between the samples.
    pub shift: f64,
    /// Standard deviation of one value.
    pub deviation: f64,
    /// The part of it that is independent for each value. The rest is drawn once and is the same for both
    /// samples, like the effects of machines on which both were measured equally often. At most `deviation`.
    pub own: f64,
    /// The share of outliers, which hide the shift: they are so large in the first sample, or so small in the
    /// second, that they are beyond the whole other sample.
    pub wild: f64,
}

/// How often does a two-sided Mann-Whitney test at `level` find the shift, with the right sign?
///
/// Assumes normal values. U / n² is assumed to follow a beta distribution with the mean and variance of U
/// under the shift (Lehmann 1975, Nonparametrics, section 2.3). The critical value is exact up to 400 pairs.
/// A share of the deviation that both samples have in common does not change the mean of U, and reduces the
/// variance by its share. The number of outliers is binomial, and each loses its pairs.
///
/// `None` for fewer than one value, a deviation that is not positive, or `level` outside (0, 1). 0 if no
/// outcome is as rare as `level`.
pub fn rank_sum(of: Shifted, level: f64) -> Option<f64> {
    open_share(level)?;
    if of.n == 0 || !(of.deviation > 0.0 && of.own >= 0.0 && of.shift.is_finite()) {
        return None;
    }
    let Some(outside) = left_out(of.n, of.n, 1.0 - level) else { return Some(0.0) };
    let n = of.n as f64;
    let pairs = n * n;
    let (one, two) = pair_probabilities(of.shift / of.deviation);
    let variance = (one * (1.0 - one) + 2.0 * (n - 1.0) * (two - one * one)) / pairs;
    let own = (of.own / of.deviation).min(1.0).powi(2) * variance;
    // The shift is found if U is at least this. Half a step is subtracted because U is a whole number.
    let critical = (pairs - outside as f64 - 0.5) / pairs;
    let wild = of.wild.clamp(0.0, 1.0);
    let mut found = 0.0;
    let mut share = (1.0 - wild).powi(of.n as i32);
    for count in 0..=of.n {
        // An outlier loses all its pairs.
        let left = 1.0 - count as f64 / n;
        found += share * exceeds(critical, one * left, own * left * left);
        share *= wild / (1.0 - wild).max(f64::MIN_POSITIVE) * (n - count as f64) / (count as f64 + 1.0);
    }
    Some(found.min(1.0))
}

/// The probability that a share with this mean and variance is at least `critical`, as a beta distribution.
fn exceeds(critical: f64, mean: f64, variance: f64) -> f64 {
    let size = mean * (1.0 - mean) / variance.max(f64::MIN_POSITIVE) - 1.0;
    // Beyond these sizes the distribution consists of one or two points.
    if !(1e-6..1e7).contains(&size) {
        return if mean >= critical { 1.0 } else { 0.0 };
    }
    1.0 - beta_cdf(critical.clamp(0.0, 1.0), mean * size, (1.0 - mean) * size)
}

/// P(X < Y) and P(X < Y, X' < Y) for standard normal X, X' and Y with mean `distance`: Simpson's rule over Y.
fn pair_probabilities(distance: f64) -> (f64, f64) {
    const REACH: f64 = 8.0;
    const STEPS: u32 = 128;
    let width = 2.0 * REACH / f64::from(STEPS);
    let (mut one, mut two) = (0.0, 0.0);
    for step in 0..=STEPS {
        let z = -REACH + width * f64::from(step);
        let weight = match step {
            0 | STEPS => 1.0,
            step if step % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * weight * width / 3.0;
        let below = normal_cdf(z + distance);
        one += density * below;
        two += density * below * below;
    }
    (one, two)
}

/// How often is the Hodges-Lehmann shift of the samples at least `bound`?
///
/// Assumes normal values and a normal distribution of the estimate, with an efficiency of 3/π. Effects that
/// both samples share do not change it. `None` for fewer than one value or a negative deviation.
pub fn shift_at_least(of: Shifted, bound: f64) -> Option<f64> {
    if of.n == 0 || of.own.is_nan() || of.own < 0.0 {
        return None;
    }
    let error = of.own * (2.0 / (of.n as f64 * SHIFT_EFFICIENCY)).sqrt();
    Some(at_least(of.shift, error, bound))
}

/// P(X >= `bound`) of a normal X. Without spread it is 0 or 1.
pub fn at_least(mean: f64, deviation: f64, bound: f64) -> f64 {
    if deviation > 0.0 {
        normal_cdf((mean - bound) / deviation)
    } else if mean >= bound {
        1.0
    } else {
        0.0
    }
}

/// The quantile of Student's t beyond which there is a share `a` on both sides together. `None` for a share
/// outside (0, 1) or less than one degree of freedom.
pub fn t_reach(a: f64, degrees: usize) -> Option<f64> {
    open_share(a)?;
    (degrees > 0).then(|| t_quantile(1.0 - a / 2.0, degrees as f64))
}

/// The mean of `n` normal values with this standard deviation that a two-sided t test at `level` tells from zero with probability
/// `power`, from the sum of both quantiles of Student's t (2 % too small for ten values). `None` below two values, or for a share
/// outside (0, 1).
pub fn smallest_shift(deviation: f64, n: usize, level: f64, power: f64) -> Option<f64> {
    open_share(power)?;
    let degrees = n.checked_sub(1)?;
    let reach = t_reach(level, degrees)? + t_quantile(power, degrees as f64);
    (deviation >= 0.0).then(|| reach * deviation / (n as f64).sqrt())
}

/// By how much a variance estimated with so many degrees of freedom has to be multiplied so that the true one is no larger with
/// probability `confidence`: degrees over the quantile of chi-squared. Assumes normal values. 1 for no degrees; `None` for a confidence
/// outside (0, 1).
pub fn variance_factor(degrees: usize, confidence: f64) -> Option<f64> {
    open_share(confidence)?;
    if degrees == 0 {
        return Some(1.0);
    }
    let degrees = degrees as f64;
    Some(degrees / chi_squared_quantile(1.0 - confidence, degrees))
}

/// How often do bets on the signs of `n` normal values reach `evidence`, and after how many values on average
/// if betting continues?
///
/// The bettor of [`crate::sequential::Evidence`] is assumed to know the values' mean, `shift` standard
/// deviations, so that a value x multiplies its capital by 1 + sgn(x) min(tanh(shift |x|), 1 / (1 + 2 eta)).
/// The logarithm of its capital is approximated by a Brownian motion with the mean and variance of one step,
/// which first reaches ln(`evidence`) after an inverse Gaussian time. `None` for a shift that is not
/// positive, or an evidence of at most 1.
pub fn sign_bets(shift: f64, n: u32, evidence: f64, eta: f64) -> Option<(f64, f64)> {
    if !(shift > 0.0 && shift.is_finite() && evidence > 1.0 && eta >= 0.0) {
        return None;
    }
    let (drift, variance) = bet_moments(shift, 1.0 / (1.0 + 2.0 * eta));
    let bound = evidence.ln();
    let n = f64::from(n);
    // No bet doubles the capital, so fewer values than this are never enough.
    if n * (2.0_f64).ln() < bound || drift <= 0.0 {
        return Some((0.0, f64::INFINITY));
    }
    let spread = (n * variance).sqrt();
    let first = normal_cdf((drift * n - bound) / spread);
    // This is the product of a very large and a very small number, so it is only used if it is finite.
    let second = (2.0 * drift * bound / variance).exp() * normal_cdf((-bound - drift * n) / spread);
    let reached = if second.is_finite() { (first + second).min(1.0) } else { first };
    Some((reached, (bound / drift).max(bound / (2.0_f64).ln())))
}

/// Mean and variance of the logarithm of one bet.
fn bet_moments(shift: f64, most: f64) -> (f64, f64) {
    const REACH: f64 = 8.0;
    const STEPS: u32 = 256;
    let width = 2.0 * REACH / f64::from(STEPS);
    let (mut mean, mut square) = (0.0, 0.0);
    for step in 0..STEPS {
        let z = -REACH + width * (f64::from(step) + 0.5);
        let x = shift + z;
        let log = (x.signum() * (shift * x.abs()).tanh().min(most)).ln_1p();
        let weight = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * width;
        mean += weight * log;
        square += weight * log * log;
    }
    (mean, square - mean * mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(n: usize, shift: f64) -> Shifted {
        Shifted { n, shift, deviation: 1.0, own: 1.0, wild: 0.0 }
    }

    #[test]
    fn pair_probabilities_are_those_of_the_normal_distribution() {
        // P(X < Y) = Φ(d / √2); at d = 0 the two are 1/2 and 1/3.
        let (one, two) = pair_probabilities(0.0);
        assert!((one - 0.5).abs() < 1e-9 && (two - 1.0 / 3.0).abs() < 1e-9, "{one} {two}");
        let (one, _) = pair_probabilities(1.5);
        assert!((one - normal_cdf(1.5 / 2.0_f64.sqrt())).abs() < 1e-9);
    }

    #[test]
    fn more_values_and_larger_shifts_are_found_more_often() {
        let power = |n, shift| rank_sum(shifted(n, shift), 0.01).expect("defined");
        assert!(power(8, 1.0) < power(8, 2.0) && power(8, 2.0) < power(16, 2.0));
        assert!(power(30, 3.0) > 0.999);
        // Three against three never have a p-value below 10 %.
        assert_eq!(power(3, 5.0), 0.0);
    }

    #[test]
    fn without_a_shift_the_level_is_kept() {
        for n in [6, 10, 19] {
            let found = rank_sum(shifted(n, 0.0), 0.05).expect("defined");
            assert!(found < 0.03, "{n}: {found}");
        }
    }

    #[test]
    fn shared_spread_takes_the_luck_away() {
        let with = |own| rank_sum(Shifted { own, ..shifted(12, 2.2) }, 0.002).expect("defined");
        assert!(with(0.3) > with(1.0), "{} {}", with(0.3), with(1.0));
        assert_eq!(with(0.0), 1.0);
    }

    #[test]
    fn few_values_cannot_afford_a_wild_one() {
        // Seven against seven need nearly all pairs, sixteen against sixteen do not. If one value in fifty is
        // an outlier, there is none among seven in 87 % of cases.
        let with = |n, wild| rank_sum(Shifted { wild, ..shifted(n, 5.0) }, 0.002).expect("defined");
        assert!(with(7, 0.0) > 0.99 && (with(7, 0.02) - 0.98_f64.powi(7)).abs() < 0.02, "{}", with(7, 0.02));
        assert!(with(16, 0.02) > 0.98, "{}", with(16, 0.02));
    }

    #[test]
    fn bets_need_five_values_for_twenty_to_one() {
        assert_eq!(sign_bets(5.0, 4, 20.0, 0.02).expect("defined").0, 0.0);
        let (reached, mean) = sign_bets(5.0, 8, 20.0, 0.02).expect("defined");
        assert!(reached > 0.99 && mean > 4.3 && mean < 5.5, "{reached} {mean}");
        assert!(sign_bets(0.3, 20, 20.0, 0.02).expect("defined").0 < 0.3);
    }

    #[test]
    fn senseless_questions_have_no_answer() {
        assert_eq!(rank_sum(shifted(0, 1.0), 0.05), None);
        assert_eq!(rank_sum(shifted(5, 1.0), 0.0), None);
        assert_eq!(rank_sum(Shifted { deviation: 0.0, ..shifted(5, 1.0) }, 0.05), None);
        assert_eq!(sign_bets(0.0, 10, 20.0, 0.02), None);
        assert_eq!(t_reach(0.02, 0), None);
        assert_eq!(variance_factor(4, 1.0), None);
    }

    #[test]
    fn few_degrees_leave_much_room() {
        // The 30 % quantile of chi-squared is 2.1947 with 4 degrees, and 6.3933 with 9 degrees.
        assert!((variance_factor(4, 0.7).expect("defined") - 4.0 / 2.194_698).abs() < 1e-4);
        assert!((variance_factor(9, 0.7).expect("defined") - 9.0 / 6.393_306).abs() < 1e-4);
        assert_eq!(variance_factor(0, 0.7), Some(1.0));
    }

    /// Reference: the shift for which 60,000 simulated t tests each had the power 0.80.
    #[test]
    fn the_smallest_shift_is_found_four_times_in_five() {
        let check = |n: usize, expected: f64| {
            let found = smallest_shift(2.0, n, 0.01, 0.8).unwrap() / 2.0;
            assert!((found / expected - 1.0).abs() < 0.05, "{n}: {found}");
        };
        check(10, 1.332);
        check(40, 0.564);
        assert_eq!(smallest_shift(1.0, 1, 0.01, 0.8), None);
    }
}
