//! Makes a trial's outcome from the end of its process and its output.

use benchwright_harness::Reading;
use benchwright_model::{Diagnostic, Failure, FailureKind, Measurement, Outcome, Severity};
use benchwright_process::Ending;

use crate::TrialLimits;

/// Judges a process that was started. Its values count only if it ended well by itself; otherwise they are
/// kept without counting. `tail` is the end of its output. Also returns diagnostics about values that count.
pub(crate) fn judge(
    ending: Ending,
    limits: TrialLimits,
    reading: Reading,
    tail: String,
) -> (Outcome, Vec<Diagnostic>) {
    let Reading { mut measurement, mut diagnostics } = reading;
    let cut_off = |kind, detail, mut measurement: Measurement| {
        drop_unusable(&mut measurement);
        let measured = measurement.main().is_some().then_some(measurement);
        (Outcome::Failed(Failure { kind, detail, measured }), Vec::new())
    };
    if let Some(kind) = forced(ending, limits) {
        // Errors reported by the harness are more useful than the end of the output.
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let words: Vec<&str> = errors.map(|diagnostic| diagnostic.message.as_str()).collect();
        return cut_off(kind, joined(&words.join("\n"), &tail), measurement);
    }
    if let Ending::Unread(error) = ending {
        let why = format!("its output cannot be read: {}", std::io::Error::from_raw_os_error(error));
        return cut_off(FailureKind::NoResult, joined(&why, &tail), measurement);
    }
    let failed = |kind, detail| (Outcome::Failed(Failure::new(kind, detail)), Vec::new());
    match bad_time(&measurement) {
        Some((FailureKind::NoResult, _)) => {
            let doubts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            failed(FailureKind::NoResult, joined(&doubts.join("\n"), &tail))
        }
        Some((kind, why)) => failed(kind, joined(&why, &tail)),
        None => {
            diagnostics.extend(drop_unusable(&mut measurement));
            (Outcome::Measured(measurement), diagnostics)
        }
    }
}

/// The failure that makes the values irrelevant.
fn forced(ending: Ending, limits: TrialLimits) -> Option<FailureKind> {
    match ending {
        Ending::Exited(0) | Ending::Stopped | Ending::Unread(_) => None,
        Ending::Exited(status) => Some(FailureKind::ExitStatus(status)),
        Ending::Signalled(signal) => Some(FailureKind::Signal(signal)),
        Ending::TimedOut => Some(FailureKind::TimedOut),
        Ending::TooMuchOutput => Some(FailureKind::TooMuchOutput),
        Ending::TooMuchMemory => Some(FailureKind::TooMuchMemory(limits.memory_bytes.unwrap_or_default())),
        Ending::Interrupted => Some(FailureKind::Interrupted),
    }
}

fn bad_time(measurement: &Measurement) -> Option<(FailureKind, String)> {
    let Some(main) = measurement.main().filter(|series| !series.values.is_empty()) else {
        return Some((FailureKind::NoResult, String::new()));
    };
    let bad = main.values.iter().position(|value| !(value.is_finite() && *value > 0.0))?;
    let unit = if main.metric.is_time() { "s" } else { "operations per second" };
    let why = format!("the {} of iteration {} is `{}` {unit}", main.metric.name, bad + 1, main.values[bad]);
    Some((FailureKind::BadValue, why))
}

/// Removes series that cannot be used in statistics. The deciding metric, time, was already checked.
fn drop_unusable(measurement: &mut Measurement) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    measurement.series.retain(|series| {
        let is_usable = !series.values.is_empty() && series.values.iter().all(|value| value.is_finite());
        if !is_usable {
            let name = &series.metric.name;
            diagnostics
                .push(Diagnostic::warning("", format!("metric `{name}` left out: not a finite number")));
        }
        is_usable
    });
    diagnostics
}

fn joined(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first}\n{second}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_model::{Metric, Series};

    const LIMITS: TrialLimits = TrialLimits { memory_bytes: Some(1 << 30), ..TrialLimits::NONE };

    fn series(metric: Metric, values: &[f64]) -> Series {
        Series { metric, values: values.to_vec(), resolution: 0.0 }
    }

    fn reading(series: Vec<Series>) -> Reading {
        Reading { measurement: Measurement { series, ..Measurement::default() }, diagnostics: Vec::new() }
    }

    fn check(ending: Ending, times: &[f64], expected: Option<FailureKind>) {
        let series = if times.is_empty() { Vec::new() } else { vec![series(Metric::time(), times)] };
        let (outcome, _) = judge(ending, LIMITS, reading(series), String::new());
        let kind = match outcome {
            Outcome::Measured(_) => None,
            Outcome::Failed(failure) => Some(failure.kind),
        };
        assert_eq!(kind, expected, "{ending:?} {times:?}");
    }

    #[test]
    fn values_count_only_after_a_good_end() {
        check(Ending::Exited(0), &[1.0], None);
        check(Ending::Exited(101), &[1.0], Some(FailureKind::ExitStatus(101)));
        check(Ending::Signalled(11), &[1.0], Some(FailureKind::Signal(11)));
        check(Ending::TimedOut, &[1.0], Some(FailureKind::TimedOut));
        check(Ending::TooMuchOutput, &[1.0], Some(FailureKind::TooMuchOutput));
        check(Ending::TooMuchMemory, &[1.0], Some(FailureKind::TooMuchMemory(1 << 30)));
        check(Ending::Interrupted, &[1.0], Some(FailureKind::Interrupted));
    }

    #[test]
    fn what_was_measured_until_then_is_kept() {
        let times = vec![series(Metric::time(), &[1.0, 2.0]), series(Metric::custom("x"), &[f64::NAN])];
        let (outcome, _) = judge(Ending::TimedOut, LIMITS, reading(times), String::new());
        assert_eq!(outcome.measurement(), None);
        let kept = outcome.values().expect("values");
        assert_eq!(kept.series.iter().map(|series| &series.values).collect::<Vec<_>>(), [&[1.0, 2.0]]);
        let (outcome, _) = judge(Ending::TimedOut, LIMITS, reading(Vec::new()), String::new());
        assert_eq!(outcome.values(), None);
    }

    #[test]
    fn values_do_not_count_if_the_rest_of_the_output_is_missing() {
        let times = vec![series(Metric::time(), &[1.0])];
        let (outcome, _) = judge(Ending::Unread(5), LIMITS, reading(times), "tail".into());
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        assert_eq!(failure.kind, FailureKind::NoResult);
        assert_eq!(failure.detail, "its output cannot be read: Input/output error (os error 5)\ntail");
        assert_eq!(failure.measured.expect("it is kept").series[0].values, [1.0]);
    }

    #[test]
    fn a_failure_begins_with_the_harness_own_words() {
        let mut broken = reading(Vec::new());
        broken.diagnostics.push(Diagnostic::warning("", "odd"));
        broken.diagnostics.push(Diagnostic::error("x", "java.lang.Error: boom"));
        let (outcome, _) = judge(Ending::Exited(1), LIMITS, broken, "tail".into());
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        assert_eq!(failure.detail, "java.lang.Error: boom\ntail");
    }

    #[test]
    fn no_time_is_no_result_unless_the_exit_says_more() {
        check(Ending::Exited(0), &[], Some(FailureKind::NoResult));
        check(Ending::Exited(1), &[], Some(FailureKind::ExitStatus(1)));
    }

    #[test]
    fn a_time_has_to_be_a_positive_number() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY] {
            check(Ending::Exited(0), &[1.0, bad], Some(FailureKind::BadValue));
        }
        let (outcome, _) = judge(
            Ending::Exited(0),
            LIMITS,
            reading(vec![series(Metric::time(), &[1.0, -2.0])]),
            "tail".into(),
        );
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        assert_eq!(failure.detail, "the time of iteration 2 is `-2` s\ntail");
    }

    #[test]
    fn other_metrics_that_are_no_numbers_are_left_out() {
        let all = vec![series(Metric::time(), &[1.0]), series(Metric::custom("x"), &[f64::NAN])];
        let (outcome, diagnostics) = judge(Ending::Exited(0), LIMITS, reading(all), String::new());
        assert_eq!(outcome.measurement().map(|measurement| measurement.series.len()), Some(1));
        assert_eq!(diagnostics.len(), 1);
    }

    #[test]
    fn what_the_reader_did_not_understand_explains_a_missing_result() {
        let mut nothing = reading(Vec::new());
        nothing.diagnostics.push(Diagnostic::warning("line 1", "no number"));
        let (outcome, _) = judge(Ending::Exited(0), LIMITS, nothing, "garbage".into());
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        assert_eq!(failure.detail, "warning: line 1: no number\ngarbage");
    }
}
