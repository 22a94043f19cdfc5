//! Estimates the time of trials from a listing run.

use std::time::Duration;

use crate::TrialShape;

/// The time of a benchmark in the listing run, which ran it for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListedTime {
    /// Set-up that every process repeats: from its start to the benchmark, and what the functions around it
    /// do first.
    pub process: Duration,
    /// The time of the benchmark without the operation.
    pub call: Duration,
    /// The operation.
    pub operation: Duration,
}

impl ListedTime {
    /// A first guess of the time of a trial of this shape. The benchmark is called once to find out how long
    /// an operation takes, and at least once to measure it.
    pub fn guess(&self, shape: &TrialShape) -> Duration {
        let iteration = (shape.iteration_time + shape.iteration_time / 4).max(self.operation);
        let measuring = iteration.saturating_mul(shape.iterations);
        self.process.saturating_add(self.call.saturating_mul(2)).saturating_add(measuring)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_up_and_slow_operations_prolong_the_guess() {
        let ms = Duration::from_millis;
        let shape = TrialShape::fixed(10, ms(10));
        let check = |process: u64, call: u64, operation: u64, expected: u64| {
            let listed = ListedTime { process: ms(process), call: ms(call), operation: ms(operation) };
            assert_eq!(listed.guess(&shape), ms(expected), "{listed:?}");
        };
        check(0, 0, 0, 125);
        check(19_000, 0, 0, 19_125);
        check(20, 300, 0, 745);
        check(0, 0, 500, 5000);
    }
}
