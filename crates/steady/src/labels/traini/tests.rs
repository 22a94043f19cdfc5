//! Labels of series with a known steady state, and of series without one.

use super::*;
use proptest::prelude::*;

/// Noise of a few per cent around 0, which is the same for the same seed.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (uniform() + uniform() + uniform() + uniform() - 2.0) * 0.02
    }
}

/// Levels with the number of iterations each, with noise.
fn series(levels: &[(f64, usize)]) -> Vec<f64> {
    let mut next = noise(5);
    levels
        .iter()
        .flat_map(|&(level, n)| std::iter::repeat_n(level, n))
        .map(|level| level * (1.0 + next()))
        .collect()
}

fn labelled(values: &[f64]) -> Label {
    label(values, &LabelOptions::DEFAULT).expect("a label")
}

fn check(levels: &[(f64, usize)], expected: Option<u32>) {
    let found = labelled(&series(levels));
    match (found.steady_from, expected) {
        (None, None) => {}
        (Some(found), Some(expected)) if found.abs_diff(expected) <= 3 => {}
        other => panic!("{levels:?}: {other:?}, changes at {:?}", found.changepoints),
    }
}

#[test]
fn the_steady_state_begins_after_the_last_segment_that_differs() {
    check(&[(2e-6, 400), (1e-6, 2600)], Some(399));
    check(&[(3e-6, 100), (2e-6, 300), (1e-6, 2600)], Some(399));
    // A series that becomes slower and stays so is steady too.
    check(&[(1e-6, 1000), (2e-6, 2000)], Some(999));
    // A step of 2 % does not count.
    check(&[(1.02e-6, 1000), (1e-6, 2000)], Some(0));
    check(&[(1e-6, 3000)], Some(0));
}

#[test]
fn a_late_change_leaves_no_steady_state() {
    check(&[(1e-6, 2600), (2e-6, 400)], None);
    let late = labelled(&series(&[(1e-6, 2600), (2e-6, 400)]));
    assert!(late.last_change.abs_diff(2599) <= 3 && late.steady_from.is_none());
}

#[test]
fn outliers_change_nothing() {
    let mut values = series(&[(2e-6, 400), (1e-6, 2600)]);
    for place in [700, 1100, 1101, 2000, 2990] {
        values[place] *= 9.0;
    }
    let found = labelled(&values);
    for place in [700, 1100, 1101, 2000, 2990] {
        assert!(found.outliers.contains(&place), "{place} in {:?}", found.outliers);
    }
    assert!(found.steady_from.is_some_and(|from| from.abs_diff(399) <= 3), "{found:?}");
}

#[test]
fn segments_cover_the_series() {
    let values = series(&[(3e-6, 100), (2e-6, 300), (1e-6, 2600)]);
    let segments = labelled(&values).segments(&values);
    assert_eq!((segments[0].first, segments.last().map(|segment| segment.last)), (0, Some(2999)));
    assert!(segments.windows(2).all(|pair| pair[1].first == pair[0].last + 1));
    assert!((segments[0].mean - 3e-6).abs() < 1e-7);
}

#[test]
fn a_constant_series_is_steady_from_the_start_and_said_to_be_constant() {
    for value in [1e-9, 3.0] {
        let found = labelled(&[value; 3000]);
        assert_eq!((found.steady_from, found.changepoints.as_slice()), (Some(0), [2999].as_slice()));
        assert!(found.notes.contains(&Note::Constant));
    }
    assert_eq!(labelled(&[3.0; 3000]).notes, [Note::SlowerThanIteration(0.1), Note::Constant]);
    // The same holds with the published cost of zero variance, which a fast benchmark cannot pay.
    let published = label(&[1e-9; 3000], &LabelOptions::PUBLISHED).expect("a label");
    assert_eq!(published.steady_from, Some(0));
}

#[test]
fn what_is_no_time_is_refused_with_its_place() {
    for bad in [f64::NAN, f64::INFINITY, 0.0, -1e-9] {
        let mut values = vec![1e-6; 3000];
        values[17] = bad;
        let error = label(&values, &LabelOptions::DEFAULT).expect_err("no label");
        assert!(error.to_string().starts_with("label a series whose value 17 is"), "{error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn short_series_are_refused_or_labelled_with_a_note() {
    let error = label(&[1e-6; 59], &LabelOptions::DEFAULT).expect_err("too short");
    assert_eq!(error.to_string(), "label a series of 59 values: at least 60 are needed");
    let short = labelled(&series(&[(2e-6, 50), (1e-6, 130)]));
    assert_eq!(short.notes, [Note::NoOutlierWindow(200)]);
    assert!(short.steady_from.is_some_and(|from| from.abs_diff(49) <= 2), "{short:?}");
}

#[test]
fn a_million_values_are_labelled_in_groups() {
    let values = series(&[(2e-6, 200_000), (1e-6, 800_000)]);
    let found = labelled(&values);
    assert_eq!(found.notes, [Note::Grouped(100)]);
    assert!(found.steady_from.is_some_and(|from| from.abs_diff(199_999) <= 200), "{found:?}");
}

#[test]
fn slow_operations_are_iterations_of_their_own() {
    let slow = labelled(&series(&[(4.0, 300), (2.0, 2700)]));
    assert_eq!(slow.notes, [Note::SlowerThanIteration(0.1)]);
    assert!(slow.steady_from.is_some_and(|from| from.abs_diff(299) <= 3), "{slow:?}");
}

#[test]
fn benchmarks_are_what_their_processes_are() {
    let check = |processes: &[bool], expected: Option<BenchmarkClass>| {
        assert_eq!(BenchmarkClass::of(processes.iter().copied()), expected);
    };
    check(&[], None);
    check(&[true, true], Some(BenchmarkClass::Steady));
    check(&[true, false], Some(BenchmarkClass::Inconsistent));
    check(&[false], Some(BenchmarkClass::NoSteadyState));
}

#[test]
fn places_without_outliers() {
    assert_eq!(without(5, &[0, 3]), [1, 2, 4]);
    assert_eq!(without(2, &[]), [0, 1]);
    assert_eq!(without(2, &[0, 1]), [0_usize; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_unit_does_not_matter(
        levels in prop::collection::vec((1.0f64..3.0, 20usize..300), 1..5),
        power in -30i32..5,
    ) {
        // Powers of two, so that nothing is rounded.
        let values = series(&levels.iter().map(|(level, n)| (level * 1e-4, n + 60)).collect::<Vec<_>>());
        let scaled: Vec<f64> = values.iter().map(|value| value * 2f64.powi(power)).collect();
        let options = LabelOptions { iteration_s: 0.1 * 2f64.powi(power), ..LabelOptions::DEFAULT };
        let (a, b) = (labelled(&values), label(&scaled, &options).expect("a label"));
        prop_assert_eq!(a.changepoints, b.changepoints);
        prop_assert_eq!(a.steady_from, b.steady_from);
    }
}
