//! The end of a trial: fixed, or by a stop rule.

use std::borrow::Cow;
use std::time::Duration;

use benchwright_model::wire::nanoseconds;
use serde::{Deserialize, Serialize};

use crate::TrialShape;

/// What ends a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// A stop rule decides where warm-up ends and when enough is measured.
    Rule(StopBy),
    /// The suite's own numbers of iterations, or those of the shape.
    Fixed,
}

/// A stop rule, and the expected times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopBy {
    /// Its name among the rules of the crate `steady`.
    pub rule: Cow<'static, str>,
    /// The rule whose statistic decides how many processes a run of one version needs. `None` means as many
    /// as planned.
    pub processes: Option<Cow<'static, str>>,
    /// Whether it sees iterations as they appear and ends the process. Otherwise it finds warm-up afterwards,
    /// and this determines how long the next process measures.
    pub is_live: bool,
    /// The longest warm-up.
    #[serde(rename = "longest_warmup_ns", with = "nanoseconds")]
    pub longest_warmup: Duration,
    /// Expected mean time of all iterations of a process.
    #[serde(rename = "usual_ns", with = "nanoseconds")]
    pub usual: Duration,
    /// The maximum of that time.
    #[serde(rename = "longest_ns", with = "nanoseconds")]
    pub longest: Duration,
    /// Seed of the random choices of the rule.
    pub seed: u64,
}

impl StopBy {
    /// The number of iterations to request from a program that the rule will end: more than it will ever
    /// need.
    pub fn most_iterations(&self, shape: &TrialShape) -> u32 {
        let needed = self.longest.as_secs_f64() / shape.iteration_time.as_secs_f64().max(1e-6);
        (needed.min(1e6) as u32).saturating_add(shape.iterations).saturating_add(SPARE)
    }
}

/// Iterations in addition to those of the longest time, because slow ones may need more.
const SPARE: u32 = 100;

/// What stop rules can do for trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stopping {
    /// Code is compiled while it runs, and iterations are seen as they appear. A rule ends the process.
    Live,
    /// Iterations are seen as they appear, but it is unknown whether code is compiled while it runs. A rule
    /// ends the process only if the user names one.
    OnRequest,
    /// Code is compiled while it runs, but values come at the end. A rule then finds warm-up and determines
    /// how long the next process has to be.
    Afterwards,
    /// Code is compiled beforehand or not at all, so there is nothing to wait for.
    Never,
}

impl TrialShape {
    /// The rule that ends a trial as its iterations appear, if there is one.
    pub fn live(&self) -> Option<&StopBy> {
        match &self.stop {
            Stop::Rule(by) if by.is_live => Some(by),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A rule that sees iterations as they appear, with this maximum time.
    pub(crate) const fn live(longest: Duration) -> Stop {
        Stop::Rule(StopBy {
            rule: Cow::Borrowed("steady"),
            processes: None,
            is_live: true,
            longest_warmup: longest,
            usual: longest,
            longest,
            seed: 0,
        })
    }

    #[test]
    fn more_iterations_are_asked_for_than_the_longest_time_holds() {
        let shape = |millis| TrialShape {
            stop: live(Duration::from_secs(30)),
            ..TrialShape::fixed(3, Duration::from_millis(millis))
        };
        let check = |millis, expected| {
            let shape = shape(millis);
            assert_eq!(shape.live().map(|by| by.most_iterations(&shape)), Some(expected), "{millis}");
        };
        check(100, 403);
        check(20, 1603);
        check(0, 1_000_103);
        let fixed = TrialShape { stop: Stop::Fixed, ..shape(100) };
        assert_eq!(fixed.live(), None);
    }
}
