//! Predicts how long a trial takes, before the first one.

use std::time::Duration;

use super::{command, options};
use crate::{TrialShape, TrialTime};

/// Time from the start of JMH to the first iteration: JMH's own virtual machine starts, and then the one that
/// measures.
const START: Duration = Duration::from_millis(1200);

/// JMH's defaults if neither annotations nor arguments set other values: the number of warm-up iterations,
/// the same number of measured ones, and the time of one. Annotations are not known before the first trial.
const ITERATIONS: u32 = 5;
const ITERATION_TIME: Duration = Duration::from_secs(10);

/// Start, warm-up and measured iterations.
pub(super) fn trial(shape: &TrialShape) -> TrialTime {
    if let Some(by) = shape.live().filter(|_| command::is_watched(shape)) {
        return TrialTime {
            usual: START.saturating_add(by.usual),
            longest: START.saturating_add(by.longest),
        };
    }
    let of = |count: &str, time: &str| {
        let count = options::given(&shape.args, count).and_then(|count| count.parse().ok());
        iteration_time(shape, time, ITERATION_TIME).saturating_mul(count.unwrap_or(ITERATIONS))
    };
    TrialTime::always(START.saturating_add(of("wi", "w")).saturating_add(of("i", "r")))
}

/// The time of a measured iteration. The user's arguments for JMH take precedence.
pub(super) fn iteration(shape: &TrialShape) -> Duration {
    iteration_time(shape, "r", shape.iteration_time)
}

/// The time of an iteration in the arguments, or else `usual`.
fn iteration_time(shape: &TrialShape, option: &str, usual: Duration) -> Duration {
    options::given(&shape.args, option).and_then(|text| duration(&text)).unwrap_or(usual)
}

/// Parses a time in JMH's format: `100ms`, `2s`, or seconds without a unit.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim().trim_end_matches(|letter: char| letter.is_alphabetic());
    let unit = match &text.trim()[digits.len()..] {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" | "hr" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(digits.trim().parse::<f64>().ok()? * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::stop::tests::live;

    const STEADY: Stop = live(Duration::from_secs(30));

    fn check(stop: Stop, args: &str, usual: f64, longest: f64) {
        let shape = TrialShape {
            iterations: 3,
            iteration_time: Duration::from_millis(100),
            operations: None,
            warmup_time: Duration::from_millis(100),
            is_overruled: false,
            stop,
            args: args.split_whitespace().map(Into::into).collect(),
        };
        let TrialTime { usual: found, longest: most } = trial(&shape);
        assert!((found.as_secs_f64() - usual).abs() < 1e-9, "{args}: {found:?}");
        assert!((most.as_secs_f64() - longest).abs() < 1e-9, "{args}: {most:?}");
    }

    #[test]
    fn a_watched_trial_starts_and_takes_what_its_rule_does() {
        check(STEADY, "", 1.2 + 30.0, 1.2 + 30.0);
        check(STEADY, "-r 1s", 1.2 + 30.0, 1.2 + 30.0);
        let Stop::Rule(by) = STEADY else { panic!("a rule") };
        let usual = Stop::Rule(crate::StopBy { usual: Duration::from_secs(8), ..by.clone() });
        check(usual, "", 1.2 + 8.0, 1.2 + 30.0);
        let afterwards = Stop::Rule(crate::StopBy { is_live: false, ..by });
        check(afterwards, "", 101.2, 101.2);
    }

    #[test]
    fn an_iteration_is_as_long_as_the_user_says() {
        let shape = |args: &str| TrialShape {
            stop: STEADY,
            args: args.split_whitespace().map(Into::into).collect(),
            ..TrialShape::fixed(3, Duration::from_millis(100))
        };
        assert_eq!(iteration(&shape("")), Duration::from_millis(100));
        assert_eq!(iteration(&shape("-t 2 -r 1s")), Duration::from_secs(1));
    }

    #[test]
    fn the_suites_own_iterations_are_jmhs_unless_arguments_say_otherwise() {
        check(Stop::Fixed, "", 101.2, 101.2);
        check(Stop::Fixed, "-wi 2 -w 500ms -i=10 -r 1", 12.2, 12.2);
        check(STEADY, "-i 1", 1.2 + 50.0 + 10.0, 1.2 + 50.0 + 10.0);
        check(STEADY, "-wi 0 -i 20 -r 100ms", 1.2 + 2.0, 1.2 + 2.0);
    }

    #[test]
    fn times_have_units() {
        let check = |text: &str, expected: Option<f64>| {
            assert_eq!(duration(text).map(|time| time.as_secs_f64()), expected, "{text}");
        };
        check("100ms", Some(0.1));
        check("2", Some(2.0));
        check("1 min", Some(60.0));
        check("x", None);
        check("-1s", None);
        check("3 weeks", None);
    }
}
