//! Watches a trial's iterations and decides when it may end.

use std::time::{Duration, Instant};

use benchwright_harness::{Stop, StopBy, TrialShape};
use benchwright_model::{Configured, Diagnostic, Measurement, Severity, Side, Stopped, WarmupEnd};
use benchwright_steady::rules::catalogue::RuleError;
use benchwright_steady::{Cut, Decision, EndedProcess, StopRule, WhyCut, iteration_wall};

use crate::stopping::stop_plan;
use crate::{Call, Earlier};

/// Iterations that take this many times as long as asked for get a note that they are slow.
const SLOW: f64 = 1.5;

/// Share of the time limit of a process that a rule may use.
const USABLE: f64 = 0.9;

/// A stop rule applied to one trial.
pub(crate) struct Watch {
    by: Option<StopBy>,
    rule: Option<Box<dyn StopRule>>,
    iteration_time: Duration,
    /// When the first iteration appeared.
    first: Option<Instant>,
    /// Time from the beginning of the first iteration to the end of each.
    ends: Vec<Duration>,
    /// Whether there was a value that is not a time. Then the trial has failed and can end.
    is_spoilt: bool,
    /// The iteration after which the rule had enough.
    after: Option<u32>,
    /// When the process would be killed, and all its results lost.
    limit: Duration,
    /// Whether it was stopped because of that limit.
    is_late: bool,
}

impl Watch {
    /// Uses the rule of the call, which gets the benchmark's earlier processes on this side.
    pub(crate) fn new(call: &Call, side: Side) -> Result<Self, RuleError> {
        let earlier = call.earlier.iter().filter(|earlier| earlier.side == side);
        Watch::of(&call.shape, call.limits.wall, earlier)
    }

    fn of<'a>(
        shape: &TrialShape,
        limit: Duration,
        earlier: impl Iterator<Item = &'a Earlier>,
    ) -> Result<Self, RuleError> {
        let by = match &shape.stop {
            Stop::Rule(by) => Some(by.clone()),
            Stop::Fixed => None,
        };
        let rule = match &by {
            Some(by) => {
                let mut plan = stop_plan(by, &by.rule, shape)?;
                for Earlier { values, warmup, .. } in earlier {
                    let cut = Cut { warmup: *warmup, why: WhyCut::Steady };
                    let _ = plan.ended(EndedProcess { values, cut });
                }
                Some(plan.rule())
            }
            None => None,
        };
        let iteration_time = shape.iteration_time;
        Ok(Watch {
            by,
            rule,
            iteration_time,
            first: None,
            ends: Vec::new(),
            is_spoilt: false,
            after: None,
            limit,
            is_late: false,
        })
    }

    /// Takes the reader's state after a line: how many iterations are complete, and the time of the last one.
    /// Returns whether the process may be ended now.
    pub(crate) fn has_enough(&mut self, iterations: u32, latest: Option<f64>) -> bool {
        self.has_enough_at(iterations, latest, Instant::now)
    }

    fn has_enough_at(&mut self, iterations: u32, latest: Option<f64>, now: impl FnOnce() -> Instant) -> bool {
        let is_over = self.is_over();
        let (Some(rule), Some(value)) = (&mut self.rule, latest) else { return false };
        if iterations as usize > self.ends.len() && !is_over {
            let now = now();
            // The first iteration began before it appeared.
            let elapsed = now.duration_since(*self.first.get_or_insert(now)) + self.iteration_time;
            // Every iteration has an entry, even if two appeared at once.
            while self.ends.len() < iterations as usize && self.after.is_none() {
                self.ends.push(elapsed);
                if let Decision::Stop(_) = rule.sample(value, elapsed) {
                    self.after = Some(self.ends.len() as u32);
                }
            }
            self.is_spoilt = !(value.is_finite() && value > 0.0);
            // There must be time for another iteration like those so far, and for the start of the process.
            let next = elapsed.mul_f64(1.0 + 1.0 / f64::from(iterations.max(1)));
            self.is_late = self.after.is_none() && next > self.limit.mul_f64(USABLE);
        }
        self.is_over()
    }

    fn is_over(&self) -> bool {
        self.after.is_some() || self.is_spoilt || self.is_late
    }

    /// Marks warm-up in the measurement. Returns the decision of the rule and diagnostics, or nothing if
    /// there was nothing to decide.
    pub(crate) fn conclude(
        mut self,
        measurement: &mut Measurement,
        configured: Option<Configured>,
    ) -> Option<(Stopped, Vec<Diagnostic>)> {
        let by = self.by.clone()?;
        if !by.is_live {
            self.replay(measurement);
        }
        let rule = self.rule.as_ref().filter(|_| !self.ends.is_empty() && !self.is_spoilt)?;
        let Cut { warmup, why } = rule.cut();
        measurement.warmup = measurement.warmup.max(warmup);
        let whole = self.ends.last().copied().unwrap_or_default();
        let before = (measurement.warmup as usize).checked_sub(1).and_then(|last| self.ends.get(last));
        let warmup_time = before.copied().unwrap_or_default();
        let stopped = Stopped {
            rule: by.rule.to_string(),
            end: match why {
                WhyCut::Steady => WarmupEnd::Steady,
                WhyCut::Unsteady => WarmupEnd::Unsteady,
                WhyCut::Fixed => WarmupEnd::Fixed,
            },
            reason: rule.reason(),
            after: self.after,
            warmup_time,
            measured_time: whole.saturating_sub(warmup_time),
            configured,
            enough: None,
        };
        let doubts = [self.unsteady(&stopped, &by), self.slow(measurement)];
        Some((stopped, doubts.into_iter().flatten().collect()))
    }

    /// Passes values that came at the end to the rule.
    fn replay(&mut self, measurement: &Measurement) {
        let mut elapsed = Duration::ZERO;
        for value in seconds(measurement) {
            let wall = iteration_wall(value, self.iteration_time.as_secs_f64());
            elapsed += Duration::try_from_secs_f64(wall).unwrap_or(self.iteration_time);
            self.ends.push(elapsed);
            let Some(rule) = &mut self.rule else { return };
            if self.after.is_none() && matches!(rule.sample(value, elapsed), Decision::Stop(_)) {
                self.after = Some(self.ends.len() as u32);
            }
        }
    }

    fn unsteady(&self, stopped: &Stopped, by: &StopBy) -> Option<Diagnostic> {
        let limit = by.longest_warmup.as_secs_f64();
        let message = match (stopped.end, self.after) {
            _ if self.is_late => {
                let limit = (10.0 * self.limit.as_secs_f64()).round() / 10.0;
                format!(
                    "was ended before its time limit of {limit} s, and before the stop rule had enough; its last iterations count"
                )
            }
            (WarmupEnd::Unsteady, Some(_)) => {
                format!("did not become steady in {limit} s of warm-up; measured all the same")
            }
            (WarmupEnd::Unsteady, None) if by.is_live => {
                "ended before it became steady; its last iterations count".into()
            }
            _ => return None,
        };
        Some(Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) })
    }

    /// A note if iterations take longer than they should, because an operation does or for another reason.
    fn slow(&self, measurement: &Measurement) -> Option<Diagnostic> {
        let (first, last) = (self.ends.first()?, self.ends.last()?);
        let steps = (self.ends.len() - 1).max(1) as f64;
        let mean = last.saturating_sub(*first).as_secs_f64() / steps;
        let asked = self.iteration_time.as_secs_f64();
        let is_operation_long = seconds(measurement).last().is_none_or(|operation| *operation >= asked);
        let message = if is_operation_long {
            format!(
                "an operation takes longer than an iteration of {asked} s: iterations are single operations, and so the stop rule counts them"
            )
        } else {
            format!(
                "an iteration of {asked} s took {mean:.2} s: the machine is busy, or much happens between iterations"
            )
        };
        let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning("", message) };
        (mean > SLOW * asked && self.ends.len() > 1).then_some(note)
    }
}

/// The time of an operation in each iteration. Empty if neither time nor throughput was measured.
pub(crate) fn seconds(measurement: &Measurement) -> Vec<f64> {
    let Some(main) = measurement.main() else { return Vec::new() };
    let inverted = |value: &f64| if main.metric.is_time() { *value } else { 1.0 / value };
    main.values.iter().map(inverted).collect()
}

#[cfg(test)]
mod tests;
