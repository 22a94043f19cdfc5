//! The shifts that sequential evidence does not reject.

use super::Sign;
use crate::Interval;

/// Number of points between the far end and the middle at which the evidence is computed before the end is
/// narrowed down.
const STEPS: u32 = 32;

/// Number of halvings of the last step, which leave a millionth of it.
const HALVINGS: u32 = 20;

/// How often the distance from the middle is doubled while searching for a shift that is rejected.
const DOUBLINGS: i32 = 12;

/// Which shifts c are not rejected, if a shift is rejected when the values minus c have evidence of at least
/// `needed`?
///
/// `evidence(c, sign)` is the evidence that the values minus c have the direction `sign`. It has to be
/// continuous in c, and large if all values are far on that side of c. The lower end is the first shift that
/// is not rejected on the way up from far below, or from `rejected` if that is below the middle: if a shift
/// in that direction was rejected, so were those beyond it. The upper end is found in the same way. By
/// Ville's inequality each end misses the true shift with a probability of at most 1 / `needed` if `evidence`
/// is an e-process for each c. At the levels that e-BH requires, the expected share of missed shifts among
/// the found ones is at most 2 q: the e-BY procedure of Xu, Wang & Ramdas 2024 (arXiv 2203.12572), once for
/// each end.
///
/// `middle` is a shift that is not rejected, for example the median. It always belongs to the interval. An
/// end that the evidence cannot reach, because there are too few values, is infinite. `None` if a number is
/// not finite or if `range`, the distance of the outermost values, is negative. Calls `evidence` for about a
/// hundred shifts.
/// outermost values, is negative. One call of `evidence` for each of about a hundred shifts.
pub fn shifts_not_rejected(
    evidence: impl Fn(f64, Sign) -> f64,
    needed: f64,
    middle: f64,
    range: f64,
    rejected: Option<f64>,
) -> Option<Interval> {
    let are_finite = [needed, middle, range].iter().chain(&rejected).all(|number| number.is_finite());
    if !are_finite || range < 0.0 {
        return None;
    }
    // Even without any spread, the evidence is large from some distance on.
    let step = range.max(1e-3);
    let end = |sign: Sign| {
        let outwards = if sign == Sign::Positive { -1.0 } else { 1.0 };
        let is_rejected = |shift: f64| evidence(shift, sign) >= needed;
        let known = rejected.filter(|shift| (shift - middle) * outwards > 0.0);
        let mut further = (0..DOUBLINGS).map(|n| middle + outwards * step * 2_f64.powi(n));
        let far = known.or_else(|| further.find(|shift| is_rejected(*shift)));
        far.map_or(outwards * f64::INFINITY, |far| first_not_rejected(is_rejected, far, middle))
    };
    Some(Interval { lo: end(Sign::Positive), hi: end(Sign::Negative) })
}

/// The first shift that is not rejected on the way from `far`, which is rejected, to `middle`, which is not.
/// `middle` if all others are rejected.
fn first_not_rejected(is_rejected: impl Fn(f64) -> bool, far: f64, middle: f64) -> f64 {
    let at = |step: u32| far + (middle - far) * f64::from(step) / f64::from(STEPS);
    let Some(step) = (1..=STEPS).find(|step| !is_rejected(at(*step))) else { return middle };
    let (mut outside, mut inside) = (at(step - 1), at(step));
    for _ in 0..HALVINGS {
        let between = f64::midpoint(outside, inside);
        if is_rejected(between) {
            outside = between;
        } else {
            inside = between;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::super::{Evidence, StakeConstants};
    use super::*;

    const CONSTANTS: StakeConstants = StakeConstants { delta: 0.03, s0: 0.015, nu0: 2.0, nu: 4.0, eta: 0.02 };

    fn bets(past: &[f64], fresh: &[f64], shift: f64, sign: Sign) -> f64 {
        let past: Vec<f64> = past.iter().map(|value| value - shift).collect();
        let mut evidence = Evidence::new(CONSTANTS, sign, &past).expect("finite");
        for value in fresh {
            evidence.add(value - shift);
        }
        evidence.evidence()
    }

    fn shifts(past: &[f64], fresh: &[f64], needed: f64, rejected: Option<f64>) -> Interval {
        let mut sorted = fresh.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (middle, range) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1] - sorted[0]);
        let evidence = |shift, sign| bets(past, fresh, shift, sign);
        shifts_not_rejected(evidence, needed, middle, range, rejected).expect("finite")
    }

    #[test]
    fn a_threshold_on_the_shift_is_found_to_six_digits() {
        let evidence = |shift: f64, sign: Sign| match sign {
            Sign::Positive => (0.2 - shift).exp(),
            Sign::Negative => (shift - 0.7).exp(),
        };
        let interval = shifts_not_rejected(evidence, 1.0, 0.5, 1.0, None).expect("finite");
        assert!((interval.lo - 0.2).abs() < 1e-6 && (interval.hi - 0.7).abs() < 1e-6, "{interval:?}");
        // A shift that is known to be rejected stays outside, even if the evidence beyond it is smaller.
        let dips = |shift: f64, sign: Sign| if shift < 0.1 { 0.0 } else { evidence(shift, sign) };
        let known = shifts_not_rejected(dips, 1.0, 0.5, 1.0, Some(0.1)).expect("finite");
        assert!((known.lo - 0.2).abs() < 1e-6, "{known:?}");
    }

    #[test]
    fn what_confirmed_lies_outside_and_the_middle_inside() {
        let past = [0.051, 0.048, 0.060, 0.043, 0.055];
        let fresh = [0.047, 0.058, 0.050, 0.044, 0.053];
        assert!(bets(&past, &fresh, 0.0, Sign::Positive) >= 20.0);
        let interval = shifts(&past, &fresh, 20.0, Some(0.0));
        assert!(0.02 < interval.lo && interval.lo < 0.044, "{interval:?}");
        assert!(0.058 < interval.hi && interval.hi < 0.09, "{interval:?}");
        // Adding a constant to all values moves the interval by it, and the other direction mirrors the
        // interval.
        let moved = |by: f64| -> Vec<f64> { fresh.iter().map(|value| value + by).collect() };
        let past_moved: Vec<f64> = past.iter().map(|value| value + 1.0).collect();
        let far = shifts(&past_moved, &moved(1.0), 20.0, Some(0.0));
        assert!((far.lo - interval.lo - 1.0).abs() < 1e-4, "{far:?} {interval:?}");
        let mirrored = |list: &[f64]| -> Vec<f64> { list.iter().map(|value| -value).collect() };
        let below = shifts(&mirrored(&past), &mirrored(&fresh), 20.0, Some(0.0));
        assert!((below.hi + interval.lo).abs() < 1e-4, "{below:?} {interval:?}");
    }

    #[test]
    fn wild_values_and_too_few_leave_a_wide_interval() {
        let past = [0.051, 0.048, 0.060, 0.043, 0.055];
        let fresh = [0.047, -0.350, 0.050, 0.044, 0.053, 0.049, 0.052];
        let interval = shifts(&past, &fresh, 20.0, Some(0.0));
        assert!(interval.lo > 0.0 && interval.lo < 0.044 && interval.hi < 0.12, "{interval:?}");
        let few = shifts(&past, &fresh[..1], 20.0, None);
        assert_eq!((few.lo, few.hi), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(shifts_not_rejected(|_, _| 1.0, f64::NAN, 0.0, 1.0, None).is_none());
        assert!(shifts_not_rejected(|_, _| 1.0, 1.0, 0.0, -1.0, None).is_none());
    }

    #[test]
    fn the_true_shift_is_missed_seldom_even_when_stopped_by_the_evidence() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(23);
        let mut uniform = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (mut missed, mut found, truth) = (0, 0, 0.05);
        for _ in 0..400 {
            // Symmetric around the truth with two modes, unlike the distribution that the constants assume.
            let mut draw = || {
                let side = if uniform() < 0.5 { -0.04 } else { 0.04 };
                truth + side + 0.02 * (uniform() - 0.5)
            };
            let past: Vec<f64> = (0..10).map(|_| draw()).collect();
            let mut fresh = Vec::new();
            while fresh.len() < 60 && bets(&past, &fresh, 0.0, Sign::Positive) < 20.0 {
                fresh.push(draw());
            }
            if bets(&past, &fresh, 0.0, Sign::Positive) < 20.0 {
                continue;
            }
            found += 1;
            missed += u32::from(!shifts(&past, &fresh, 20.0, Some(0.0)).contains(truth));
        }
        let share = f64::from(missed) / f64::from(found);
        assert!(found > 200 && share <= 0.10, "{missed} of {found}");
    }
}
