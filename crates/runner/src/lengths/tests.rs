use benchwright_model::{Measurement, Metric, Outcome, Series, Side, Usage};
use benchwright_testkit::trial;

use super::*;

/// A benchmark: seconds of set-up, around each iteration, and of one iteration of the usual length.
#[derive(Clone, Copy)]
struct Suite {
    process: f64,
    around: f64,
    inside: f64,
    /// The tool refuses fewer iterations.
    least: u32,
    /// Seconds that the suite's own settings demand, if they do, and whether the tool can measure briefly
    /// nevertheless.
    own: Option<(f64, bool)>,
    /// Relative spread of iterations.
    within: f64,
    /// Difference between the halves of a duet as ln(head / base), with alternating sign.
    between: f64,
}

const SUITE: Suite =
    Suite { process: 0.01, around: 0.0, inside: 0.01, least: 1, own: None, within: 0.02, between: 0.01 };

fn usual() -> TrialShape {
    TrialShape::fixed(10, Duration::from_millis(10))
}

fn half(suite: Suite, side: Side, shape: &TrialShape, centre: f64) -> Trial {
    let iterations = shape.iterations.max(suite.least);
    let times = shape.iteration_time.as_secs_f64() / 0.01;
    let each = match suite.own {
        Some((own, is_brief_possible)) if !(shape.is_overruled && is_brief_possible) => {
            own / f64::from(iterations)
        }
        _ => suite.inside * times * f64::from(shape.iterations) / f64::from(iterations),
    };
    // Three values repeated in turn have the requested spread, whatever the number of iterations.
    let deviation = suite.within / times.sqrt() / 1.4826;
    let values = (0..iterations).map(|i| centre * (1.0 + deviation * [0.0, 1.0, -1.0][i as usize % 3]));
    let series = Series { metric: Metric::time(), values: values.collect(), resolution: 0.0 };
    let operations = vec![(each / centre).round() as u64; iterations as usize];
    let seconds = suite.process + f64::from(iterations) * (suite.around + each * 1.0001);
    Trial {
        usage: Usage { wall: Duration::from_secs_f64(seconds), ..Usage::default() },
        outcome: Outcome::Measured(Measurement {
            warmup: 0,
            operations,
            series: vec![series],
            ..Measurement::default()
        }),
        ..trial("a", side, 0, &[1.0])
    }
}

/// The lengths of this many duets, each determined by the ones before it.
fn lengths(suite: Suite, limit: u64, duets: u32) -> Vec<(u32, u32)> {
    lengths_after(0, suite, limit, duets)
}

/// The same, but the first `short` duets have three iterations unless their predecessors determine otherwise.
fn lengths_after(short: u32, suite: Suite, limit: u64, duets: u32) -> Vec<(u32, u32)> {
    let mut lengths = Lengths::default();
    (0..duets)
        .map(|duet| {
            let asked = if duet < short { TrialShape { iterations: 3, ..usual() } } else { usual() };
            let length = lengths.length().unwrap_or(Length::iterations(asked.iterations));
            let shape = length.of(usual());
            let apart = suite.between * if duet % 2 == 0 { 1.0 } else { -1.0 };
            let base = half(suite, Side::Base, &shape, 1e-6);
            let head = half(suite, Side::Head, &shape, 1e-6 * apart.exp());
            lengths.take((&usual(), &asked), Duration::from_secs(limit), &[base, head]);
            (length.iterations, length.times)
        })
        .collect()
}

#[test]
fn where_starting_is_cheap_nothing_changes() {
    assert_eq!(lengths(SUITE, 300, 6), [(10, 1); 6]);
    let as_long = Suite { process: 0.09, ..SUITE };
    assert_eq!(lengths(as_long, 300, 6), [(10, 1); 6]);
}

#[test]
fn an_expensive_process_measures_more_step_by_step() {
    let suite = Suite { process: 19.0, ..SUITE };
    let lengths = lengths(suite, 300, 12);
    assert_eq!(lengths[..5], [(10, 1), (3, 1), (20, 1), (40, 1), (80, 1)]);
    let (last, times) = lengths[11];
    assert!(times == 1 && (80..=400).contains(&last), "{lengths:?}");
    assert!(lengths[8..].iter().all(|length| *length == lengths[8]), "fixed after eight: {lengths:?}");
}

#[test]
fn short_first_duets_tell_the_same_of_set_up() {
    assert_eq!(lengths_after(5, SUITE, 300, 7), [(3, 1), (3, 1), (3, 1), (3, 1), (3, 1), (10, 1), (10, 1)]);
    let per_process = lengths_after(5, Suite { process: 19.0, ..SUITE }, 300, 12);
    assert_eq!(per_process[..5], [(3, 1), (6, 1), (20, 1), (40, 1), (80, 1)]);
    let per_iteration = lengths_after(5, Suite { around: 1.9, ..SUITE }, 300, 8);
    assert_eq!(per_iteration[..2], [(3, 1), (6, 1)]);
    assert!(per_iteration[2..].iter().all(|(iterations, times)| *iterations == 3 && *times >= 3));
    let by_the_suite = Suite { own: Some((3.0, true)), least: 10, ..SUITE };
    assert_eq!(lengths_after(5, by_the_suite, 300, 7), [(3, 1); 7]);
}

#[test]
fn no_process_measures_longer_than_it_gets_ready() {
    for process in [0.2, 0.7, 3.0, 60.0] {
        // The noise of iterations is so large, and that of processes so small, that the greatest length is
        // chosen.
        let suite = Suite { process, within: 0.5, between: 0.0, ..SUITE };
        let longest = lengths(suite, 300, 12).iter().map(|length| length.0).max().unwrap_or_default();
        let most = (process / 0.01).min(1000.0);
        assert!(f64::from(longest) <= most * 1.01 && longest > 10, "{process}: {longest}");
    }
    let near_the_limit = Suite { process: 19.0, within: 0.5, ..SUITE };
    assert!(lengths(near_the_limit, 30, 12).iter().all(|length| length.0 <= 10));
}

#[test]
fn where_processes_differ_more_than_iterations_more_of_them_are_better() {
    let suite = Suite { process: 0.7, within: 0.005, between: 0.1, ..SUITE };
    assert_eq!(lengths(suite, 300, 4)[2..], [(10, 1); 2]);
}

#[test]
fn where_each_iteration_gets_ready_there_are_few_and_long_ones() {
    let suite = Suite { around: 1.9, ..SUITE };
    let lengths = lengths(suite, 300, 8);
    assert_eq!(lengths[..2], [(10, 1), (3, 1)]);
    assert!(lengths[2..].iter().all(|(iterations, times)| *iterations == 3 && *times >= 3), "{lengths:?}");
}

#[test]
fn a_tool_that_refuses_few_iterations_does_not_get_many_either() {
    let suite = Suite { around: 1.0, least: 10, within: 0.05, ..SUITE };
    let lengths = lengths(suite, 300, 8);
    assert!(lengths.iter().all(|length| length.0 <= 20), "{lengths:?}");
    assert!(lengths[3..].iter().all(|length| length.0 == 3), "{lengths:?}");
}

#[test]
fn long_operations_are_measured_a_few_times() {
    let suite = Suite { inside: 1.0, ..SUITE };
    assert_eq!(lengths(suite, 300, 4), [(10, 1), (3, 1), (3, 1), (3, 1)]);
    let less_long = Suite { inside: 0.04, ..SUITE };
    assert_eq!(lengths(less_long, 300, 4), [(10, 1), (10, 1), (3, 1), (3, 1)]);
}

#[test]
fn where_the_suite_insists_on_a_time_the_tool_measures_briefly_or_more_often_in_it() {
    let suite = |can_be_brief| Suite { own: Some((3.0, can_be_brief)), least: 10, ..SUITE };
    assert_eq!(lengths(suite(true), 300, 5), [(10, 1), (3, 1), (3, 1), (3, 1), (3, 1)]);
    assert_eq!(lengths(suite(false), 300, 5), [(10, 1), (3, 1), (100, 1), (100, 1), (100, 1)]);
    let mut known = Lengths::default();
    let trial = |side| half(suite(true), side, &usual(), 1e-6);
    let shape = usual();
    known.take((&shape, &shape), Duration::from_secs(300), &[trial(Side::Base), trial(Side::Head)]);
    assert!(known.length().is_some_and(|length| length.of(usual()).is_overruled));
}

#[test]
fn what_reports_more_time_than_has_passed_says_nothing() {
    let shape = usual();
    let mut base = half(Suite { process: 5.0, ..SUITE }, Side::Base, &shape, 1e-6);
    let head = base.clone();
    base.usage.wall = Duration::from_millis(1);
    let mut lengths = Lengths::default();
    for _ in 0..4 {
        lengths.take(
            (&shape, &shape),
            Duration::from_secs(300),
            &[base.clone(), Trial { usage: base.usage, ..head.clone() }],
        );
        lengths.take((&shape, &shape), Duration::from_secs(300), &[]);
    }
    assert_eq!(lengths.length(), None);
}
