//! The default rule: its settings, its two phases for one hypothesis, and its verdicts.
//!
//! Screening computes a robust interval at a few fixed looks. It shows that most benchmarks are *same* and
//! names suspects. Confirmation measures suspects again with fresh duets and an exact sequential test; only
//! it can give slower or faster. METHODOLOGY.md states the rule, its constants and its measured error rates.

use std::sync::Arc;

use benchwright_model::{Effect, Finding, Measurement, Reason, Verdict};
use benchwright_stats::trimmed::{TrimmedInterval, trimmed_interval};

use super::limits::MOST_DUETS;
use super::{ConfirmationLimits, DecisionRule, DuetLimits, Rule, RuleOptions};
use crate::apart::ApartRule;
use crate::exact;
use crate::hypothesis::{Answer, Hypothesis, State};
use crate::judge::Entry;
use crate::predict::{LogSpread, duets_per_verdict};
use crate::shifts::Confirmation;
use crate::summary::{FEWEST_FRESH, despite_rounding, reaches, resolution};

/// How suspects are confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirm {
    /// Betting on the sign of fresh duets, e-BH over the suspects.
    Stakes,
    /// Exact Wilcoxon signed-rank at four looks, Benjamini-Hochberg over the suspects.
    Wilcoxon,
}

impl Confirm {
    /// The tests by name, the default first.
    pub const CHOICES: [(&'static str, Confirm); 2] =
        [("stakes", Confirm::Stakes), ("wilcoxon", Confirm::Wilcoxon)];

    /// The name in the configuration file and in the flag.
    pub fn word(self) -> &'static str {
        match self {
            Confirm::Stakes => "stakes",
            Confirm::Wilcoxon => "wilcoxon",
        }
    }
}

/// The constants of the paired rule.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedSettings {
    /// Numbers of screening duets at which the rule looks; ascending, never empty.
    pub looks: Vec<u32>,
    /// Nominal two-sided level of one look.
    pub a: f64,
    /// Maximum number of fresh duets per suspect.
    pub max_fresh: u32,
    /// False-discovery rate of the suite.
    pub q: f64,
    /// A suspect whose evidence falls below this is dropped.
    pub give_up: f64,
    /// The test of the fresh duets.
    pub confirm: Confirm,
}

impl Default for PairedSettings {
    fn default() -> Self {
        PairedSettings {
            looks: PairedSettings::LOOKS.to_vec(),
            a: PairedSettings::ERROR,
            max_fresh: 40,
            q: 0.05,
            give_up: 0.02,
            confirm: Confirm::Stakes,
        }
    }
}

impl PairedSettings {
    pub(super) const NAME: &'static str = "paired";
    /// The looks as specified.
    pub(super) const LOOKS: [u32; 8] = [5, 7, 10, 13, 17, 22, 29, MOST_DUETS];
    /// Nominal two-sided level of one look.
    pub(super) const ERROR: f64 = 0.02;

    /// The rule under these settings.
    pub(super) fn rule(options: &RuleOptions) -> Rule {
        let default = PairedSettings::default();
        let max_fresh = match options.confirm {
            Confirm::Stakes => options.max_fresh,
            // Its last test is at that number.
            Confirm::Wilcoxon => options.max_fresh.min(default.max_fresh),
        };
        let settings = PairedSettings { max_fresh, confirm: options.confirm, ..default };
        Arc::new(settings.with_duets(options.min, options.max))
    }

    /// Fewer or more looks: none below `min` duets, none above `max`. After the default's last look they
    /// continue by a factor of 4/3. `max` itself is always the last look, so that no duet is measured in
    /// vain.
    pub fn with_duets(mut self, min: u32, max: u32) -> Self {
        let (min, max) = (min.max(2), max.max(min.max(2)));
        while let Some(&last) = self.looks.last()
            && last < max
        {
            self.looks.push((last * 4).div_ceil(3));
        }
        self.looks.retain(|&look| (min..=max).contains(&look));
        if self.looks.last() != Some(&max) {
            self.looks.push(max);
        }
        self
    }
}

impl DecisionRule for PairedSettings {
    fn name(&self) -> &'static str {
        PairedSettings::NAME
    }

    fn note(&self) -> String {
        format!(
            "20 % trimmed mean of the paired log-ratios of processes, looks first at {} duets and then after about a third \
             more each time, suspects confirmed by fresh duets, false-discovery rate {} % over the suite",
            self.first_look(),
            self.q * 100.0
        )
    }

    fn looks(&self) -> &[u32] {
        &self.looks
    }

    fn limited(&self, limits: DuetLimits) -> Rule {
        let all = PairedSettings { looks: PairedSettings::LOOKS.to_vec(), ..self.clone() };
        Arc::new(all.with_duets(limits.floor, limits.cap))
    }

    fn apart(&self) -> ApartRule {
        ApartRule::Processes
    }

    fn confirmation(&self) -> Option<ConfirmationLimits> {
        let PairedSettings { max_fresh, q, give_up, .. } = *self;
        Some(ConfirmationLimits { max_fresh, q, give_up })
    }

    fn plannable(&self) -> Option<&PairedSettings> {
        Some(self)
    }

    fn interval_error(&self) -> f64 {
        self.a
    }

    fn constant_after(&self) -> u32 {
        self.first_look()
    }

    fn screen(&self, hypothesis: &mut Hypothesis, _: u32, base: &Measurement, head: &Measurement) {
        hypothesis.screen(base, head, self);
    }

    fn confirm(&self, hypothesis: &mut Hypothesis, base: &Measurement, head: &Measurement) {
        hypothesis.confirm(base, head, self);
    }

    /// Includes the fresh duets of a suspect. Before the first look the duets are not used, because every
    /// benchmark that has begun reaches it.
    fn further_duets(&self, hypothesis: &Hypothesis, _: usize, spread: LogSpread) -> f64 {
        let n = hypothesis.duets.len();
        let first = self.first_look() as usize;
        let seen = if n < first { &[] } else { &hypothesis.duets[..] };
        let expected = duets_per_verdict(spread, hypothesis.delta, seen, &self.looks);
        if n < first { (expected - n as f64).max((first - n) as f64) } else { expected }
    }

    fn conclude(
        &self,
        entry: &Entry,
        hypothesis: &Hypothesis,
        finding: &mut Finding,
        _: u64,
    ) -> (Verdict, Reason) {
        finding.effect = confirmed_effect(hypothesis, finding.effect, self).or(finding.effect);
        let answer = verdict(hypothesis, finding.effect, entry.layouts());
        let answer = in_layouts(answer, hypothesis, finding.effect, self.a);
        let step = resolution(entry.measurements(), &finding.metric);
        despite_rounding(answer, finding.effect, step, finding.thresholds.soft)
    }
}

/// The result of a look at the screening duets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Look {
    /// The interval lies inside the band.
    Same,
    /// The interval excludes zero and the centre is at least the threshold, with this sign of the effect.
    Suspect(f64),
    /// Neither.
    GoOn,
}

/// Looks at all duets of a hypothesis so far, and checks for *same* before *suspect*, as specified. `None`
/// for fewer than two duets.
pub(crate) fn look(duets: &[f64], a: f64, delta: f64) -> Option<(Look, TrimmedInterval)> {
    let interval = trimmed_interval(duets, a)?;
    let TrimmedInterval { centre, lo, hi, .. } = interval;
    let verdict = if -delta < lo && hi < delta {
        Look::Same
    } else if lo > 0.0 && centre >= delta {
        Look::Suspect(1.0)
    } else if hi < 0.0 && centre <= -delta {
        Look::Suspect(-1.0)
    } else {
        Look::GoOn
    };
    Some((verdict, interval))
}

/// How many duets would decide at the noise of `interval`: the half-width shrinks with the square root of n
/// until it fits between the centre and the nearer edge that a verdict needs.
pub(crate) fn duets_needed(interval: &TrimmedInterval, delta: f64) -> Option<u32> {
    let half = (interval.hi - interval.lo) / 2.0;
    let room = (delta - interval.centre.abs()).abs().max(delta / 10.0);
    let n = interval.n;
    let needed = (n as f64) * (half / room).powi(2);
    (needed.is_finite() && needed < 1e6).then(|| (needed.ceil() as u32).max(n as u32 + 1))
}

fn verdict(hypothesis: &Hypothesis, effect: Option<Effect>, layouts: u32) -> (Verdict, Reason) {
    match &hypothesis.state {
        State::Left(Answer::Exact { .. } | Answer::Complete) => (Verdict::Undecided, Reason::Informational),
        State::Left(Answer::Same(reason)) => (Verdict::Same, reason.clone()),
        State::Left(Answer::Undecided(reason)) => (Verdict::Undecided, reason.clone()),
        State::Left(Answer::Confirmed { sign, evidence, needed }) => {
            let soft = hypothesis.delta.exp_m1();
            let beyond = |end: fn(&Effect, f64) -> f64| {
                effect
                    .map(|effect| end(&effect, *sign))
                    .is_some_and(|end| end > 0.0 && reaches(end * sign, soft))
            };
            if beyond(|effect, sign| effect.centre * sign) {
                let reason = Reason::Confirmed { evidence: *evidence, needed: *needed, layouts };
                (exact::word(&hypothesis.metric, *sign > 0.0), reason)
            } else if beyond(|effect, sign| (effect.lo * sign).max(effect.hi * sign)) {
                (Verdict::Undecided, Reason::ChangedNearThreshold)
            } else {
                (Verdict::Undecided, Reason::ChangedBelowThreshold)
            }
        }
        State::Screening | State::Suspect(_) => (Verdict::Undecided, Reason::Interrupted),
    }
}

/// The effect of a confirmed change with the interval that the evidence permits. `None` for anything else.
fn confirmed_effect(
    hypothesis: &Hypothesis,
    effect: Option<Effect>,
    settings: &PairedSettings,
) -> Option<Effect> {
    let State::Left(Answer::Confirmed { needed, .. }) = hypothesis.state else { return None };
    let (ratios, fresh, _) = hypothesis.deciding();
    let (past, fresh) = ratios.split_at(ratios.len() - fresh as usize);
    let (confirm, delta) = (settings.confirm, hypothesis.delta);
    Confirmation { confirm, delta, past, fresh, needed }.effect(effect?.centre)
}

/// The answer for a suspect that was not confirmed in random layouts. It is the same if the interval of the
/// fresh duets lies inside the threshold. If that interval does not overlap the one of screening, the
/// programs differ by placement only.
fn in_layouts(
    answer: (Verdict, Reason),
    hypothesis: &Hypothesis,
    effect: Option<Effect>,
    a: f64,
) -> (Verdict, Reason) {
    let Reason::NotConfirmed { layouts: layouts @ 1.., .. } = answer.1 else { return answer };
    let (ratios, fresh, _) = hypothesis.deciding();
    let built = trimmed_interval(&ratios[..ratios.len() - fresh as usize], a);
    let (Some(built), Some(effect)) = (built, effect) else { return answer };
    if (fresh as usize) < FEWEST_FRESH || effect.centre.abs() >= hypothesis.delta {
        return answer;
    }
    let is_inside = -hypothesis.delta < effect.lo && effect.hi < hypothesis.delta;
    let is_apart = built.lo > effect.hi || built.hi < effect.lo;
    let verdict = if is_inside { Verdict::Same } else { Verdict::Undecided };
    match (is_apart, is_inside) {
        (true, _) => (verdict, Reason::PlacementOnly { as_built: built.centre.exp_m1(), layouts }),
        (false, true) => (verdict, Reason::WithinThreshold),
        (false, false) => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_follow_floor_and_cap() {
        let looks = |min, max| PairedSettings::default().with_duets(min, max).looks;
        assert_eq!(looks(5, 40), PairedSettings::default().looks);
        assert_eq!(looks(5, 13), [5, 7, 10, 13]);
        assert_eq!(looks(8, 12), [10, 12]);
        assert_eq!(looks(5, 80), [5, 7, 10, 13, 17, 22, 29, 40, 54, 72, 80]);
        assert_eq!(looks(3, 3), [3]);
    }

    #[test]
    fn a_look_compares_interval_and_centre_with_the_band() {
        const DELTA: f64 = 0.029559;
        let check = |duets: &[f64], expected: Look| {
            let mirrored: Vec<f64> = duets.iter().map(|d| -d).collect();
            let turned = if let Look::Suspect(sign) = expected { Look::Suspect(-sign) } else { expected };
            for (duets, expected) in [(duets, expected), (&mirrored[..], turned)] {
                assert_eq!(look(duets, 0.02, DELTA).map(|(it, _)| it), Some(expected), "{duets:?}");
            }
        };
        // S1 to S7 of the rule's specification.
        check(&[0.004, -0.003, 0.001, 0.002, -0.001], Look::Same);
        let s2 = [0.021, -0.018, 0.030, 0.310, -0.015, 0.006, 0.012, -0.004, 0.009, -0.011];
        [5, 7, 10].iter().for_each(|&n| check(&s2[..n], Look::GoOn));
        check(&[0.051, 0.048, 0.060, 0.043, 0.055], Look::Suspect(1.0));
        let s4 = [-0.062, -0.041, 0.250, -0.055, -0.048, -0.058, -0.050];
        check(&s4[..5], Look::GoOn);
        check(&s4, Look::Suspect(-1.0));
        let s5 = [0.10, 0.0, -0.10, 0.10, 0.0, 0.10, 0.10, 0.0, 0.10, 0.0];
        [5, 7, 10].iter().for_each(|&n| check(&s5[..n], Look::GoOn));
        check(&[0.020, 0.019, 0.021, 0.020, 0.020], Look::Same);
        check(&[0.0; 5], Look::Same);
        // Certainly a change, but neither certainly inside the band nor with a centre outside it.
        check(&[0.016, 0.022, 0.026, 0.030, 0.036], Look::GoOn);
        assert!(look(&[0.1], 0.02, DELTA).is_none());
    }

    #[test]
    fn wider_intervals_need_more_duets() {
        let interval = |half: f64| trimmed_interval(&[-half, half, -half, half, 0.0], 0.02).unwrap();
        let few = duets_needed(&interval(0.01), 0.029559).unwrap();
        let many = duets_needed(&interval(0.05), 0.029559).unwrap();
        assert!(few < many, "{few} {many}");
    }
}
