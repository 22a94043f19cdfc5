use benchwright_model::{
    BenchmarkId, Effect, Finding, Measurement, Metric, Reason, Series, Side, Summary, Verdict,
};
use benchwright_testkit::{benchmark, duet, failed_trial, finding};
use proptest::prelude::*;

use super::*;
use crate::{ApartBenchmark, ApartSide};

/// A reading: the change in per cent, and half the size of its interval.
fn reading(name: &str, verdict: Verdict, percent: f64, half: f64) -> Reading {
    let centre = (percent / 100.0).ln_1p();
    let found = finding(name, verdict, percent / 100.0);
    let effect = Effect { centre, lo: centre - half / 100.0, hi: centre + half / 100.0, level: 0.99 };
    Reading::of_finding(&Finding { effect: Some(effect), ..found }).expect("a reading")
}

fn pair(first: (Verdict, f64, f64), second: (Verdict, f64, f64)) -> Pair {
    let of = |(verdict, percent, half)| reading("A", verdict, percent, half);
    Pair { first: of(first), second: of(second) }
}

const SLOWER: Verdict = Verdict::Slower;
const FASTER: Verdict = Verdict::Faster;
const SAME: Verdict = Verdict::Same;
const UNDECIDED: Verdict = Verdict::Undecided;

#[test]
fn agreement_is_of_direction_and_not_of_size() {
    let check = |first, second, expected: Agreement| {
        let of = |(verdict, percent)| (verdict, percent, 1.0);
        assert_eq!(pair(of(first), of(second)).agreement(), expected);
        assert_eq!(pair(of(second), of(first)).agreement(), expected, "the other way round");
    };
    check((SLOWER, 5.0), (SLOWER, 116.0), Agreement::SameChange);
    check((SLOWER, 5.0), (FASTER, -5.0), Agreement::Opposite);
    check((FASTER, -5.0), (FASTER, -10.0), Agreement::SameChange);
    check((SAME, 0.1), (UNDECIDED, 26.0), Agreement::NoChange);
    check((SAME, 0.1), (SLOWER, 5.0), Agreement::Possible);
    check((FASTER, -5.0), (UNDECIDED, -4.0), Agreement::Possible);
}

#[test]
fn coverage_asks_whether_an_estimate_lies_in_the_others_interval() {
    // First 5 % ± 3, second 7 % ± 1: the second's 7 is in the first's, the first's 5 is not in the second's.
    let one = pair((SLOWER, 5.0, 3.0), (SLOWER, 7.0, 1.0));
    assert_eq!(
        (one.is_first_covered(), one.is_second_covered(), one.overlaps()),
        (Some(false), Some(true), Some(true))
    );
    let apart = pair((SLOWER, 5.0, 0.5), (SLOWER, 20.0, 0.5));
    assert_eq!(
        (apart.is_first_covered(), apart.is_second_covered(), apart.overlaps()),
        (Some(false), Some(false), Some(false))
    );
}

#[test]
fn what_is_disputed_is_as_large_as_the_run_says_that_found_it() {
    let check = |first, second, expected: Option<f64>| {
        let size = pair(first, second).disputed_change();
        assert!(match (size, expected) {
            (Some(size), Some(expected)) => (size - expected).abs() < 1e-12,
            (size, expected) => size == expected,
        });
    };
    check((SLOWER, 5.0, 1.0), (SLOWER, 9.0, 1.0), None);
    check((SAME, 0.0, 1.0), (UNDECIDED, 9.0, 20.0), None);
    // The other run estimated 9 %, but did not find a change.
    check((SLOWER, 5.0, 1.0), (UNDECIDED, 9.0, 20.0), Some(0.05));
    check((FASTER, -10.0, 1.0), (SLOWER, 7.0, 1.0), Some(0.1));
}

#[test]
fn a_suite_by_hand() {
    let first = vec![
        reading("Both", SLOWER, 5.0, 1.0),
        reading("Neither", SAME, 0.1, 0.5),
        reading("First", SLOWER, 4.0, 1.0),
        reading("Turned", FASTER, -10.0, 1.0),
        reading("Gone", SAME, 0.0, 1.0),
    ];
    let second = vec![
        reading("New", SAME, 0.0, 1.0),
        reading("Turned", SLOWER, 6.0, 1.0),
        reading("First", UNDECIDED, 2.0, 3.0),
        reading("Neither", UNDECIDED, 0.3, 0.1),
        reading("Both", SLOWER, 5.5, 2.0),
    ];
    let runs = TwoRuns::of(first.clone(), second.clone());
    let names: Vec<&str> = runs.pairs.iter().map(|pair| pair.first.benchmark.short_name()).collect();
    assert_eq!(names, ["Both", "Neither", "First", "Turned"]);
    assert_eq!(
        (&runs.only_first[..], &runs.only_second[..]),
        (&[benchmark("Gone")][..], &[benchmark("New")][..])
    );
    assert_eq!(Agreement::ALL.map(|kind| runs.count(kind)), [1, 1, 1, 1]);
    assert_eq!((runs.agreeing(), runs.agreement()), (2, Some(0.5)));
    // Both: 5 in 5.5 ± 2 and 5.5 in 5 ± 1. Neither: 0.1 not in 0.3 ± 0.1, 0.3 in 0.1 ± 0.5. First: 4 in 2 ±
    // 3, 2 not in 4 ± 1.
    let all = Coverage { benchmarks: 4, first_in_second: 2, second_in_first: 2, both: 1 };
    assert_eq!(runs.coverage(Among::All), all);
    let changed = Coverage { benchmarks: 2, first_in_second: 1, second_in_first: 1, both: 1 };
    assert_eq!(runs.coverage(Among::Changed), changed);
    let sizes = runs.disputed_changes();
    assert!(
        sizes.len() == 2 && (sizes[0] - 0.04).abs() < 1e-12 && (sizes[1] - 0.1).abs() < 1e-12,
        "{sizes:?}"
    );
    let disputed = runs.disputed().expect("two of them");
    assert!(
        (disputed.median - 0.07).abs() < 1e-12 && (disputed.upper_quartile - 0.085).abs() < 1e-12,
        "{disputed:?}"
    );
    let nothing = TwoRuns::of(Vec::new(), second);
    assert_eq!((nothing.agreement(), nothing.disputed()), (None, None));
}

#[test]
fn only_main_metrics_that_were_measured_are_read() {
    let slower = finding("A", SLOWER, 0.1);
    assert_eq!(Reading::of_finding(&slower).map(|it| (it.found, it.results)), Some((Found::Larger, 5)));
    let bytes = Metric { name: "B/op".into(), ..Metric::time() };
    let failed = Reason::Failed { what: "head".into() };
    let none = [
        Finding { metric: bytes, ..slower.clone() },
        Finding { reason: failed, ..slower.clone() },
        Finding { effect: None, ..slower.clone() },
    ];
    assert!(none.iter().all(|finding| Reading::of_finding(finding).is_none()));
    let identical = Finding { reason: Reason::IdenticalBuild, effect: None, verdict: SAME, ..slower.clone() };
    assert_eq!(Reading::of_finding(&identical).map(|it| it.found), Some(Found::Nothing));
    // A rule without an interval has a direction nevertheless.
    let effect = Effect { centre: 0.1, lo: f64::NEG_INFINITY, hi: f64::INFINITY, level: 0.99 };
    let open = Reading::of_finding(&Finding { effect: Some(effect), ..slower.clone() }).expect("a reading");
    assert_eq!((open.found, open.effect), (Found::Larger, None));
    // Processes measured apart are not duets; the side with fewer processes counts.
    let summary = |trials| Some(Summary { centre: 1.0, spread: 0.0, trials });
    let apart = Finding { duets: Vec::new(), base: summary(7), head: summary(9), ..slower };
    assert_eq!(Reading::of_finding(&apart).map(|it| it.results), Some(7));
}

/// Values close to `centre`.
fn values(centre: f64, n: u32) -> Vec<f64> {
    (0..n).map(|i| centre * (1.0 + 0.001 * f64::from(i * 7 % 11))).collect()
}

#[test]
fn duets_become_samples_without_those_that_failed() {
    let mut trials = Vec::new();
    for (index, value) in values(1.0, 12).into_iter().enumerate() {
        trials.extend(duet("A", index as u32, value, value * 1.1));
    }
    trials.extend([
        duet("A", 12, 1.0, 9.0)[0].clone(),
        failed_trial("A", Side::Head, 12, benchwright_model::FailureKind::NoResult),
    ]);
    let found = samples(&trials);
    assert_eq!((found.len(), found[0].results(), &found[0].benchmark), (1, 12, &benchmark("A")));
    let reading = found[0].reading(1).expect("a reading");
    assert_eq!((reading.verdict, reading.found, reading.results), (SLOWER, Found::Larger, 12));
    let effect = reading.effect.expect("an interval");
    assert!((effect.change() - 0.1).abs() < 1e-9 && effect.level == 0.99, "{effect:?}");
    assert_eq!(Sample { base: vec![0.0; 12], ..found[0].clone() }.reading(1), None);
}

#[test]
fn the_papers_rule_reads_processes_measured_apart() {
    let side = |centre: f64, n: u32| ApartSide {
        processes: values(centre, n)
            .into_iter()
            .map(|value| Measurement {
                series: vec![Series { metric: Metric::time(), values: vec![value], resolution: 0.0 }],
                ..Measurement::default()
            })
            .collect(),
        is_structure_known: true,
        is_summary: false,
    };
    let apart = ApartBenchmark {
        benchmark: BenchmarkId::new("jmh", "", "x"),
        base: side(1.1, 15),
        head: side(1.0, 11),
    };
    let sample = Sample::of_apart(&apart).expect("a sample");
    assert_eq!(sample.results(), 11);
    assert_eq!(sample.reading(1).map(|reading| reading.found), Some(Found::Smaller));
    let head = ApartSide { is_structure_known: false, ..apart.head.clone() };
    assert_eq!(Sample::of_apart(&ApartBenchmark { head, ..apart }), None);
}

#[test]
fn repeats_are_counted_until_the_interval_is_small_enough() {
    // Without spread the first look is enough; the fifth duet is the first with an interval.
    assert_eq!(Growth::Duets(&[0.05; 9]).needed(0.01), Repeats::Enough(5));
    // ± 1 %, alternating: the size after five is far more than 1 %, and shrinks.
    let wide: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
    let sizes = Growth::Duets(&wide).sizes();
    assert_eq!((sizes[0].0, sizes.last().map(|it| it.0)), (5, Some(40)));
    let (n, size) = sizes[20];
    match Growth::Duets(&wide).needed(size) {
        Repeats::Enough(found) => assert!(found <= n),
        other => panic!("{other:?}"),
    }
    // An interval of half the last size needs about four times as many.
    let last = sizes.last().expect("a size").1;
    assert_eq!(Growth::Duets(&wide).needed(last / 2.0), Repeats::About(160));
    assert_eq!(Growth::Duets(&wide).needed(0.0), Repeats::Unknown);
    assert_eq!(Growth::Duets(&wide[..4]).needed(1.0), Repeats::Unknown);
}

#[test]
fn the_papers_interval_is_looked_at_from_ten_results_on() {
    let sample = Sample {
        benchmark: benchmark("A"),
        metric: Metric::time(),
        base: values(1.0, 30),
        head: values(1.02, 30),
    };
    let growth = Growth::Medians { sample: &sample, seed: 3 };
    assert_eq!(growth.needed(1.0), Repeats::Enough(10));
    let sizes = growth.sizes();
    assert_eq!((sizes.len(), sizes[0].0), (21, 10));
    // Values are within 1 %, so no interval of a ratio of medians is larger than twice that.
    assert!(sizes.iter().all(|(_, size)| *size > 0.0 && *size < 0.021), "{sizes:?}");
    assert!(matches!(growth.needed(1e-4), Repeats::About(n) if n > 30));
}

#[test]
fn the_size_of_an_interval_is_in_relative_changes() {
    let effect = Effect { centre: 0.0, lo: 0.99_f64.ln(), hi: 1.01_f64.ln(), level: 0.99 };
    assert!((interval_size(&effect) - 0.02).abs() < 1e-12);
}

/// Readings of random benchmarks.
fn any_run() -> impl Strategy<Value = Vec<Reading>> {
    let one = (0_usize..12, 0_usize..4, -30.0..30.0_f64, 0.01..10.0_f64);
    prop::collection::vec(one, 0..12).prop_map(|all| {
        let mut known = std::collections::BTreeSet::new();
        let of = |(name, verdict, percent, half): (usize, usize, f64, f64)| {
            let verdict = match verdict {
                0 => SAME,
                1 => UNDECIDED,
                _ if percent > 0.0 => SLOWER,
                _ => FASTER,
            };
            reading(&format!("B{name}"), verdict, percent, half)
        };
        all.into_iter().filter(|one| known.insert(one.0)).map(of).collect()
    })
}

proptest! {
    #[test]
    fn a_run_agrees_with_itself_in_everything(run in any_run()) {
        let runs = TwoRuns::of(run.clone(), run.clone());
        prop_assert_eq!((runs.pairs.len(), runs.agreeing()), (run.len(), run.len()));
        prop_assert!(runs.only_first.is_empty() && runs.only_second.is_empty());
        let all = Coverage { benchmarks: run.len(), first_in_second: run.len(), second_in_first: run.len(), both: run.len() };
        prop_assert_eq!(runs.coverage(Among::All), all);
        prop_assert!(runs.disputed_changes().is_empty());
    }

    #[test]
    fn which_run_comes_first_matters_to_nothing_but_the_sides(first in any_run(), second in any_run()) {
        let (runs, turned) = (TwoRuns::of(first.clone(), second.clone()), TwoRuns::of(second.clone(), first.clone()));
        prop_assert_eq!(runs.agreement(), turned.agreement());
        for kind in Agreement::ALL {
            prop_assert_eq!(runs.count(kind), turned.count(kind));
        }
        for among in [Among::All, Among::Changed] {
            let (one, other) = (runs.coverage(among), turned.coverage(among));
            let sides = (other.second_in_first, other.first_in_second);
            prop_assert_eq!((one.first_in_second, one.second_in_first), sides);
            prop_assert_eq!((one.both, one.benchmarks), (other.both, other.benchmarks));
            prop_assert!(one.both <= one.first_in_second.min(one.second_in_first));
        }
        prop_assert_eq!(runs.disputed_changes(), turned.disputed_changes());
        prop_assert_eq!(runs.pairs.len() + runs.only_first.len(), first.len());
        prop_assert_eq!(runs.pairs.len() + runs.only_second.len(), second.len());
        let disagreeing = runs.count(Agreement::Opposite) + runs.count(Agreement::Possible);
        prop_assert_eq!(disagreeing, runs.disputed_changes().len());
        prop_assert_eq!(runs.agreeing() + disagreeing, runs.pairs.len());
    }

    #[test]
    fn a_smaller_interval_never_takes_fewer_results(
        duets in prop::collection::vec(-0.1..0.1_f64, 5..40), wanted in 0.001..0.3_f64, share in 0.1..1.0_f64,
    ) {
        let number = |repeats| match repeats {
            Repeats::Enough(n) | Repeats::About(n) => n,
            Repeats::Unknown => u32::MAX,
        };
        let growth = Growth::Duets(&duets);
        prop_assert!(number(growth.needed(wanted * share)) >= number(growth.needed(wanted)));
    }
}
