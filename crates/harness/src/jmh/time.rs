//! How long a trial takes, before the first one.

use std::time::Duration;

use super::{command, options};
use crate::{Stop, TrialShape, TrialTime};

/// From the start of JMH to the first iteration: two virtual machines start, JMH's own and the one that measures.
const START: Duration = Duration::from_millis(1200);

/// The mean warm-up of recorded processes under the default rule, see `fixtures/jmh-steady`. A test of the room `worker`, which has
/// the rule, holds it against them.
const USUAL_WARMUP: Duration = Duration::from_millis(7700);

/// What JMH does where neither annotations nor arguments say something else: iterations to warm up, as many to measure, and the time of
/// one. What annotations say is not known before the first trial.
const ITERATIONS: u32 = 5;
const ITERATION_TIME: Duration = Duration::from_secs(10);

/// Start, warm-up and measured iterations.
pub(super) fn trial(shape: &TrialShape) -> TrialTime {
    let plus = |warmup: Duration, measured: Duration| START.saturating_add(warmup).saturating_add(measured);
    match shape.stop {
        Stop::Steady { longest_warmup } if command::is_watched(shape) => {
            let measured = iteration_time(shape, "r", shape.iteration_time).saturating_mul(shape.iterations);
            TrialTime {
                usual: plus(USUAL_WARMUP.min(longest_warmup), measured),
                longest: plus(longest_warmup, measured),
            }
        }
        Stop::Steady { .. } | Stop::Fixed => {
            let of = |count: &str, time: &str| {
                let count = options::given(&shape.args, count).and_then(|count| count.parse().ok());
                iteration_time(shape, time, ITERATION_TIME).saturating_mul(count.unwrap_or(ITERATIONS))
            };
            TrialTime::always(plus(of("wi", "w"), of("i", "r")))
        }
    }
}

/// The time of an iteration as the arguments say, else `usual`.
fn iteration_time(shape: &TrialShape, option: &str, usual: Duration) -> Duration {
    options::given(&shape.args, option).and_then(|text| duration(&text)).unwrap_or(usual)
}

/// A time as JMH takes it: `100ms`, `2s`, or seconds without a unit.
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

    const STEADY: Stop = Stop::Steady { longest_warmup: Duration::from_secs(30) };

    fn check(stop: Stop, args: &str, usual: f64, longest: f64) {
        let shape = TrialShape {
            iterations: 3,
            iteration_time: Duration::from_millis(100),
            operations: None,
            warmup_time: Duration::from_millis(100),
            stop,
            args: args.split_whitespace().map(Into::into).collect(),
        };
        let TrialTime { usual: found, longest: most } = trial(&shape);
        assert!((found.as_secs_f64() - usual).abs() < 1e-9, "{args}: {found:?}");
        assert!((most.as_secs_f64() - longest).abs() < 1e-9, "{args}: {most:?}");
    }

    #[test]
    fn a_watched_trial_starts_warms_up_and_measures() {
        check(STEADY, "", 1.2 + 7.7 + 0.3, 1.2 + 30.0 + 0.3);
        check(STEADY, "-r 1s", 1.2 + 7.7 + 3.0, 1.2 + 30.0 + 3.0);
        let short = Stop::Steady { longest_warmup: Duration::from_secs(2) };
        check(short, "", 1.2 + 2.0 + 0.3, 1.2 + 2.0 + 0.3);
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
