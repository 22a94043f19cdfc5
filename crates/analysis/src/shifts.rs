//! The interval of a confirmed change: all changes that the evidence does not reject.

use benchwright_model::Effect;
use benchwright_stats::dispersion::median;
use benchwright_stats::sequential::{
    Evidence, SIGNED_RANK_STAGES, Sign, StakeConstants, shifts_not_rejected, staged_signed_rank,
};

use crate::Confirm;

/// The data that confirmed a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Confirmation<'a> {
    /// The test.
    pub(crate) confirm: Confirm,
    /// The threshold as a logarithm.
    pub(crate) delta: f64,
    /// The log-ratios known before the first bet.
    pub(crate) past: &'a [f64],
    /// The log-ratios that were bet on.
    pub(crate) fresh: &'a [f64],
    /// The evidence that was required.
    pub(crate) needed: f64,
}

impl Confirmation<'_> {
    /// The interval around `estimate`: all changes that the same test, on the same fresh ratios, does not
    /// reject at the same level. A change of zero was rejected, so the interval excludes it. The estimate
    /// always belongs to the interval, whatever it was computed from. Each end misses the true change with a
    /// probability of at most 1 / `needed`, as [`shifts_not_rejected`] explains.
    ///
    /// `None` without fresh ratios. If there are too few ratios for an end, it is the outermost ratio.
    pub(crate) fn effect(&self, estimate: f64) -> Option<Effect> {
        let middle = median(self.fresh)?;
        let smallest = self.fresh.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = self.fresh.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let evidence = |shift: f64, sign: Sign| self.evidence(shift, sign);
        let shifts = shifts_not_rejected(evidence, self.needed, middle, largest - smallest, Some(0.0))?;
        let reached = |end: f64, outermost: f64| if end.is_finite() { end } else { outermost };
        Some(Effect {
            centre: estimate,
            lo: reached(shifts.lo, smallest).min(estimate),
            hi: reached(shifts.hi, largest).max(estimate),
            level: 1.0 - 2.0 / self.needed,
        })
    }

    /// The evidence that the change differs from `shift` in this direction.
    fn evidence(&self, shift: f64, sign: Sign) -> f64 {
        let shifted = |list: &[f64]| -> Vec<f64> { list.iter().map(|ratio| ratio - shift).collect() };
        match self.confirm {
            Confirm::Stakes => {
                let constants = StakeConstants::for_log_ratios(self.delta);
                let Some(mut bets) = Evidence::new(constants, sign, &shifted(self.past)) else { return 1.0 };
                for ratio in shifted(self.fresh) {
                    bets.add(ratio);
                }
                bets.evidence()
            }
            Confirm::Wilcoxon => {
                let direction = if sign == Sign::Positive { 1.0 } else { -1.0 };
                let leaning: Vec<f64> = shifted(self.fresh).iter().map(|ratio| ratio * direction).collect();
                staged_signed_rank(&leaning, &SIGNED_RANK_STAGES).map_or(1.0, |p| 1.0 / p)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(confirm: Confirm, past: &[f64], fresh: &[f64], within: [f64; 2]) {
        for sign in [1.0, -1.0] {
            let turned = |list: &[f64]| -> Vec<f64> { list.iter().map(|ratio| ratio * sign).collect() };
            let (past, fresh) = (turned(past), turned(fresh));
            let all = Confirmation { confirm, delta: 0.029559, past: &past, fresh: &fresh, needed: 20.0 };
            let effect = all.effect(0.05 * sign).expect("fresh ratios");
            let [lo, hi] = if sign > 0.0 { [effect.lo, effect.hi] } else { [-effect.hi, -effect.lo] };
            assert!(within[0] < lo && lo < 0.05 && 0.05 < hi && hi < within[1], "{confirm:?} {effect:?}");
            assert!((effect.level - 0.9).abs() < 1e-12);
        }
    }

    #[test]
    fn the_interval_of_what_was_confirmed_excludes_zero_in_both_directions() {
        let past = [0.051, 0.048, 0.060, 0.043, 0.055];
        check(Confirm::Stakes, &past, &[0.047, 0.058, 0.050, 0.044, 0.053], [0.02, 0.085]);
        // So noisy that an ordinary interval of these five would include zero.
        check(Confirm::Stakes, &past, &[0.047, 0.158, 0.050, 0.004, 0.153, 0.06], [0.0, 0.25]);
        check(Confirm::Wilcoxon, &past, &[0.047, 0.058, 0.05, 0.044, 0.053, 0.041, 0.06], [0.0, 0.07]);
    }

    #[test]
    fn the_estimate_belongs_to_the_interval() {
        let (past, fresh) = ([0.4; 5], [0.05; 5]);
        let all =
            Confirmation { confirm: Confirm::Stakes, delta: 0.03, past: &past, fresh: &fresh, needed: 20.0 };
        assert_eq!(all.effect(0.3).map(|effect| effect.hi), Some(0.3));
        assert_eq!(Confirmation { fresh: &[], ..all }.effect(0.3), None);
    }
}
