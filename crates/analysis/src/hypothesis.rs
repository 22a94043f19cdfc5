//! One metric of one benchmark while a rule decides on it.

use benchwright_model::{Measurement, Metric, Reason, SampleKind, Thresholds};
use benchwright_stats::trimmed::TrimmedInterval;

use crate::evidence::Evidence;
use crate::rules::paired::{Look, duets_needed, look};
use crate::rules::{DecisionRule, PairedSettings};
use crate::value::{Estimator, Quartets, steadiest};

/// The decision on one metric of one benchmark.
#[derive(Debug, Clone)]
pub struct Hypothesis {
    pub(crate) metric: Metric,
    /// The threshold as a logarithm, the half-width of the band.
    pub(crate) delta: f64,
    /// ln(head / base) of every duet by the estimator, screening first.
    pub(crate) duets: Vec<f64>,
    /// The estimator of trial values. It is chosen again with every screening duet and then kept for all
    /// fresh ones, so that these do not affect the choice.
    pub(crate) estimator: Estimator,
    /// The possible estimators, and the screening duets by each of them.
    estimators: Vec<(Estimator, Vec<f64>)>,
    /// How many of `duets` are screening duets.
    pub(crate) screened: usize,
    /// The same duets in groups of four, if they may be pooled.
    quartets: Option<Quartets>,
    /// Whether pooled duets are used instead of single ones. This is chosen at every look and then kept for
    /// all fresh duets.
    by_quartets: bool,
    pub(crate) state: State,
}

/// The state of a hypothesis.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// Not decided yet.
    Screening,
    /// Waits for confirmation by fresh duets.
    Suspect(Evidence),
    /// Has an answer and needs no more duets.
    Left(Answer),
}

/// The result. The verdict follows from it, the metric's direction and the effect over all duets.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Same(Reason),
    /// A count that was constant on both sides at a look.
    Exact {
        base: f64,
        head: f64,
    },
    Confirmed {
        sign: f64,
        evidence: f64,
        needed: f64,
    },
    /// All duets of a fixed-sample rule were measured; it decides from them.
    Complete,
    Undecided(Reason),
}

impl Hypothesis {
    pub(crate) fn new(kind: SampleKind, metric: Metric, thresholds: Thresholds) -> Self {
        let estimators = Estimator::all(kind, &metric);
        Hypothesis {
            delta: thresholds.soft.ln_1p(),
            duets: Vec::new(),
            estimator: estimators[0],
            estimators: estimators.iter().map(|estimator| (*estimator, Vec::new())).collect(),
            screened: 0,
            quartets: Quartets::of(kind, &metric),
            by_quartets: false,
            state: State::Screening,
            metric,
        }
    }

    pub(crate) fn is_screening(&self) -> bool {
        matches!(self.state, State::Screening)
    }

    pub(crate) fn is_suspect(&self) -> bool {
        matches!(self.state, State::Suspect(_))
    }

    /// Takes a screening duet, and looks if this number of duets has a look. A benchmark stays in screening
    /// until its last metric is decided, so a hypothesis that is already decided ignores further duets.
    pub(crate) fn screen(&mut self, base: &Measurement, head: &Measurement, settings: &PairedSettings) {
        if !self.is_screening() {
            return;
        }
        for (estimator, ratios) in &mut self.estimators {
            match estimator.log_ratio(base, head, &self.metric.name) {
                Some(ratio) => ratios.push(ratio),
                None => return self.stop(|_| Reason::NoRatio, settings.a),
            }
        }
        if let Some(quartets) = &mut self.quartets {
            quartets.push(base, head, &self.metric.name);
            quartets.screened = quartets.ratios.len();
        }
        self.listen();
        let n = self.screened as u32;
        if !settings.looks.contains(&n) {
            return;
        }
        let Some((outcome, interval)) = self.look(settings) else { return };
        self.state = match outcome {
            Look::Same if interval.lo > 0.0 || interval.hi < 0.0 => {
                State::Left(Answer::Same(Reason::CertainButSmall))
            }
            Look::Same => State::Left(Answer::Same(Reason::WithinThreshold)),
            Look::Suspect(sign) => match Evidence::new(settings.confirm, sign, self.ratios(), self.delta) {
                Some(evidence) => State::Suspect(evidence),
                None => State::Left(Answer::Undecided(Reason::NoRatio)),
            },
            Look::GoOn if n >= settings.max_duets() => {
                let duets_needed = self.duets_needed(&interval);
                State::Left(Answer::Undecided(Reason::TooNoisy { duets_needed }))
            }
            Look::GoOn => State::Screening,
        };
        if let (State::Suspect(_), Some(quartets)) = (&self.state, &mut self.quartets) {
            // A pool with fresh duets must not contain screening duets.
            quartets.begin();
        }
    }

    /// Looks at single duets, and if these do not decide, at pooled duets if their interval is narrower.
    /// Pooled duets use only the fast end, and a version may have become slow in more of its processes. So
    /// they may answer *same* only if the typical duet is not beyond the threshold.
    fn look(&mut self, settings: &PairedSettings) -> Option<(Look, TrimmedInterval)> {
        self.by_quartets = false;
        let by_duets = look(&self.duets, settings.a, self.delta)?;
        let quartets = self.quartets.as_ref().map_or(&[][..], |quartets| &quartets.ratios);
        // There have to be as many fresh pooled duets, or nothing could be confirmed.
        let are_enough = quartets.len().min(settings.max_fresh as usize / Quartets::OF) >= Quartets::FEWEST;
        if by_duets.0 != Look::GoOn || !are_enough {
            return Some(by_duets);
        }
        let by_quartets = look(quartets, settings.a, self.delta)?;
        let width = |(_, interval): &(Look, TrimmedInterval)| interval.hi - interval.lo;
        let is_contradicted = by_quartets.0 == Look::Same && by_duets.1.centre.abs() > self.delta;
        self.by_quartets = width(&by_quartets) < width(&by_duets) && !is_contradicted;
        Some(if self.by_quartets { by_quartets } else { by_duets })
    }

    /// The pooled duets, if they are used.
    fn speaking(&self) -> Option<&Quartets> {
        self.quartets.as_ref().filter(|_| self.by_quartets)
    }

    /// The log-ratios that decide, of single or of pooled duets, screening first.
    fn ratios(&self) -> &[f64] {
        self.speaking().map_or(&self.duets, |quartets| &quartets.ratios)
    }

    /// These log-ratios, how many of them are fresh, and how many duets each consists of.
    pub(crate) fn deciding(&self) -> (&[f64], u32, u32) {
        let fresh = self.speaking().map(|quartets| quartets.ratios.len() - quartets.screened);
        match fresh {
            Some(fresh) => (self.ratios(), fresh as u32, Quartets::OF as u32),
            None => (self.ratios(), self.fresh(), 1),
        }
    }

    fn duets_needed(&self, interval: &TrimmedInterval) -> Option<u32> {
        let (_, _, of_each) = self.deciding();
        duets_needed(interval, self.delta).map(|needed| needed.saturating_mul(of_each))
    }

    /// Uses the estimator with the smallest spread.
    fn listen(&mut self) {
        let steadiest = steadiest(self.estimators.iter().map(|(_, ratios)| ratios));
        let (estimator, ratios) = &self.estimators[steadiest];
        (self.estimator, self.duets) = (*estimator, ratios.clone());
        self.screened = self.duets.len();
    }

    /// Takes a fresh duet.
    pub(crate) fn confirm(&mut self, base: &Measurement, head: &Measurement, settings: &PairedSettings) {
        let State::Suspect(evidence) = &mut self.state else { return };
        let name = &self.metric.name;
        let of_quartet = self.quartets.as_mut().and_then(|quartets| quartets.push(base, head, name));
        match self.estimator.log_ratio(base, head, name) {
            Some(ratio) => {
                self.duets.push(ratio);
                let deciding = if self.by_quartets { of_quartet } else { Some(ratio) };
                deciding.into_iter().for_each(|ratio| evidence.push(ratio));
            }
            None => self.stop(|_| Reason::NoRatio, settings.a),
        }
    }

    /// Number of fresh duets so far.
    pub(crate) fn fresh(&self) -> u32 {
        (self.duets.len() - self.screened) as u32
    }

    /// Ends the hypothesis without an answer. If it already has an answer, it keeps it.
    pub(crate) fn stop(&mut self, reason: impl FnOnce(Option<u32>) -> Reason, a: f64) {
        if matches!(self.state, State::Left(_)) {
            return;
        }
        let needed = (self.duets.len() >= 3)
            .then(|| look(self.ratios(), a, self.delta))
            .flatten()
            .and_then(|(_, interval)| self.duets_needed(&interval));
        self.state = State::Left(Answer::Undecided(reason(needed)));
    }
}
