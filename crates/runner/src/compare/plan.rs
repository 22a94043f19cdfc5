//! What a comparison is given.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use benchwright_analysis::{DuetLimits, JudgeSettings};
use benchwright_model::BenchmarkId;
use benchwright_worker::{Pairing, Subject, TrialLimits};

use crate::shapes::Shapes;

/// A plan: what to measure, and how.
#[derive(Debug, Clone)]
pub struct ComparePlan {
    /// The benchmarks both versions have.
    pub subjects: Vec<Subject>,
    /// The rule and its thresholds.
    pub judge: JudgeSettings,
    /// How many duets some benchmarks take, where the rule does not say it for all.
    pub duets: HashMap<BenchmarkId, DuetLimits>,
    /// How long processes measure.
    pub shapes: Shapes,
    /// The fewest different benchmarks in a round: where there are fewer, others run there unrecorded. 0: none do.
    pub fillers: u32,
    /// Limits of a process.
    pub limits: TrialLimits,
    /// Back to back or at once.
    pub pairing: Pairing,
    /// Cores for all processes.
    pub cores: Option<Vec<usize>>,
    /// Niceness of all processes.
    pub niceness: Option<i32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Time for measuring.
    pub budget: Option<Duration>,
    /// Mean trial time of benchmarks known from earlier runs.
    pub durations: HashMap<BenchmarkId, Duration>,
    /// Benchmarks that went without a verdict last time because there was no time for them.
    pub due: HashSet<BenchmarkId>,
    /// First guesses of a trial's time, from the listing run or the harness: weaker than `durations`.
    pub guesses: HashMap<BenchmarkId, Duration>,
    /// Spread of the duets of benchmarks known from earlier runs: standard deviation of ln(head / base).
    pub spreads: HashMap<BenchmarkId, f64>,
    /// In how many random code layouts per side fresh duets run, before layouts come again; 0: as built.
    pub layouts: u32,
}

impl ComparePlan {
    /// By how much shorter than a usual trial of a benchmark a short one is.
    pub(crate) fn saved(&self, index: usize) -> Duration {
        if !self.judge.rule.is_sequential() {
            return Duration::ZERO;
        }
        self.shapes.saved(&self.subjects[index].benchmark)
    }
}
