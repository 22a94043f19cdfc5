use std::sync::Arc;

use benchwright_model::{Metric, Series};

use super::*;
use crate::stopping::tests::shape;

const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// The time limit of trials.
const LIMIT: Duration = Duration::from_secs(3600);

/// A watch to which part of the series was passed, with one value every 0.1 s or as often as an operation
/// takes.
struct Watched {
    watch: Watch,
    seen: Vec<f64>,
}

fn watch(rule: &'static str, longest_warmup: Duration, earlier: &[Earlier]) -> Watch {
    Watch::of(&shape(rule, longest_warmup), LIMIT, earlier.iter()).expect("a rule")
}

/// Passes values until the rule has enough or there are none left.
fn play(mut watch: Watch, values: impl IntoIterator<Item = f64>) -> Watched {
    let start = Instant::now();
    let (mut elapsed, mut seen) = (0.0, Vec::new());
    for value in values {
        elapsed += iteration_wall(value, 0.1);
        let (count, now) = (seen.len() as u32 + 1, start + Duration::from_secs_f64(elapsed));
        seen.push(value);
        if watch.has_enough_at(count, Some(value), || now) {
            break;
        }
    }
    Watched { watch, seen }
}

impl Watched {
    fn conclude(self) -> (Stopped, Measurement, Vec<String>) {
        let series = Series { metric: Metric::time(), values: self.seen, resolution: 0.0 };
        let mut measurement = Measurement { series: vec![series], ..Measurement::default() };
        let (stopped, doubts) = self.watch.conclude(&mut measurement, None).expect("a decision");
        (stopped, measurement, doubts.into_iter().map(|doubt| doubt.message).collect())
    }
}

/// Falls for a few seconds and then varies by half a per cent.
fn falling() -> impl Iterator<Item = f64> {
    (0..3000).map(|i| 1e-6 * (1.0 + 4.0 * 0.9_f64.powi(i) + 0.005 * f64::from((i * 37) % 11 - 5) / 5.0))
}

/// Never steady for long.
fn restless() -> impl Iterator<Item = f64> {
    (0..3000).map(|i| 1e-6 * 1.5_f64.powi((i / 7) % 40))
}

/// Every rule is applied to a series that becomes steady. The text is the beginning of its reason.
#[test]
fn every_rule_ends_a_process_that_became_steady_and_says_why() {
    let check = |rule, reason: &str| {
        let (stopped, measurement, doubts) = play(watch(rule, HALF_A_MINUTE, &[]), falling()).conclude();
        assert_eq!((stopped.rule.as_str(), stopped.end), (rule, WarmupEnd::Steady), "{stopped:?}");
        assert!(stopped.reason.contains(reason), "{rule}: {}", stopped.reason);
        assert_eq!(doubts, [""; 0], "{rule}");
        let count = measurement.series[0].values.len();
        assert_eq!(stopped.after, Some(count as u32), "{rule}");
        assert!((measurement.warmup as usize) < count, "{rule}");
        let iterations = |time: Duration| (time.as_secs_f64() * 10.0).round() as usize;
        assert_eq!(iterations(stopped.warmup_time), measurement.warmup as usize, "{rule}");
        assert_eq!(iterations(stopped.warmup_time + stopped.measured_time), count, "{rule}");
    };
    check("steady", "windows of 5 iterations agree within 1 %");
    check("georges", "the last 30 iterations vary by");
    check("cv", "coefficient of variation changed by");
    check("rciw", "interval of the mean changed by");
    check("kld", "similarity of the distribution");
    check("oscnn", "the classifier gives the last 100 iterations");
    check("fcn", "the classifier gives the last 100 iterations");
    check("rocket", "the classifier gives the last 100 iterations");
}

#[test]
fn every_rule_has_a_cap_and_says_that_nothing_became_steady() {
    let cap = Duration::from_secs(7);
    for rule in ["steady", "georges", "cv", "rciw", "kld", "oscnn", "fcn", "rocket", "learned"] {
        let (stopped, measurement, doubts) = play(watch(rule, cap, &[]), restless()).conclude();
        // A classifier may find any window steady, because it was trained on real processes.
        if stopped.end == WarmupEnd::Unsteady {
            assert_eq!(doubts, ["did not become steady in 7 s of warm-up; measured all the same"], "{rule}");
        }
        assert!(
            stopped.after.is_some() && stopped.warmup_time <= cap + Duration::from_millis(100),
            "{rule}: {stopped:?}"
        );
        assert!((measurement.warmup as usize) < measurement.series[0].values.len(), "{rule}");
    }
}

#[test]
fn what_jmh_does_by_itself_is_a_rule_too() {
    let (stopped, measurement, _) = play(watch("jmh", HALF_A_MINUTE, &[]), falling()).conclude();
    assert_eq!((stopped.end, stopped.after, measurement.warmup), (WarmupEnd::Fixed, Some(1000), 500));
    assert_eq!(stopped.reason, "5 iterations of 10 s were configured");
}

#[test]
fn the_learned_rule_knows_earlier_processes() {
    let alone = play(watch("learned", HALF_A_MINUTE, &[]), falling());
    let values: Arc<[f64]> = alone.seen.clone().into();
    let (first, ..) = alone.conclude();
    // The sixth process is the long one.
    let earlier = vec![Earlier { side: Side::Head, values, warmup: 20 }; 5];
    let (sixth, ..) = play(watch("learned", HALF_A_MINUTE, &earlier), falling()).conclude();
    assert!(sixth.after > first.after, "{sixth:?} after {first:?}");
    assert_ne!(sixth.reason, first.reason);
}

#[test]
fn a_trial_without_a_rule_and_one_without_values_run_to_their_own_end() {
    let fixed = TrialShape { stop: Stop::Fixed, ..shape("steady", Duration::ZERO) };
    let mut fixed = Watch::of(&fixed, LIMIT, [].iter()).expect("no rule");
    assert!((1..100).all(|n| !fixed.has_enough(n, Some(1.0))));
    assert_eq!(fixed.conclude(&mut Measurement::default(), None), None);
    let mut silent = watch("steady", Duration::ZERO, &[]);
    assert!((1..100).all(|n| !silent.has_enough(n, None)));
    assert_eq!(silent.conclude(&mut Measurement::default(), None), None);
}

#[test]
fn warm_up_that_the_harness_marked_itself_stays_warm_up() {
    for (marked, expected) in [(0, 1), (2, 2)] {
        let watched = play(watch("steady", Duration::ZERO, &[]), [1.0, 1.0, 1.0]);
        let mut measurement = Measurement { warmup: marked, ..Measurement::default() };
        watched.watch.conclude(&mut measurement, None).expect("a decision");
        assert_eq!(measurement.warmup, expected);
    }
}

#[test]
fn lines_between_iterations_are_no_values() {
    let mut watch = watch("steady", Duration::ZERO, &[]);
    // The cap is reached at once: the first iteration is warm-up, and two are measured.
    let answers = [1, 1, 2, 2, 2, 3].map(|n| watch.has_enough(n, Some(1.0)));
    assert_eq!(answers, [false, false, false, false, false, true]);
    let mut measurement = Measurement::default();
    let (stopped, doubts) = watch.conclude(&mut measurement, None).expect("no warm-up was allowed");
    assert_eq!((measurement.warmup, stopped.end, doubts.len()), (1, WarmupEnd::Unsteady, 1));
    assert_eq!(doubts[0].severity, Severity::Note);
}

#[test]
fn a_value_that_is_no_time_ends_the_process_at_once() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for rule in ["learned", "oscnn", "cv", "steady"] {
            let watched = play(watch(rule, HALF_A_MINUTE, &[]), [1e-6, 1e-6, bad, 1e-6]);
            assert_eq!(watched.seen.len(), 3, "{rule} {bad}");
            assert_eq!(watched.watch.conclude(&mut Measurement::default(), None), None, "{rule} {bad}");
        }
    }
}

#[test]
fn constant_values_are_steady_for_every_rule() {
    for rule in ["steady", "georges", "cv", "rciw", "kld", "oscnn", "fcn", "rocket", "learned"] {
        let constant = std::iter::repeat_n(1e-6, 3000);
        let (stopped, measurement, _) = play(watch(rule, HALF_A_MINUTE, &[]), constant).conclude();
        assert!(stopped.after.is_some_and(|after| after < 600), "{rule}: {stopped:?}");
        assert!(measurement.warmup < 510, "{rule}: {stopped:?}");
    }
}

#[test]
fn slow_operations_are_iterations_of_their_own_and_that_is_said() {
    for rule in ["steady", "cv", "learned", "oscnn"] {
        let (stopped, _, doubts) =
            play(watch(rule, HALF_A_MINUTE, &[]), std::iter::repeat_n(2.0, 400)).conclude();
        let told = doubts.iter().filter(|doubt| doubt.starts_with("an operation takes longer than")).count();
        assert_eq!(told, 1, "{rule}: {doubts:?}");
        assert!(stopped.after.is_some(), "{rule}: {stopped:?}");
    }
}

#[test]
fn a_process_is_ended_in_time_to_keep_what_it_measured() {
    // The window of 100 iterations would take 500 s.
    let shape = shape("oscnn", HALF_A_MINUTE);
    let watch = Watch::of(&shape, Duration::from_secs(300), [].iter()).expect("a rule");
    let watched = play(watch, std::iter::repeat_n(5.0, 400));
    assert!((40..=54).contains(&watched.seen.len()), "{}", watched.seen.len());
    let (stopped, measurement, doubts) = watched.conclude();
    assert_eq!((stopped.after, stopped.end, measurement.warmup), (None, WarmupEnd::Unsteady, 0));
    assert!(doubts[0].starts_with("was ended before its time limit of 300 s"), "{doubts:?}");
}

#[test]
fn short_operations_on_a_busy_machine_are_not_called_long() {
    let mut watch = watch("steady", HALF_A_MINUTE, &[]);
    let start = Instant::now();
    let values: Vec<f64> = (1..=20_u32)
        .map(|n| {
            watch.has_enough_at(n, Some(1e-6), || start + Duration::from_millis(250) * n);
            1e-6
        })
        .collect();
    let series = Series { metric: Metric::time(), values, resolution: 0.0 };
    let mut measurement = Measurement { series: vec![series], ..Measurement::default() };
    let (_, doubts) = watch.conclude(&mut measurement, None).expect("a decision");
    let told: Vec<&str> = doubts.iter().map(|doubt| doubt.message.as_str()).collect();
    assert!(told.iter().any(|told| told.starts_with("an iteration of 0.1 s took 0.25 s")), "{told:?}");
}

#[test]
fn a_million_fast_iterations_are_put_together() {
    let shape = TrialShape { iteration_time: Duration::from_micros(10), ..shape("learned", HALF_A_MINUTE) };
    let mut watch = Watch::of(&shape, LIMIT, [].iter()).expect("a rule for short iterations");
    let start = Instant::now();
    let enough = (1..=10_000_000u32)
        .find(|n| watch.has_enough_at(*n, Some(1e-9), || start + Duration::from_micros(10) * *n));
    let seconds = f64::from(enough.expect("a stop")) * 1e-5;
    assert!((2.0..50.0).contains(&seconds), "{seconds} s");
}

#[test]
fn values_told_at_the_end_are_judged_then() {
    let Stop::Rule(by) = shape("steady", HALF_A_MINUTE).stop else { panic!("a rule") };
    let afterwards =
        TrialShape { stop: Stop::Rule(StopBy { is_live: false, ..by }), ..shape("steady", HALF_A_MINUTE) };
    let check = |count: usize, rate: bool, expected: (Option<u32>, WarmupEnd)| {
        let values = falling().take(count).map(|value| if rate { 1.0 / value } else { value }).collect();
        let metric = if rate { Metric::throughput() } else { Metric::time() };
        let series = Series { metric, values, resolution: 0.0 };
        let mut measurement = Measurement { series: vec![series], ..Measurement::default() };
        let watch = Watch::of(&afterwards, LIMIT, [].iter()).expect("a rule");
        let (stopped, doubts) = watch.conclude(&mut measurement, None).expect("a decision");
        assert_eq!((stopped.after, stopped.end), expected);
        assert_eq!(doubts, [], "the next process is longer, nothing is wrong");
        (measurement.warmup, stopped.after)
    };
    let whole = check(
        200,
        false,
        (play(watch("steady", HALF_A_MINUTE, &[]), falling()).watch.after, WarmupEnd::Steady),
    );
    assert_eq!(whole.1.map(|after| after - whole.0), Some(2));
    assert_eq!(check(200, true, (whole.1, WarmupEnd::Steady)), whole);
    assert_eq!(check(10, false, (None, WarmupEnd::Unsteady)).0, 8);
}
