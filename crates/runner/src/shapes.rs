//! How long processes measure.

use std::collections::HashMap;
use std::time::Duration;

use benchwright_harness::{Stop, TrialShape, TrialTime, Usual, by_name};
use benchwright_model::BenchmarkId;

use crate::error::RunError;

/// Maximum number of short duets. If the first look comes later, the user wants more precision.
pub const FIRST_DUETS: u32 = 5;
/// A suspect that is not confirmed by this many short fresh duets needs longer ones.
pub(crate) const FIRST_FRESH: u32 = 10;

/// How long the processes of each benchmark measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shapes {
    /// By harness.
    pub by_harness: HashMap<String, TrialShape>,
    /// Shapes of benchmarks that differ from that of their harness.
    pub by_benchmark: HashMap<BenchmarkId, TrialShape>,
    /// Whether it is set how much processes measure, or what ends them. Otherwise the first duets decide, by
    /// the cost of set-up.
    pub are_given: bool,
}

impl Shapes {
    /// The shape of a benchmark.
    pub fn of(&self, benchmark: &BenchmarkId) -> Result<&TrialShape, RunError> {
        let own = self.by_benchmark.get(benchmark).or_else(|| self.by_harness.get(&benchmark.harness));
        own.ok_or_else(|| RunError::no_shape(&benchmark.harness))
    }

    /// The shape of a benchmark before its first look. It has fewer iterations if the kind of its samples
    /// permits it, which is enough on a quiet machine.
    pub(crate) fn first_of(&self, benchmark: &BenchmarkId) -> Result<TrialShape, RunError> {
        let shape = self.of(benchmark)?.clone();
        let usual = by_name(&benchmark.harness).map(|harness| Usual::of(harness.samples()));
        match usual.filter(|_| !self.are_given && shape.stop == Stop::Fixed) {
            Some(usual) => {
                Ok(TrialShape { iterations: shape.iterations.min(usual.first_iterations), ..shape })
            }
            None => Ok(shape),
        }
    }

    /// How much shorter the first trials of a benchmark are than the usual ones.
    pub fn saved(&self, benchmark: &BenchmarkId) -> Duration {
        let [usual, first] = [self.of(benchmark).cloned(), self.first_of(benchmark)]
            .map(|shape| shape.map_or(Duration::ZERO, |shape| TrialTime::of_iterations(&shape).usual));
        usual.saturating_sub(first)
    }
}

impl From<HashMap<String, TrialShape>> for Shapes {
    fn from(by_harness: HashMap<String, TrialShape>) -> Self {
        Shapes { by_harness, ..Shapes::default() }
    }
}
