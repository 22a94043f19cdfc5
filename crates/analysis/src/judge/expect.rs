//! How far a benchmark is from its verdict. A budget is spent by this.

use benchwright_stats::dispersion::{MAD_TO_NORMAL, median, median_absolute_deviation};

use super::{Entry, Judge, Suspect};
use crate::hypothesis::{Hypothesis, State};
use crate::predict::LogSpread;

/// What a duet without any doubt adds to the logarithm of the evidence: bets win at most 0.96 of their stake.
const FASTEST_GROWTH: f64 = 0.66;
/// With slower growth nothing is confirmed within the allowed duets.
const SLOWEST_GROWTH: f64 = 0.02;
/// A suspect whose duets are this many thresholds from zero is clear.
const CLEAR_THRESHOLDS: f64 = 10.0;

impl Judge {
    /// How many more duets a verdict on the benchmark with this index is expected to cost, according to its
    /// duets. `spread` is its expected spread. This estimate is only used to order benchmarks; nothing is
    /// decided by it.
    pub fn duets_per_verdict(&self, index: usize, spread: LogSpread) -> f64 {
        let entry = &self.entries[index];
        let of_each = entry.hypotheses.iter().enumerate().map(|(at, hypothesis)| match &hypothesis.state {
            State::Screening => entry.rule.further_duets(hypothesis, entry.duets.len(), spread),
            State::Suspect(_) => self.further_fresh(index, at),
            State::Left(_) => 0.0,
        });
        of_each.fold(0.0, f64::max)
    }

    /// Whether the benchmark with this index has duets, but too few for its first look.
    pub fn is_begun(&self, index: usize) -> bool {
        let entry = &self.entries[index];
        (1..entry.rule.first_look() as usize).contains(&entry.duets.len())
    }

    /// Whether the benchmark with this index has a suspect whose screening duets are all far beyond the
    /// threshold in one direction.
    pub fn is_clear(&self, index: usize) -> bool {
        let is_clear = |hypothesis: &Hypothesis| match &hypothesis.state {
            State::Suspect(test) => {
                let far = CLEAR_THRESHOLDS * hypothesis.delta;
                let screening = &hypothesis.duets[..hypothesis.screened];
                screening.iter().all(|duet| duet * test.sign() > far)
            }
            _ => true,
        };
        let entry = &self.entries[index];
        entry.hypotheses.iter().any(Hypothesis::is_suspect) && entry.hypotheses.iter().all(is_clear)
    }

    fn further_fresh(&self, entry: usize, hypothesis: usize) -> f64 {
        let Some(limits) = self.entries[entry].rule.confirmation() else { return 0.0 };
        let one = &self.entries[entry].hypotheses[hypothesis];
        let known = |suspect: &&Suspect| suspect.entry == entry && suspect.hypothesis == hypothesis;
        let found = self.suspects.iter().find(known);
        let family = self.family() as f64;
        let suspects = self.suspects().max(1) as f64;
        let weight = found.map_or_else(
            || {
                let is_next = |entry: &&Entry| !entry.is_counted && entry.is_screened();
                self.entries.iter().filter(is_next).count().max(1) as f64 / suspects
            },
            |suspect| suspect.weight.max(1.0 / family),
        );
        let reached = found.map_or(1.0, |suspect| suspect.evidence).max(limits.give_up);
        let missing = (family / (suspects * limits.q) / weight).ln() - reached.ln();
        let (ratios, _, of_each) = one.deciding();
        let growth = growth(ratios).clamp(SLOWEST_GROWTH, FASTEST_GROWTH);
        (missing / growth).ceil().clamp(1.0, f64::from(limits.max_fresh)) * f64::from(of_each)
    }
}

/// What another duet adds to the logarithm of the evidence. It is the full amount if the effect is large
/// compared with the spread, so that all ratios have one sign, and otherwise falls with the square of effect
/// / spread.
fn growth(ratios: &[f64]) -> f64 {
    let (Some(centre), Some(deviation)) = (median(ratios), median_absolute_deviation(ratios)) else {
        return FASTEST_GROWTH;
    };
    let spread = (MAD_TO_NORMAL * deviation).max(1e-6);
    FASTEST_GROWTH * (centre / spread / 2.0).powi(2).min(1.0)
}
