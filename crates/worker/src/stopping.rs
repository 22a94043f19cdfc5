//! Stop rules for trials: the rule for a trial's shape, and how long the trial is expected to take.

use std::time::Duration;

use benchwright_harness::{StopBy, TrialShape};
use benchwright_steady::StopPlan;
use benchwright_steady::rules::catalogue::{Given, ProcessTime, RuleError, recorded, rule};

/// The request for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Its name.
    pub rule: &'static str,
    /// The rule that decides the number of processes, if there is one.
    pub processes: Option<&'static str>,
    /// Whether the rule sees iterations as they appear.
    pub is_live: bool,
    /// The longest warm-up.
    pub longest_warmup: Duration,
    /// Seed of its random choices.
    pub seed: u64,
}

impl Asked {
    /// The stop of trials of this shape, with the expected time. Returns an error if the rule cannot be used
    /// with such iterations.
    pub fn stop(self, shape: &TrialShape) -> Result<StopBy, RuleError> {
        let Asked { rule, processes, is_live, longest_warmup, seed } = self;
        let by = StopBy {
            rule: rule.into(),
            processes: processes.map(Into::into),
            is_live,
            longest_warmup,
            usual: Duration::ZERO,
            longest: Duration::ZERO,
            seed,
        };
        let given = given(&by, shape);
        let known = self::rule(rule)?;
        known.plan(&given)?;
        processes.map_or(Ok(()), |name| self::rule(name)?.plan(&given).map(drop))?;
        let ProcessTime { usual, longest } = known.time(&given);
        Ok(StopBy { usual, longest, ..by })
    }
}

/// The stop plan called `name` for processes of this shape with this stop.
pub fn stop_plan(by: &StopBy, name: &str, shape: &TrialShape) -> Result<Box<dyn StopPlan>, RuleError> {
    recorded(name)?.plan(&given(by, shape))
}

/// The input of a rule for trials of this shape.
fn given(by: &StopBy, shape: &TrialShape) -> Given {
    Given {
        configuration: None,
        iteration_time: shape.iteration_time,
        longest_warmup: Some(by.longest_warmup),
        measured: Some(shape.iterations),
        seed: by.seed,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use benchwright_harness::Stop;
    use benchwright_steady::replay;
    use benchwright_steady::rules::catalogue::{EARLIER, RULES};

    const STEADY: &str = "steady";

    /// Trials of iterations of 0.1 s that are stopped by a rule.
    pub(crate) fn shape(rule: &'static str, longest_warmup: Duration) -> TrialShape {
        let shape = TrialShape::fixed(2, Duration::from_millis(100));
        let asked = Asked { rule, processes: None, is_live: true, longest_warmup, seed: 1 };
        let by = asked.stop(&shape).expect("a rule for such iterations");
        TrialShape { stop: Stop::Rule(by), ..shape }
    }

    /// The rule of the first process.
    fn first(shape: &TrialShape) -> Box<dyn benchwright_steady::StopRule> {
        let by = shape.live().expect("a rule");
        stop_plan(by, &by.rule, shape).expect("checked before").rule()
    }

    #[test]
    fn every_rule_but_the_suites_own_can_end_a_trial_within_its_longest_time() {
        let mut growing = 1e-9;
        let unsteady: Vec<f64> = std::iter::repeat_with(|| {
            growing *= 1.03;
            growing
        })
        .take(3000)
        .collect();
        for known in RULES.iter().filter(|known| known.name != "fixed") {
            for seconds in [1, 7, 30] {
                let shape = shape(known.name, Duration::from_secs(seconds));
                let stop = replay(first(&shape).as_mut(), &unsteady, 0.1).expect("values");
                let by = shape.live().expect("a rule");
                let took = Duration::from_millis(100) * stop.end;
                assert!(stop.is_decided && took <= by.longest, "{}, {seconds} s: {stop:?}", known.name);
                assert!(by.usual <= by.longest, "{by:?}");
            }
        }
    }

    #[test]
    fn a_process_may_be_ended_at_the_age_at_which_earlier_ones_were_ready() {
        let usual = shape(STEADY, Duration::from_secs(30));
        let by = usual.live().expect("a rule").clone();
        let by = StopBy { rule: EARLIER.name.into(), longest_warmup: Duration::from_millis(2500), ..by };
        let later = TrialShape { iterations: 10, stop: Stop::Rule(by), ..usual };
        // Iterations that take a little less than asked for, as long as asked for, and as long as a single
        // long operation.
        for seconds in [0.09, 0.1, 3.0] {
            let mut rule = first(&later);
            let ended = (1..=100).find_map(|i| {
                match rule.sample(seconds, Duration::from_secs_f64(seconds * f64::from(i))) {
                    benchwright_steady::Decision::Stop(cut) => Some((i, cut.warmup)),
                    benchwright_steady::Decision::GoOn => None,
                }
            });
            assert_eq!(ended, Some((35, 25)), "{seconds}");
        }
    }

    #[test]
    fn a_rule_that_cannot_work_with_the_iterations_is_refused() {
        let slow = TrialShape { iteration_time: Duration::from_secs(1), ..shape(STEADY, Duration::ZERO) };
        let asked = |rule, processes| {
            let longest_warmup = Duration::from_secs(30);
            Asked { rule, processes, is_live: true, longest_warmup, seed: 1 }.stop(&slow)
        };
        assert!(matches!(asked("learned", None), Err(RuleError::LongIterations(_))));
        assert!(matches!(asked("oscnn", None), Err(RuleError::LongIterations(_))));
        assert!(matches!(asked("guess", None), Err(RuleError::Unknown(_))));
        assert!(matches!(asked(STEADY, Some("guess")), Err(RuleError::Unknown(_))));
        assert!(asked("cv", Some("cv")).is_ok());
    }

    /// Seconds of all iterations under a rule, for a recorded process of iterations of 0.1 s or of one
    /// operation each. The recording ends after 310 iterations.
    fn recorded(rule: &'static str, values: &[f64]) -> f64 {
        let shape = shape(rule, Duration::from_secs(30));
        let stop = replay(first(&shape).as_mut(), values, 0.1).expect("values");
        values[..stop.end as usize].iter().map(|value| benchwright_steady::iteration_wall(*value, 0.1)).sum()
    }

    /// This test is here because the crate has both the harness and the rule.
    #[test]
    fn a_trial_of_jmh_is_expected_to_take_as_long_as_recorded_ones_do() {
        let text = benchwright_testkit::fixture("jmh-steady/processes.csv");
        let processes: Vec<Vec<f64>> = text
            .lines()
            .map(|line| line.rsplit(',').next().expect("values"))
            .map(|values| values.split(' ').map(|value| value.parse().expect("a number")).collect())
            .collect();
        let jmh = benchwright_harness::by_name("jmh").expect("the harness");
        let mean =
            processes.iter().map(|values| recorded(STEADY, values)).sum::<f64>() / processes.len() as f64;
        let shape = shape(STEADY, Duration::from_secs(30));
        let start = jmh.trial_time(&shape).longest - shape.live().expect("a rule").longest;
        let expected = (jmh.trial_time(&shape).usual - start).as_secs_f64();
        assert!((expected / mean - 1.0).abs() < 0.05, "expected {expected} s, recorded {mean} s");
    }
}
