//! Evidence from fresh duets, and how much of it is needed.

use benchwright_stats::sequential::{
    Evidence as Bets, SIGNED_RANK_STAGES, Sign, StakeConstants, e_bh, staged_signed_rank,
};

use crate::Confirm;

/// The sequential test of one suspect. It takes fresh duets and computes the evidence E. If there is no
/// change, E ever reaches 20 with a probability of at most 5 %, however often it is examined.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    sign: f64,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    Stakes(Bets),
    /// The fresh duets, times the suspected sign.
    Wilcoxon(Vec<f64>),
}

impl Evidence {
    /// A suspect of direction `sign` (+1: head is larger), with its screening duets as past data. `None` if
    /// these are not finite.
    pub(crate) fn new(confirm: Confirm, sign: f64, screening: &[f64], delta: f64) -> Option<Self> {
        let direction = if sign > 0.0 { Sign::Positive } else { Sign::Negative };
        let test = match confirm {
            Confirm::Stakes => {
                Test::Stakes(Bets::new(StakeConstants::for_log_ratios(delta), direction, screening)?)
            }
            Confirm::Wilcoxon => Test::Wilcoxon(Vec::new()),
        };
        Some(Evidence { sign, test })
    }

    /// Takes one fresh duet.
    pub(crate) fn push(&mut self, duet: f64) {
        match &mut self.test {
            Test::Stakes(bets) => {
                bets.add(duet);
            }
            Test::Wilcoxon(fresh) => fresh.push(duet * self.sign),
        }
    }

    /// The evidence so far: E, or 1/p of the rank test. e-BH treats 1/p exactly as Benjamini-Hochberg treats
    /// p.
    pub(crate) fn value(&self) -> f64 {
        match &self.test {
            Test::Stakes(bets) => bets.evidence(),
            Test::Wilcoxon(fresh) => staged_signed_rank(fresh, &SIGNED_RANK_STAGES).map_or(1.0, |p| 1.0 / p),
        }
    }

    /// +1 if head is suspected to be larger.
    pub(crate) fn sign(&self) -> f64 {
        self.sign
    }
}

/// Which suspects are confirmed, and the evidence required of them. If none is confirmed, the evidence that a
/// single one would need.
pub(crate) fn confirm(evidence: &[f64], q: f64) -> (Vec<usize>, f64) {
    let first = evidence.len() as f64 / q;
    match e_bh(evidence, q) {
        Some(found) => (found.positions, found.threshold.unwrap_or(first)),
        None => (Vec::new(), first),
    }
}
