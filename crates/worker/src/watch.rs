//! Watches a trial's iterations and says when it may end.

use std::time::{Duration, Instant};

use benchwright_harness::{Stop, TrialShape};
use benchwright_model::{Diagnostic, Measurement, Severity};
use benchwright_steady::{Cut, Decision, Limits, StopRule, WhyCut, WindowMedians};

/// A stop rule at work on one trial.
pub(crate) struct Watch {
    rule: Option<Box<dyn StopRule>>,
    iteration_time: Duration,
    longest_warmup: Duration,
    /// When the first iteration was seen.
    first: Option<Instant>,
    /// Iterations seen.
    seen: u32,
    has_enough: bool,
}

impl Watch {
    /// With the rule that the shape asks for.
    pub(crate) fn new(shape: &TrialShape) -> Self {
        let longest_warmup = match shape.stop {
            Stop::Steady { longest_warmup } => Some(longest_warmup),
            Stop::Fixed => None,
        };
        let rule =
            |cap| -> Box<dyn StopRule> { Box::new(WindowMedians::new(Limits::new(cap, shape.iterations))) };
        Watch {
            rule: longest_warmup.map(rule),
            iteration_time: shape.iteration_time,
            longest_warmup: longest_warmup.unwrap_or_default(),
            first: None,
            seen: 0,
            has_enough: false,
        }
    }

    /// Takes what the reader knows after a line: how many iterations are complete and the value of the last one. Says
    /// whether the process may be ended now.
    pub(crate) fn has_enough(&mut self, iterations: u32, latest: Option<f64>) -> bool {
        let (Some(rule), Some(value)) = (&mut self.rule, latest) else { return false };
        if iterations > self.seen && !self.has_enough {
            self.seen = iterations;
            // The first iteration began before it was seen.
            let elapsed = self.first.get_or_insert_with(Instant::now).elapsed() + self.iteration_time;
            self.has_enough = matches!(rule.sample(value, elapsed), Decision::Stop(_));
        }
        self.has_enough
    }

    /// Marks warm-up in what was measured; a doubt if it never ended by itself.
    pub(crate) fn mark(&self, measurement: &mut Measurement) -> Option<Diagnostic> {
        let rule = self.rule.as_ref().filter(|_| self.seen > 0)?;
        let Cut { warmup, why } = rule.cut();
        measurement.warmup = measurement.warmup.max(warmup);
        let limit = self.longest_warmup.as_secs_f64();
        (why == WhyCut::Unsteady).then(|| Diagnostic {
            severity: Severity::Note,
            ..Diagnostic::warning(
                "",
                format!("did not become steady in {limit} s of warm-up; measured all the same"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(stop: Stop) -> TrialShape {
        TrialShape {
            iterations: 2,
            iteration_time: Duration::from_secs(1),
            operations: None,
            warmup_time: Duration::ZERO,
            stop,
            args: Vec::new(),
        }
    }

    #[test]
    fn a_fixed_trial_and_one_without_values_run_to_their_own_end() {
        let mut fixed = Watch::new(&shape(Stop::Fixed));
        assert!((1..100).all(|n| !fixed.has_enough(n, Some(1.0))));
        let mut silent = Watch::new(&shape(Stop::Steady { longest_warmup: Duration::ZERO }));
        assert!((1..100).all(|n| !silent.has_enough(n, None)));
        assert_eq!(silent.mark(&mut Measurement::default()), None);
    }

    #[test]
    fn warm_up_that_the_harness_marked_itself_stays_warm_up() {
        let mut watch = Watch::new(&shape(Stop::Steady { longest_warmup: Duration::ZERO }));
        for n in 1..=3 {
            watch.has_enough(n, Some(1.0));
        }
        for (marked, expected) in [(0, 1), (2, 2)] {
            let mut measurement = Measurement { warmup: marked, ..Measurement::default() };
            watch.mark(&mut measurement);
            assert_eq!(measurement.warmup, expected);
        }
    }

    #[test]
    fn lines_between_iterations_are_no_values() {
        let mut watch = Watch::new(&shape(Stop::Steady { longest_warmup: Duration::ZERO }));
        // The cap is reached at once: the first is warm-up, two are measured.
        let answers = [1, 1, 2, 2, 2, 3].map(|n| watch.has_enough(n, Some(1.0)));
        assert_eq!(answers, [false, false, false, false, false, true]);
        let mut measurement = Measurement::default();
        let doubt = watch.mark(&mut measurement).expect("no warm-up was allowed");
        assert_eq!((measurement.warmup, doubt.severity), (1, Severity::Note));
    }

    /// Seconds until the rule ends warm-up of a recorded process, whose iterations take 100 ms or as long as one operation.
    fn recorded_warmup(values: &str, cap: Duration) -> f64 {
        let mut rule = WindowMedians::new(Limits::new(cap, 1));
        let mut elapsed = Duration::ZERO;
        for value in values.split(' ').map(|value| value.parse::<f64>().expect("a number")) {
            let before = elapsed;
            elapsed += Duration::from_secs_f64(value.max(0.1));
            // The one measured iteration follows warm-up.
            if let Decision::Stop(_) = rule.sample(value, elapsed) {
                return before.as_secs_f64();
            }
        }
        cap.as_secs_f64()
    }

    /// Here, since this room has both the harness and the rule.
    #[test]
    fn a_trial_of_jmh_is_expected_to_warm_up_as_long_as_recorded_ones_do() {
        let cap = Duration::from_secs(30);
        let text = benchwright_testkit::fixture("jmh-steady/processes.csv");
        let all: Vec<f64> =
            text.lines().map(|line| recorded_warmup(line.rsplit(',').next().expect("values"), cap)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let jmh = benchwright_harness::by_name("jmh").expect("the harness");
        let time = |longest_warmup| jmh.trial_time(&shape(Stop::Steady { longest_warmup }));
        let expected = (time(cap).usual - time(Duration::ZERO).usual).as_secs_f64();
        assert!((expected / mean - 1.0).abs() < 0.05, "expected {expected} s, recorded {mean} s");
        assert_eq!(time(cap).longest - time(Duration::ZERO).longest, cap);
    }
}
