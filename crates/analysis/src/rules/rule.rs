//! What a decision rule is.

use std::fmt;
use std::sync::Arc;

use benchwright_model::{Finding, Measurement, Reason, Verdict};

use super::{DuetLimits, PairedSettings};
use crate::apart::ApartRule;
use crate::hypothesis::Hypothesis;
use crate::judge::Entry;
use crate::predict::LogSpread;

/// A rule with its settings, as a judge holds it for all benchmarks or for one.
pub type Rule = Arc<dyn DecisionRule>;

/// A rule by which duets become verdicts.
///
/// A benchmark is in screening until each of its metrics has left; a metric leaves with an answer, or as a suspect that fresh
/// duets confirm. A rule without [`confirmation`](DecisionRule::confirmation) names no suspects.
pub trait DecisionRule: fmt::Debug + Send + Sync {
    /// Its name as given to `--rule`.
    fn name(&self) -> &'static str;

    /// One sentence on what it looks at.
    fn note(&self) -> String;

    /// Numbers of screening duets at which it looks; ascending, never empty. After the last one screening ends.
    fn looks(&self) -> &[u32];

    /// The same rule for a benchmark with limits of its own.
    fn limited(&self, limits: DuetLimits) -> Rule;

    /// The rule that decides in its place where processes were measured apart.
    fn apart(&self) -> ApartRule;

    /// How suspects are confirmed by fresh duets; none if they are not.
    fn confirmation(&self) -> Option<ConfirmationLimits> {
        None
    }

    /// The settings from which comparisons are planned; none where they cannot be planned.
    fn plannable(&self) -> Option<&PairedSettings> {
        None
    }

    /// Whether a benchmark leaves as soon as its duets decide; otherwise it takes all of them.
    fn is_sequential(&self) -> bool {
        self.confirmation().is_some()
    }

    /// The first look.
    fn first_look(&self) -> u32 {
        self.looks().first().copied().unwrap_or(0)
    }

    /// Most screening duets.
    fn max_duets(&self) -> u32 {
        self.looks().last().copied().unwrap_or(0)
    }

    /// Most fresh duets of a suspect.
    fn max_fresh(&self) -> u32 {
        self.confirmation().map_or(0, |limits| limits.max_fresh)
    }

    /// Nominal two-sided error of the intervals that are shown.
    fn interval_error(&self) -> f64 {
        PairedSettings::ERROR
    }

    /// A metric that no rule decides has to be constant over so many duets to be compared exactly.
    fn constant_after(&self) -> u32 {
        PairedSettings::LOOKS[0]
    }

    /// Takes a screening duet of one metric, the benchmark's duet with this number, counted from 1.
    fn screen(&self, hypothesis: &mut Hypothesis, number: u32, base: &Measurement, head: &Measurement);

    /// Takes a fresh duet of one metric.
    fn confirm(&self, _hypothesis: &mut Hypothesis, _base: &Measurement, _head: &Measurement) {}

    /// How many duets a verdict on a metric in screening is expected to cost, where its benchmark has had `done` and `spread` is
    /// expected of it.
    fn further_duets(&self, hypothesis: &Hypothesis, done: usize, spread: LogSpread) -> f64;

    /// Verdict and reason of one metric, and its effect where the rule has an estimate of its own.
    fn conclude(
        &self,
        entry: &Entry,
        hypothesis: &Hypothesis,
        finding: &mut Finding,
        seed: u64,
    ) -> (Verdict, Reason);
}

/// When fresh duets confirm suspects, over the whole suite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfirmationLimits {
    /// Most fresh duets per suspect.
    pub max_fresh: u32,
    /// False-discovery rate of the suite.
    pub q: f64,
    /// A suspect whose evidence falls below this is dropped.
    pub give_up: f64,
}
