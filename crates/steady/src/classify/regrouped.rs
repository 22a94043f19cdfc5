//! Combines shorter iterations to ones of 0.1 s.

use std::time::Duration;

use crate::rules::Grouping;
use crate::{Cut, Decision, EndedProcess, Processes, StopPlan, StopRule};

/// The length of iterations in the training of the rules.
const ITERATION: Duration = Duration::from_millis(100);

/// Maximum number of groups that are stored. No trained rule uses more.
const GROUPS: usize = 1200;

/// Passes the means of groups of iterations that last 0.1 s together to a rule, and translates its decision.
pub struct Regrouped {
    rule: Box<dyn StopRule>,
    grouping: Grouping,
    sum: f64,
    n: u32,
    seen: u32,
    /// Iterations up to the end of each group.
    ends: Vec<u32>,
}

impl std::fmt::Debug for Regrouped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Regrouped").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl Regrouped {
    /// Wraps a rule that has no values yet.
    pub fn new(rule: Box<dyn StopRule>) -> Self {
        Regrouped {
            rule,
            grouping: Grouping::new(ITERATION),
            sum: 0.0,
            n: 0,
            seen: 0,
            ends: Vec::with_capacity(GROUPS),
        }
    }

    /// Iterations instead of groups.
    fn translated(&self, cut: Cut) -> Cut {
        let groups = (cut.warmup as usize).min(self.ends.len());
        let warmup = groups.checked_sub(1).map_or(0, |last| self.ends[last]);
        Cut { warmup, ..cut }
    }
}

impl StopRule for Regrouped {
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision {
        self.seen = self.seen.saturating_add(1);
        self.sum += value;
        self.n += 1;
        if !self.grouping.is_complete(elapsed) {
            return Decision::GoOn;
        }
        let mean = self.sum / f64::from(self.n);
        (self.sum, self.n) = (0.0, 0);
        if self.ends.len() < GROUPS {
            self.ends.push(self.seen);
        }
        match self.rule.sample(mean, elapsed) {
            Decision::GoOn => Decision::GoOn,
            Decision::Stop(cut) => Decision::Stop(self.translated(cut)),
        }
    }

    fn cut(&self) -> Cut {
        let cut = self.translated(self.rule.cut());
        Cut { warmup: cut.warmup.min(self.seen.saturating_sub(1)), ..cut }
    }

    fn reason(&self) -> String {
        self.rule.reason()
    }
}

/// A plan whose rules are [`Regrouped`].
pub struct RegroupedPlan {
    plan: Box<dyn StopPlan>,
    together: usize,
}

impl std::fmt::Debug for RegroupedPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RegroupedPlan").field("together", &self.together).finish_non_exhaustive()
    }
}

impl RegroupedPlan {
    /// Wraps a plan for iterations of 0.1 s, each of which is made of about `together` shorter ones.
    pub fn new(plan: Box<dyn StopPlan>, together: usize) -> Self {
        RegroupedPlan { plan, together: together.max(1) }
    }
}

impl StopPlan for RegroupedPlan {
    fn rule(&self) -> Box<dyn StopRule> {
        Box::new(Regrouped::new(self.plan.rule()))
    }

    fn ended(&mut self, process: EndedProcess<'_>) -> Processes {
        let groups = process.values.chunks_exact(self.together);
        let values: Vec<f64> = groups.map(|group| group.iter().sum::<f64>() / self.together as f64).collect();
        let warmup = process.cut.warmup / u32::try_from(self.together).unwrap_or(u32::MAX);
        self.plan.ended(EndedProcess { values: &values, cut: Cut { warmup, ..process.cut } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Georges, GeorgesOptions};

    #[test]
    fn ten_short_iterations_are_one_and_the_cut_counts_short_ones() {
        let georges = || Box::new(Georges::new(GeorgesOptions::PUBLISHED));
        let mut regrouped = Regrouped::new(georges());
        // Varies much from one iteration to the next, but every group of ten is equal. The first hundred are
        // slow.
        let value = |i: u32| 1e-6 * f64::from(1 + i % 10 + if i < 100 { 20 - i / 10 } else { 0 });
        let stop =
            (0..2000).find_map(|i| match regrouped.sample(value(i), Duration::from_millis(10) * (i + 1)) {
                Decision::Stop(cut) => Some((i + 1, cut)),
                Decision::GoOn => None,
            });
        let mut grouped = georges();
        let means = (0..200u32).map(|g| (g * 10..g * 10 + 10).map(value).sum::<f64>() / 10.0);
        let expected = means.enumerate().find_map(|(g, mean)| {
            match grouped.sample(mean, Duration::from_millis(100) * (g as u32 + 1)) {
                Decision::Stop(cut) => Some((g as u32 + 1, cut)),
                Decision::GoOn => None,
            }
        });
        let ((at, cut), (group, whole)) = (stop.expect("a stop"), expected.expect("a stop"));
        assert_eq!((at, cut), (group * 10, Cut { warmup: whole.warmup * 10, ..whole }));
        assert_eq!((regrouped.cut(), regrouped.reason()), (cut, grouped.reason()));
    }

    #[test]
    fn a_process_that_ends_inside_the_first_group_has_no_warm_up() {
        let mut regrouped = Regrouped::new(Box::new(Georges::new(GeorgesOptions::PUBLISHED)));
        let _ = regrouped.sample(1.0, Duration::from_millis(10));
        assert_eq!(regrouped.cut().warmup, 0);
    }
}
