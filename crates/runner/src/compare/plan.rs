//! The plan of a comparison.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use benchwright_analysis::{DuetLimits, JudgeSettings};
use benchwright_model::BenchmarkId;
use benchwright_worker::{Pairing, Subject, TrialLimits};

use crate::shapes::Shapes;

/// A plan: what to measure, and how.
#[derive(Debug, Clone)]
pub struct ComparePlan {
    /// The benchmarks that both versions have.
    pub subjects: Vec<Subject>,
    /// The rule and its thresholds.
    pub judge: JudgeSettings,
    /// Duet limits of benchmarks that differ from those of the rule.
    pub duets: HashMap<BenchmarkId, DuetLimits>,
    /// How long processes measure.
    pub shapes: Shapes,
    /// The least number of different benchmarks in a round. If there are fewer, others run there unrecorded.
    /// 0 turns this off.
    pub fillers: u32,
    /// Limits of a process.
    pub limits: TrialLimits,
    /// Whether the halves of a duet run one after the other or at the same time.
    pub pairing: Pairing,
    /// Cores that all processes are pinned to.
    pub cores: Option<Vec<usize>>,
    /// Niceness of all processes.
    pub niceness: Option<i32>,
    /// Seed of all random choices.
    pub seed: u64,
    /// Time for measuring.
    pub budget: Option<Duration>,
    /// Mean trial times of benchmarks known from earlier runs.
    pub durations: HashMap<BenchmarkId, Duration>,
    /// Benchmarks without a verdict in the last comparison because there was no time for them.
    pub due: HashSet<BenchmarkId>,
    /// First guesses of trial times, from the listing run or the harness. `durations` take precedence.
    pub guesses: HashMap<BenchmarkId, Duration>,
    /// Spread of the duets of benchmarks known from earlier runs: standard deviation of ln(head / base).
    pub spreads: HashMap<BenchmarkId, f64>,
    /// Number of random code layouts per side in which fresh duets run, before layouts are used again. 0
    /// means as built.
    pub layouts: u32,
}

impl ComparePlan {
    /// How much shorter a short trial of a benchmark is than a usual one.
    pub(crate) fn saved(&self, index: usize) -> Duration {
        if !self.judge.rule.is_sequential() {
            return Duration::ZERO;
        }
        self.shapes.saved(&self.subjects[index].benchmark)
    }
}
