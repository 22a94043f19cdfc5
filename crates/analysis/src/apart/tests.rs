//! Verdicts on processes that were measured apart.

use benchwright_model::{Series, Severity, Thresholds, Unit};

use super::*;
use crate::FixedRule;

fn process(metric: &Metric, values: &[f64]) -> Measurement {
    let series = Series { metric: metric.clone(), values: values.to_vec(), resolution: 0.0 };
    Measurement { series: vec![series], ..Measurement::default() }
}

/// A side whose processes have one value each.
fn side(metric: &Metric, values: &[f64]) -> ApartSide {
    let processes = values.iter().map(|value| process(metric, &[*value])).collect();
    ApartSide { processes, is_structure_known: true, is_summary: false }
}

fn named(name: &str, base: ApartSide, head: ApartSide) -> ApartBenchmark {
    ApartBenchmark { benchmark: BenchmarkId::new("jmh", "p", name), base, head }
}

fn compare(benchmarks: &[ApartBenchmark], rule: ApartRule) -> Apart {
    let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.05 });
    compare_apart(benchmarks, &ApartSettings { rule, thresholds, seed: 1 })
}

/// The only finding on processes of one value each.
fn only(base: &[f64], head: &[f64]) -> Finding {
    let time = Metric::time();
    let mut apart = compare(&[named("X", side(&time, base), side(&time, head))], ApartRule::Processes);
    assert_eq!(apart.findings.len(), 1);
    apart.findings.remove(0)
}

/// Ten different values around `centre` with spread `spread`.
fn around(centre: f64, spread: f64, offset: f64) -> Vec<f64> {
    (0..10).map(|i| centre * (1.0 + spread * (f64::from(i * 7 % 10) - 4.5 + offset) / 4.5)).collect()
}

#[test]
fn separated_processes_are_slower_or_faster() {
    let finding = only(&around(1.0, 0.01, 0.0), &around(1.1, 0.01, 0.1));
    assert_eq!(finding.verdict, Verdict::Slower);
    assert!(finding.fails, "10 % is beyond the hard threshold");
    // 2 / C(20, 10) = 1.08e-5, and one test needs no correction.
    let Reason::RankTest { p } = finding.reason else { panic!("{:?}", finding.reason) };
    assert!((p - 2.0 / 184_756.0).abs() < 1e-12, "{p}");
    let effect = finding.effect.expect("an effect");
    assert!((effect.change() - 0.1).abs() < 0.005 && effect.lo < effect.centre && effect.centre < effect.hi);
    assert_eq!(only(&around(1.1, 0.01, 0.0), &around(1.0, 0.01, 0.1)).verdict, Verdict::Faster);
}

#[test]
fn a_soft_change_does_not_fail() {
    let finding = only(&around(1.0, 0.005, 0.0), &around(1.04, 0.005, 0.1));
    assert_eq!((finding.verdict, finding.fails), (Verdict::Slower, false));
}

#[test]
fn same_is_shown_by_the_interval() {
    let finding = only(&around(1.0, 0.01, 0.0), &around(1.0, 0.01, 0.1));
    assert_eq!((finding.verdict, finding.reason), (Verdict::Same, Reason::WithinThreshold));
    let finding = only(&around(1.0, 0.002, 0.0), &around(1.01, 0.002, 0.1));
    assert_eq!((finding.verdict, finding.reason), (Verdict::Same, Reason::CertainButSmall));
}

#[test]
fn a_certain_change_that_need_not_reach_the_threshold_is_undecided() {
    let finding = only(&around(1.0, 0.02, 0.0), &around(1.025, 0.02, 0.1));
    let effect = finding.effect.expect("an effect");
    assert!(effect.lo > 0.0 && effect.hi > 0.03, "{effect:?}");
    assert_eq!((finding.verdict, finding.reason), (Verdict::Undecided, Reason::ChangedBelowThreshold));
}

#[test]
fn every_benchmark_gets_its_own_p() {
    let time = Metric::time();
    let ten = |centre: f64, offset: f64| side(&time, &around(centre, 0.1, offset));
    let noisy = || named("noisy", ten(1.0, 0.0), ten(1.02, 0.1));
    let changed = || named("changed", ten(1.0, 0.0), ten(1.5, 0.1));
    // Too few to be tested, so they do not count as a test.
    let few = || named("few", side(&time, &[1.0, 1.1]), side(&time, &[2.0, 2.1]));
    let verdicts = |benchmarks: &[ApartBenchmark]| -> Vec<Verdict> {
        compare(benchmarks, ApartRule::Processes).findings.iter().map(|finding| finding.verdict).collect()
    };
    use Verdict::{Slower, Undecided};
    assert_eq!(verdicts(&[noisy(), few(), changed()]), [Undecided, Undecided, Slower]);
    assert_eq!(verdicts(&[changed(), few(), noisy()]), [Slower, Undecided, Undecided]);
}

#[test]
fn noise_is_undecided_and_says_how_many_processes_would_do() {
    let finding = only(&around(1.0, 0.2, 0.0), &around(1.02, 0.2, 0.1));
    assert_eq!(finding.verdict, Verdict::Undecided);
    let Reason::FewProcesses { processes: 10, needed: Some(needed) } = finding.reason else {
        panic!("{:?}", finding.reason)
    };
    assert!(needed > 100, "{needed}");
}

#[test]
fn three_processes_decide_nothing() {
    let finding = only(&[1.0, 1.001, 1.002], &[2.0, 2.001, 2.002]);
    assert_eq!(finding.verdict, Verdict::Undecided);
    assert_eq!(finding.reason, Reason::FewProcesses { processes: 3, needed: Some(4) });
    assert!(finding.effect.is_some_and(|effect| effect.lo.is_infinite()), "no interval");
}

#[test]
fn many_tests_are_corrected_for() {
    // 2 / C(10, 5) = 0.8 %: significant alone, and not among twenty when nothing else changed.
    let time = Metric::time();
    let five = |centre: f64, offset: f64| side(&time, &around(centre, 0.01, offset)[..5]);
    let changed = || named("changed", five(1.0, 0.0), five(1.1, 0.1));
    assert_eq!(compare(&[changed()], ApartRule::Processes).findings[0].verdict, Verdict::Slower);
    let mut all = vec![changed()];
    all.extend((0..19).map(|i| named(&format!("B{i}"), five(1.0, 0.0), five(1.0, 0.1))));
    let finding = &compare(&all, ApartRule::Processes).findings[0];
    assert_eq!(finding.verdict, Verdict::Undecided);
    assert!(matches!(finding.reason, Reason::FewProcesses { needed: Some(6..), .. }), "{:?}", finding.reason);
}

#[test]
fn one_process_gets_no_verdict_and_a_warning() {
    let time = Metric::time();
    let one = |values: &[f64]| ApartSide {
        processes: vec![process(&time, values)],
        is_structure_known: true,
        is_summary: false,
    };
    let pair = || [named("X", one(&around(1.0, 0.01, 0.0)), one(&around(1.5, 0.01, 0.1)))];
    let apart = compare(&pair(), ApartRule::Processes);
    assert_eq!(apart.findings[0].reason, Reason::OneProcess);
    assert!((apart.findings[0].effect.expect("shown").change() - 0.5).abs() < 0.02);
    assert_eq!(apart.diagnostics.len(), 1);
    assert!(apart.diagnostics[0].message.contains("flagged 64.5 % of unchanged benchmarks"));
    // A rule that is named by the user gives its answer, with the warning.
    let rules = [FixedRule::MannWhitney, FixedRule::TTest, FixedRule::BootstrapMedian, FixedRule::CiOverlap];
    for rule in rules {
        let apart = compare(&pair(), ApartRule::Fixed(rule));
        assert_eq!(apart.findings[0].verdict, Verdict::Slower, "{rule:?}");
        assert_eq!(apart.diagnostics.len(), 1, "{rule:?}");
    }
}

#[test]
fn unknown_structure_counts_as_one_process() {
    let time = Metric::time();
    let unknown = |values: &[f64]| ApartSide { is_structure_known: false, ..side(&time, values) };
    let pair = [named("X", unknown(&around(1.0, 0.01, 0.0)), side(&time, &around(1.5, 0.01, 0.1)))];
    let apart = compare(&pair, ApartRule::Processes);
    assert_eq!(
        (apart.findings[0].verdict, &apart.findings[0].reason),
        (Verdict::Undecided, &Reason::OneProcess)
    );
    assert_eq!(apart.findings[0].base.map(|base| base.trials), Some(1));
}

#[test]
fn summaries_are_shown_without_verdict_or_warning() {
    let time = Metric::time();
    let summary =
        |value: f64| ApartSide { is_summary: true, is_structure_known: false, ..side(&time, &[value]) };
    let apart = compare(&[named("X", summary(1.0), summary(2.0))], ApartRule::Processes);
    assert_eq!(apart.findings[0].reason, Reason::SummaryOnly);
    assert!((apart.findings[0].effect.expect("shown").change() - 1.0).abs() < 1e-12);
    assert!(apart.diagnostics.is_empty());
}

#[test]
fn counts_are_compared_as_they_are() {
    let allocations = Metric::allocations_per_op();
    let check = |base: &[f64], head: &[f64], verdict: Verdict, reason: Reason| {
        let pair = [named("X", side(&allocations, base), side(&allocations, head))];
        let apart = compare(&pair, ApartRule::Processes);
        assert_eq!((apart.findings[0].verdict, &apart.findings[0].reason), (verdict, &reason));
        assert!(!apart.findings[0].fails, "nobody configured a threshold");
    };
    check(&[3.0], &[3.0], Verdict::Same, Reason::Exact);
    check(&[3.0, 3.0], &[4.0], Verdict::Slower, Reason::Exact);
    check(&[0.0], &[2.0], Verdict::Slower, Reason::Exact);
    check(&[3.0, 4.0], &[4.0, 4.0], Verdict::Undecided, Reason::Informational);
}

#[test]
fn units_are_never_mixed() {
    let (time, rate) = (Metric::time(), Metric::throughput());
    let pair = [named("X", side(&time, &[1.0, 1.0]), side(&rate, &[1.0, 1.0]))];
    let apart = compare(&pair, ApartRule::Processes);
    assert!(apart.findings.is_empty());
    assert_eq!(apart.diagnostics[0].severity, Severity::Error);
    assert!(apart.diagnostics[0].message.contains("measures time in base and throughput in ops/s in head"));
    let hits = Metric { unit: Unit::Count, ..Metric::custom("hits") };
    let pair = [named("X", side(&hits, &[1.0]), side(&Metric::custom("hits"), &[1.0]))];
    assert!(compare(&pair, ApartRule::Processes).findings.is_empty());
}

#[test]
fn higher_throughput_is_faster() {
    let rate = Metric::throughput();
    let pair = [named("X", side(&rate, &around(1.0, 0.01, 0.0)), side(&rate, &around(1.2, 0.01, 0.1)))];
    assert_eq!(compare(&pair, ApartRule::Processes).findings[0].verdict, Verdict::Faster);
}

#[test]
fn values_without_a_ratio_have_no_verdict() {
    assert_eq!(only(&[0.0, 1.0, 2.0, 3.0], &[1.0, 2.0, 3.0, 4.0]).reason, Reason::NoRatio);
}

#[test]
fn rounding_alone_makes_no_verdict() {
    let check = |base: f64, head: f64, expected: Verdict| {
        let printed = |value: f64| {
            let mut side = side(&Metric::time(), &[value; 10]);
            for process in &mut side.processes {
                process.series[0].resolution = 1.0 / value;
            }
            side
        };
        let apart = compare(&[named("X", printed(base), printed(head))], ApartRule::Processes);
        assert_eq!(apart.findings[0].verdict, expected, "{base} {head}: {:?}", apart.findings[0].reason);
    };
    check(12.0, 12.0, Verdict::Undecided);
    check(12.0, 13.0, Verdict::Undecided);
    check(12.0, 20.0, Verdict::Slower);
    check(1000.0, 1000.0, Verdict::Same);
}
