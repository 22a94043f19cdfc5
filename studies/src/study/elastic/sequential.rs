//! Plans that use the judge: they send calls only for benchmarks that need more duets.

use std::collections::BTreeMap;
use std::sync::Arc;

use benchwright_analysis::{Judge, JudgeSettings, PairedSettings, Round, ThresholdRules};
use benchwright_model::{Finding, Measurement, Metric, Phase, Reason, Series, Thresholds};

use super::engine::{Call, Plan, Times, Work};
use super::strategy::benchmark;
use crate::study::random::{Generator, shuffle};

/// When the next calls of a benchmark are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// When all calls of the wave have returned, as in `benchwright compare --on`.
    Waves,
    /// During screening, as soon as the benchmark's own calls have returned. The looks of one benchmark do
    /// not depend on others.
    Streaming,
}

/// How many duets a call has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parcel {
    /// Always this number.
    Of(u32),
    /// As few as possible while this number of calls stays in flight, and at most three, because the duets of
    /// a call run one after another. This is how `benchwright compare --on` does it.
    Fitting {
        /// Calls in flight.
        parallel: usize,
    },
}

impl Parcel {
    /// The number of duets per call in a wave with this number of duets.
    fn size(self, duets: u32) -> u32 {
        match self {
            Parcel::Of(size) => size,
            Parcel::Fitting { parallel } => duets.div_ceil(parallel.max(1) as u32).clamp(1, 3),
        }
    }
}

/// Number of fresh duets that are requested at once. It is the smallest number that can confirm.
const FRESH: u32 = 5;

/// A judge, and the duets it is waiting for.
#[derive(Debug)]
pub(super) struct Sequential {
    judge: Judge,
    pace: Pace,
    parcel: Parcel,
    /// Duets that have returned but have not been judged, by number.
    back: Vec<BTreeMap<u32, [f64; 2]>>,
    /// Number of duets requested of each benchmark.
    given: Vec<u32>,
    /// Number of calls in flight for each benchmark.
    out: Vec<u32>,
    all_out: usize,
    round: Option<Round>,
}

impl Sequential {
    pub(super) fn new(benchmarks: usize, pace: Pace, parcel: Parcel) -> Sequential {
        let settings = JudgeSettings {
            rule: Arc::new(PairedSettings::default()),
            thresholds: ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 }),
            seed: 0,
        };
        Sequential {
            judge: Judge::new((0..benchmarks).map(benchmark).collect(), settings),
            pace,
            parcel,
            back: vec![BTreeMap::new(); benchmarks],
            given: vec![0; benchmarks],
            out: vec![0; benchmarks],
            all_out: 0,
            round: None,
        }
    }

    /// The judge's findings, one per benchmark.
    pub(super) fn findings(&self) -> Vec<Finding> {
        self.judge.findings()
    }

    /// Number of measured duets of each benchmark.
    pub(super) fn duets(&self) -> Vec<usize> {
        (0..self.back.len()).map(|at| self.judge.duets(at)).collect()
    }

    /// Calls for `duets` more duets of a benchmark, with `per_call` duets each.
    fn ask(&mut self, at: usize, duets: u32, per_call: u32) -> Vec<Call> {
        let mut calls = Vec::new();
        let mut left = duets;
        while left > 0 {
            let size = left.min(per_call);
            calls.push(Call { benchmark: at, number: self.given[at], work: Work::Duets(size) });
            self.given[at] += size;
            left -= size;
        }
        self.out[at] += calls.len() as u32;
        self.all_out += calls.len();
        calls
    }

    /// Passes duets to the judge as long as complete rounds are available, and then requests the missing
    /// ones.
    fn go_on(&mut self, generator: &mut Generator) -> Vec<Call> {
        loop {
            let round = match self.round.take() {
                Some(round) => round,
                None => match self.judge.round() {
                    Some(round) => round,
                    None => return Vec::new(),
                },
            };
            let open: Vec<usize> =
                round.benchmarks.iter().copied().filter(|at| self.judge.is_open(*at)).collect();
            let missing: Vec<usize> = open.iter().copied().filter(|at| self.back[*at].is_empty()).collect();
            if missing.is_empty() {
                open.into_iter().for_each(|at| self.feed(at));
                continue;
            }
            let wave: Vec<(usize, u32)> = missing
                .into_iter()
                .filter(|at| self.out[*at] == 0)
                .map(|at| match round.phase {
                    Phase::Confirmation => (at, FRESH),
                    _ => (at, self.judge.duets_to_next_look(at)),
                })
                .collect();
            let per_call = self.parcel.size(wave.iter().map(|(_, duets)| duets).sum());
            let mut calls: Vec<Call> =
                wave.into_iter().flat_map(|(at, duets)| self.ask(at, duets, per_call)).collect();
            self.round = Some(round);
            shuffle(&mut calls, generator);
            return calls;
        }
    }

    /// Passes the next duet of a benchmark to the judge.
    fn feed(&mut self, at: usize) {
        if let Some((_, [base, head])) = self.back[at].pop_first() {
            self.judge.duet(at, measured(base), measured(head));
        }
    }

    fn is_screening(&self) -> bool {
        self.round.as_ref().is_none_or(|round| round.phase != Phase::Confirmation)
    }

    /// Judges one benchmark independently of others, and returns its next calls if it needs more.
    fn stream(&mut self, at: usize) -> Vec<Call> {
        while !self.back[at].is_empty() {
            self.feed(at);
        }
        let is_screening = self.judge.is_open(at) && !self.judge.has_suspect(at);
        match is_screening {
            // There is no wave here to which the size could be adapted: calls of other benchmarks are in flight
            // or will follow.
            true => self.ask(at, self.judge.duets_to_next_look(at), self.parcel.size(u32::MAX)),
            false => Vec::new(),
        }
    }
}

fn measured(time: f64) -> Measurement {
    let series = Series { metric: Metric::time(), values: vec![time], resolution: 0.0 };
    Measurement { series: vec![series], ..Measurement::default() }
}

impl Plan for Sequential {
    fn begin(&mut self, generator: &mut Generator) -> Vec<Call> {
        self.go_on(generator)
    }

    fn answer(&mut self, call: Call, times: Times, generator: &mut Generator) -> Vec<Call> {
        let at = call.benchmark;
        self.out[at] -= 1;
        self.all_out -= 1;
        if times.is_empty() && self.judge.is_open(at) {
            self.judge.give_up(at, Reason::Failed { what: "no result".into() });
        }
        let numbered = times.into_iter().enumerate().map(|(duet, pair)| (call.number + duet as u32, pair));
        self.back[at].extend(numbered);
        if self.pace == Pace::Streaming && self.is_screening() {
            let calls =
                if self.out[at] == 0 && self.judge.is_open(at) { self.stream(at) } else { Vec::new() };
            if !calls.is_empty() || self.all_out > 0 {
                return calls;
            }
            self.round = None;
        }
        if self.all_out == 0 { self.go_on(generator) } else { Vec::new() }
    }
}
