//! What a finding shows fits together: the verdict, its interval, and the values of both sides. With fixed seeds.

#![expect(clippy::print_stdout, reason = "a test shows the rates it measured")]

use std::sync::Arc;

use benchwright_analysis::{Confirm, Judge, JudgeSettings, PairedSettings, ThresholdRules};
use benchwright_model::{
    BenchmarkId, Finding, Measurement, Metric, Phase, Reason, Series, Thresholds, Verdict,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

type Generator = Xoshiro256PlusPlus;
/// Draws the log-value of a process.
type Noise = fn(&mut Generator) -> f64;

const THRESHOLDS: Thresholds = Thresholds { soft: 0.03, hard: 0.03 };

fn uniform(generator: &mut Generator) -> f64 {
    generator.random_range(f64::MIN_POSITIVE..1.0)
}

fn normal(generator: &mut Generator) -> f64 {
    (-2.0 * uniform(generator).ln()).sqrt() * (std::f64::consts::TAU * uniform(generator)).cos()
}

/// One process in ten is slowed by 15 % on average.
fn disturbed(generator: &mut Generator) -> f64 {
    let slowed = if uniform(generator) < 0.1 { -0.15 * uniform(generator).ln() } else { 0.0 };
    0.01 * normal(generator) + slowed
}

/// Three processes in ten are 10 % slower.
fn modes(generator: &mut Generator) -> f64 {
    0.005 * normal(generator) + if uniform(generator) < 0.3 { 0.10 } else { 0.0 }
}

fn time(log: f64) -> Measurement {
    let series = Series { metric: Metric::time(), values: vec![log.exp()], resolution: 0.0 };
    Measurement { warmup: 0, operations: Vec::new(), series: vec![series], ..Measurement::default() }
}

fn judge(count: usize, confirm: Confirm, thresholds: ThresholdRules) -> Judge {
    let rule = Arc::new(PairedSettings { confirm, ..PairedSettings::default() });
    let ids = (0..count).map(|i| BenchmarkId::new("go", "p", format!("B{i}"))).collect();
    Judge::new(ids, JudgeSettings { rule, thresholds, seed: 0 })
}

/// A suite of ten benchmarks that are slower by `change`, a logarithm.
fn suite(seed: u64, confirm: Confirm, change: f64, noise: Noise) -> Vec<Finding> {
    let mut generator = Generator::seed_from_u64(seed);
    let mut judge = judge(10, confirm, ThresholdRules::general(THRESHOLDS));
    while let Some(round) = judge.round() {
        for index in round.benchmarks {
            let (base, head) = (noise(&mut generator), noise(&mut generator));
            judge.duet(index, time(base), time(head + change));
        }
    }
    judge.findings()
}

/// Every confirmed finding excludes zero and contains its estimate; the share that misses the true change is small.
fn check_coverage(name: &str, confirm: Confirm, change: f64, noise: Noise) {
    let all = (0..40).flat_map(|seed| suite(seed, confirm, change, noise));
    let (mut confirmed, mut missed, mut width) = (0_u32, 0_u32, 0.0);
    for finding in all.filter(|finding| matches!(finding.reason, Reason::Confirmed { .. })) {
        let effect = finding.effect.expect("a confirmed effect");
        assert!(effect.lo > 0.0 && finding.verdict == Verdict::Slower, "{name}: {finding:?}");
        assert!(effect.lo <= effect.centre && effect.centre <= effect.hi, "{name}: {effect:?}");
        confirmed += 1;
        missed += u32::from(change < effect.lo || effect.hi < change);
        width += effect.hi - effect.lo;
    }
    let share = f64::from(missed) / f64::from(confirmed.max(1));
    println!(
        "{name}: {confirmed} of 400 confirmed, {:.1} % miss the true change, mean width {:.1} %",
        share * 100.0,
        width / f64::from(confirmed.max(1)) * 100.0
    );
    // An end misses in at most 5 % of the confirmed ones, on average over suites.
    assert!(confirmed > 100 && share <= 0.10, "{name}: {missed} of {confirmed}");
}

#[test]
fn intervals_of_confirmed_changes_exclude_zero_and_cover_the_truth() {
    let (five, twenty) = (1.05_f64.ln(), 1.2_f64.ln());
    check_coverage("normal 1 %, +5 %", Confirm::Stakes, five, |g| 0.01 * normal(g));
    check_coverage("normal 3 %, +5 %", Confirm::Stakes, five, |g| 0.03 * normal(g));
    check_coverage("normal 5 %, +20 %", Confirm::Stakes, twenty, |g| 0.05 * normal(g));
    check_coverage("one in ten slowed, +5 %", Confirm::Stakes, five, disturbed);
    check_coverage("two modes, +20 %", Confirm::Stakes, twenty, modes);
    check_coverage("normal 3 %, +5 %, signed ranks", Confirm::Wilcoxon, five, |g| 0.03 * normal(g));
}

/// One benchmark: screening as built, fresh duets in layouts, each with its own change in the order measured.
fn in_layouts(built: f64, linked: impl Fn(usize) -> f64, noise: f64) -> Finding {
    let mut generator = Generator::seed_from_u64(5);
    let mut judge = judge(1, Confirm::Stakes, ThresholdRules::general(THRESHOLDS));
    let mut fresh = 0;
    while let Some(round) = judge.round() {
        let mut draw = |change: f64| time(change + noise * normal(&mut generator));
        if round.phase == Phase::Confirmation {
            let (base, head) = (draw(1.0), draw(1.0 + linked(fresh)));
            judge.duet_in_layout(0, fresh as u32, base, head);
            fresh += 1;
        } else {
            let (base, head) = (draw(0.0), draw(built));
            judge.duet(0, base, head);
        }
    }
    judge.findings().remove(0)
}

#[test]
fn what_differs_as_built_and_not_in_random_layouts_differs_by_placement() {
    let finding = in_layouts(0.14, |i| if i % 2 == 0 { 0.02 } else { -0.02 }, 0.002);
    let Reason::PlacementOnly { as_built, layouts } = finding.reason else { panic!("{finding:?}") };
    assert!((as_built - 0.15).abs() < 0.01 && layouts >= 5, "{finding:?}");
    assert_eq!(finding.verdict, Verdict::Same, "shown in layouts: {finding:?}");
    let why = finding.reason.describe();
    assert!(why.starts_with("differs by placement of code only: +15."), "{why}");
    // Where layouts leave the change open, nothing is claimed.
    let open = in_layouts(0.05, |i| if i % 3 == 0 { -0.12 } else { 0.09 }, 0.01);
    assert!(!matches!(open.reason, Reason::PlacementOnly { .. }), "{open:?}");
}

/// A suite of ten whose executables have luck of their own, as built and in every layout.
fn lucky_suite(seed: u64, change: f64) -> Vec<Finding> {
    const LUCK: f64 = 0.03;
    let mut generator = Generator::seed_from_u64(seed);
    let mut judge = judge(10, Confirm::Stakes, ThresholdRules::general(THRESHOLDS));
    let built: Vec<[f64; 2]> = (0..10).map(|_| [(); 2].map(|()| LUCK * normal(&mut generator))).collect();
    while let Some(round) = judge.round() {
        for index in round.benchmarks {
            let number = judge.duets(index) as u32;
            let is_fresh = round.phase == Phase::Confirmation;
            let luck = if is_fresh { [(); 2].map(|()| LUCK * normal(&mut generator)) } else { built[index] };
            let [base, head] = luck.map(|luck| luck + 0.01 * normal(&mut generator));
            match is_fresh {
                true => judge.duet_in_layout(index, number, time(base), time(head + change)),
                false => judge.duet(index, time(base), time(head + change)),
            }
        }
    }
    judge.findings()
}

#[test]
fn what_layouts_call_the_same_is_the_same() {
    let shares = |change: f64| {
        let all: Vec<Finding> = (0..60).flat_map(|seed| lucky_suite(seed, change)).collect();
        let suspects: Vec<&Finding> = all.iter().filter(|finding| finding.fresh > 0).collect();
        let same = suspects.iter().filter(|finding| finding.verdict == Verdict::Same).count();
        println!("{same} of {} suspects that changed by {change:.3} are the same in layouts", suspects.len());
        same as f64 / suspects.len() as f64
    };
    assert!(shares(0.0) > 0.1);
    // At the threshold itself the rule may err by its level, beyond it hardly ever.
    assert!(shares(1.03_f64.ln()) < 0.03);
    assert!(shares(1.05_f64.ln()) < 0.005);
}

#[test]
fn both_sides_and_the_effect_come_from_the_same_duets() {
    let finding = in_layouts(0.3, |_| 0.1, 0.001);
    assert_eq!(finding.verdict, Verdict::Slower, "{finding:?}");
    let (base, head) = (finding.base.expect("base"), finding.head.expect("head"));
    assert_eq!((base.trials, head.trials), (finding.fresh, finding.fresh));
    assert!(finding.fresh < finding.duets.len() as u32);
    // The processes in layouts take e times as long as those as built.
    assert!((base.centre - 1.0_f64.exp()).abs() < 0.02, "{base:?}");
    let effect = finding.effect.expect("an effect");
    assert!((head.centre / base.centre - effect.centre.exp()).abs() < 0.01, "{finding:?}");
}

#[test]
fn values_measured_for_the_sake_of_another_metric_are_left_out() {
    let thresholds = ThresholdRules::general(THRESHOLDS)
        .with(|_, metric| (metric.name == "widgets").then_some(THRESHOLDS));
    let mut judge = judge(1, Confirm::Stakes, thresholds);
    let mut generator = Generator::seed_from_u64(6);
    while judge.round().is_some() {
        // Time is the same after five duets, and then everything takes twice as long.
        let slow = if judge.duets(0) < 5 { 0.0 } else { 2.0_f64.ln() };
        let [base, head] = [(); 2].map(|()| {
            let mut both = time(slow + 0.001 * normal(&mut generator));
            let values = vec![(0.2 * normal(&mut generator)).exp()];
            both.series.push(Series { metric: Metric::custom("widgets"), values, resolution: 0.0 });
            both
        });
        judge.duet(0, base, head);
    }
    let time = judge.findings().remove(0);
    assert_eq!((time.verdict, time.duets.len()), (Verdict::Same, 5));
    let base = time.base.expect("base");
    assert!(base.trials == 5 && (base.centre - 1.0).abs() < 0.01, "{base:?}");
}

#[test]
fn a_change_is_below_the_threshold_only_if_its_interval_is() {
    // A suspect at first, which fresh duets confirm with less: how much less decides.
    let finding = |fresh: f64, noise: f64| {
        let mut judge = judge(1, Confirm::Stakes, ThresholdRules::general(THRESHOLDS));
        let mut generator = Generator::seed_from_u64(7);
        while let Some(round) = judge.round() {
            let change = if round.phase == Phase::Confirmation { fresh } else { 0.0297 };
            let number = judge.duets(0) as u32;
            let head = time(change + noise * normal(&mut generator));
            match round.phase {
                Phase::Confirmation => judge.duet_in_layout(0, number, time(0.0), head),
                _ => judge.duet(0, time(0.0), head),
            }
        }
        judge.findings().remove(0)
    };
    let near = finding(0.027, 0.0001);
    assert_eq!(near.reason, Reason::ChangedNearThreshold, "{near:?}");
    let below = finding(0.012, 0.0001);
    assert_eq!(below.reason, Reason::ChangedBelowThreshold, "{below:?}");
    for finding in [&near, &below] {
        assert_eq!(finding.verdict, Verdict::Undecided);
    }
}
