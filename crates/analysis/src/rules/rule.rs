//! The interface of decision rules.

use std::fmt;
use std::sync::Arc;

use benchwright_model::{Finding, Measurement, Reason, Verdict};

use super::{DuetLimits, PairedSettings};
use crate::apart::ApartRule;
use crate::hypothesis::Hypothesis;
use crate::judge::Entry;
use crate::predict::LogSpread;

/// A rule with its settings, for all benchmarks or for one.
pub type Rule = Arc<dyn DecisionRule>;

/// A rule that turns duets into verdicts.
///
/// A benchmark is in screening until each of its metrics has left. A metric leaves with an answer, or as a
/// suspect that fresh duets confirm. A rule without [`confirmation`](DecisionRule::confirmation) has no
/// suspects.
pub trait DecisionRule: fmt::Debug + Send + Sync {
    /// Its name as given to `--rule`.
    fn name(&self) -> &'static str;

    /// One sentence on what it compares.
    fn note(&self) -> String;

    /// Numbers of screening duets at which it looks, in ascending order, never empty. Screening ends after
    /// the last one.
    fn looks(&self) -> &[u32];

    /// The same rule with limits for one benchmark.
    fn limited(&self, limits: DuetLimits) -> Rule;

    /// The rule to use instead if processes were measured apart.
    fn apart(&self) -> ApartRule;

    /// How suspects are confirmed by fresh duets. `None` if they are not.
    fn confirmation(&self) -> Option<ConfirmationLimits> {
        None
    }

    /// The settings for planning comparisons. `None` if they cannot be planned.
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

    /// Maximum number of screening duets.
    fn max_duets(&self) -> u32 {
        self.looks().last().copied().unwrap_or(0)
    }

    /// Maximum number of fresh duets of a suspect.
    fn max_fresh(&self) -> u32 {
        self.confirmation().map_or(0, |limits| limits.max_fresh)
    }

    /// Nominal two-sided error of the intervals that are shown.
    fn interval_error(&self) -> f64 {
        PairedSettings::ERROR
    }

    /// A metric that no rule decides is compared exactly if it is constant over this many duets.
    fn constant_after(&self) -> u32 {
        PairedSettings::LOOKS[0]
    }

    /// Takes a screening duet of one metric, the benchmark's duet with this number, counted from 1.
    fn screen(&self, hypothesis: &mut Hypothesis, number: u32, base: &Measurement, head: &Measurement);

    /// Takes a fresh duet of one metric.
    fn confirm(&self, _hypothesis: &mut Hypothesis, _base: &Measurement, _head: &Measurement) {}

    /// How many duets a verdict on a metric in screening is expected to cost, if its benchmark has had `done`
    /// duets and its expected spread is `spread`.
    fn further_duets(&self, hypothesis: &Hypothesis, done: usize, spread: LogSpread) -> f64;

    /// Verdict and reason of one metric, and its effect if the rule has its own estimate.
    fn conclude(
        &self,
        entry: &Entry,
        hypothesis: &Hypothesis,
        finding: &mut Finding,
        seed: u64,
    ) -> (Verdict, Reason);
}

/// The limits of confirming suspects by fresh duets, for the whole suite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfirmationLimits {
    /// Maximum number of fresh duets per suspect.
    pub max_fresh: u32,
    /// False-discovery rate of the suite.
    pub q: f64,
    /// A suspect whose evidence falls below this is dropped.
    pub give_up: f64,
}
