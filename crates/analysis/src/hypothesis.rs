//! One metric of one benchmark on its way through the paired rule.

use benchwright_model::{BenchmarkId, Measurement, Metric, Reason, Thresholds};

use crate::evidence::Evidence;
use crate::paired::{Look, PairedSettings, duets_needed, look};
use crate::value::{Speaker, steadiest};

/// What is being decided about one metric of one benchmark.
#[derive(Debug, Clone)]
pub(crate) struct Hypothesis {
    pub(crate) metric: Metric,
    /// The threshold as a logarithm, the half-width of the band.
    pub(crate) delta: f64,
    /// ln(head / base) of every duet, screening first, by the speaker.
    pub(crate) duets: Vec<f64>,
    /// Who speaks for the trials: chosen anew with every screening duet, and then the same for all fresh ones, so that these have no
    /// part in the choice.
    pub(crate) speaker: Speaker,
    /// Those who may, and the screening duets by each of them.
    speakers: Vec<(Speaker, Vec<f64>)>,
    /// How many of `duets` are screening duets.
    pub(crate) screened: usize,
    pub(crate) state: State,
}

/// Where a hypothesis stands.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// Still looking.
    Screening,
    /// To be confirmed by fresh duets.
    Suspect(Evidence),
    /// Left the schedule with this answer.
    Left(Answer),
}

/// What came out. The verdict's word follows from it, the metric's direction and the effect over all duets.
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
    Undecided(Reason),
}

impl Hypothesis {
    pub(crate) fn new(benchmark: &BenchmarkId, metric: Metric, thresholds: Thresholds) -> Self {
        let speakers = Speaker::all(benchmark, &metric);
        Hypothesis {
            delta: thresholds.soft.ln_1p(),
            duets: Vec::new(),
            speaker: speakers[0],
            speakers: speakers.iter().map(|speaker| (*speaker, Vec::new())).collect(),
            screened: 0,
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

    /// Takes a screening duet; looks if the schedule says so. A benchmark stays in screening until its last metric is
    /// decided, so a hypothesis that has left takes no notice of further duets.
    pub(crate) fn screen(&mut self, base: &Measurement, head: &Measurement, settings: &PairedSettings) {
        if !self.is_screening() {
            return;
        }
        for (speaker, ratios) in &mut self.speakers {
            match speaker.log_ratio(base, head, &self.metric.name) {
                Some(ratio) => ratios.push(ratio),
                None => return self.stop(|_| Reason::NoRatio, settings.a),
            }
        }
        self.listen();
        let n = self.screened as u32;
        if !settings.looks.contains(&n) {
            return;
        }
        let Some((outcome, interval)) = look(&self.duets, settings.a, self.delta) else { return };
        self.state = match outcome {
            Look::Same if interval.lo > 0.0 || interval.hi < 0.0 => {
                State::Left(Answer::Same(Reason::CertainButSmall))
            }
            Look::Same => State::Left(Answer::Same(Reason::WithinThreshold)),
            Look::Suspect(sign) => match Evidence::new(settings.confirm, sign, &self.duets, self.delta) {
                Some(evidence) => State::Suspect(evidence),
                None => State::Left(Answer::Undecided(Reason::NoRatio)),
            },
            Look::GoOn if n >= settings.max_duets() => {
                let duets_needed = duets_needed(&interval, self.delta);
                State::Left(Answer::Undecided(Reason::TooNoisy { duets_needed }))
            }
            Look::GoOn => State::Screening,
        };
    }

    /// Lets the steadiest speak.
    fn listen(&mut self) {
        let steadiest = steadiest(self.speakers.iter().map(|(_, ratios)| ratios));
        let (speaker, ratios) = &self.speakers[steadiest];
        (self.speaker, self.duets) = (*speaker, ratios.clone());
        self.screened = self.duets.len();
    }

    /// Takes a fresh duet.
    pub(crate) fn confirm(&mut self, base: &Measurement, head: &Measurement, settings: &PairedSettings) {
        let State::Suspect(evidence) = &mut self.state else { return };
        match self.speaker.log_ratio(base, head, &self.metric.name) {
            Some(ratio) => {
                self.duets.push(ratio);
                evidence.push(ratio);
            }
            None => self.stop(|_| Reason::NoRatio, settings.a),
        }
    }

    /// Number of fresh duets so far.
    pub(crate) fn fresh(&self) -> u32 {
        (self.duets.len() - self.screened) as u32
    }

    /// Ends the hypothesis without an answer; one that already has an answer keeps it.
    pub(crate) fn stop(&mut self, reason: impl FnOnce(Option<u32>) -> Reason, a: f64) {
        if matches!(self.state, State::Left(_)) {
            return;
        }
        let needed = (self.duets.len() >= 3)
            .then(|| look(&self.duets, a, self.delta))
            .flatten()
            .and_then(|(_, interval)| duets_needed(&interval, self.delta));
        self.state = State::Left(Answer::Undecided(reason(needed)));
    }
}
