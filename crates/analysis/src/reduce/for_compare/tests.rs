//! Known variances are recovered, plans follow from them, and predicted power agrees with the rules
//! themselves.

use std::sync::Arc;

use benchwright_model::{BenchmarkId, Measurement, Metric, Series, Thresholds, Verdict};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::power::predict;
use super::*;
use crate::reduce::LevelSeries;
use crate::{
    ApartBenchmark, ApartRule, ApartSettings, ApartSide, Judge, JudgeSettings, PairedSettings,
    ThresholdRules, compare_apart,
};

type Generator = Xoshiro256PlusPlus;

fn normal(generator: &mut Generator) -> f64 {
    let mut uniform = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON;
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

/// Instances, processes and values with these standard deviations of logarithms.
fn series(seed: u64, sizes: [u32; 3], deviations: [f64; 3]) -> LevelSeries {
    let mut generator = Generator::seed_from_u64(seed);
    let mut points = Vec::new();
    for instance in 1..=sizes[0] {
        let of_instance = deviations[0] * normal(&mut generator);
        for process in 1..=sizes[1] {
            let of_process = deviations[1] * normal(&mut generator);
            for value in 1..=sizes[2] {
                let log = of_instance + of_process + deviations[2] * normal(&mut generator);
                points.push((vec![instance, process, value], 1000.0 * log.exp()));
            }
        }
    }
    LevelSeries::new(&[("instance", true), ("iteration", false), ("second", false)], points).unwrap()
}

/// Noise with these standard deviations, as if it had been measured on very many processes.
fn noise(above: f64, between: f64, within: f64) -> Noise {
    Noise {
        components: Vec::new(),
        above: above.powi(2),
        between: between.powi(2),
        inside: between.powi(2),
        degrees: 100_000,
        recorded: 60,
        wild: 0.0,
        within: vec![(1, within.powi(2))],
    }
}

#[test]
fn known_components_come_back() {
    let check = |deviations: [f64; 3]| {
        let mut means = [0.0; 3];
        const SERIES: u64 = 20;
        for seed in 0..SERIES {
            let noise = Noise::of(&series(seed, [8, 10, 6], deviations)).unwrap();
            for (mean, component) in means.iter_mut().zip(&noise.components) {
                *mean += component.variance / SERIES as f64;
            }
        }
        for (mean, deviation) in means.iter().zip(deviations) {
            let found = mean.sqrt();
            // A small component is lost in the error of large ones, and is never negative.
            let largest = deviations.iter().fold(0.0_f64, |a, b| a.max(*b));
            let lost = if deviation < 0.4 * largest { 0.25 } else { 0.06 };
            let tolerance = 0.15 * deviation + lost * largest;
            assert!((found - deviation).abs() < tolerance, "{found} for {deviation} in {deviations:?}");
        }
    };
    check([0.02, 0.01, 0.01]);
    check([0.0, 0.03, 0.01]);
    check([0.01, 0.01, 0.04]);
}

#[test]
fn wild_processes_and_gaps_change_little() {
    let clean = series(3, [3, 15, 5], [0.0, 0.01, 0.005]);
    let wild = |(position, value): &(Vec<u32>, f64)| {
        // One process in fifteen is slow, and one value in a hundred is missing.
        let slow = if position[1] == 7 { 1.5 } else { 1.0 };
        (position.clone(), value * slow)
    };
    let points =
        clean.points().iter().enumerate().filter(|(at, _)| at % 100 != 50).map(|(_, point)| wild(point));
    let names = [("instance", true), ("iteration", false), ("second", false)];
    let dirty = Noise::of(&LevelSeries::new(&names, points.collect()).unwrap()).unwrap();
    let clean = Noise::of(&clean).unwrap();
    let ratio = (dirty.between / clean.between).sqrt();
    assert!(ratio > 0.9 && ratio < 1.6, "{ratio}: {dirty:?} {clean:?}");
}

#[test]
fn iterations_that_move_together_do_not_average_out() {
    // Within a process the level changes every ten iterations, so a median of five is as uncertain as one
    // value.
    let mut generator = Generator::seed_from_u64(5);
    let mut points = Vec::new();
    for fork in 1..=8 {
        let mut level = 0.0;
        for iteration in 1..=200 {
            if iteration % 10 == 1 {
                level = 0.02 * normal(&mut generator);
            }
            points.push((vec![fork, iteration], (level + 1e-4 * normal(&mut generator)).exp()));
        }
    }
    let noise =
        Noise::of(&LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()).unwrap();
    assert!(noise.within(5) > 0.7 * noise.within(1), "{noise:?}");
    assert!(noise.within(100) < 0.5 * noise.within(1), "{noise:?}");
}

#[test]
fn the_process_is_told_by_name() {
    let check = |names: &[&str], expected: usize| {
        let names: Vec<(&str, bool)> = names.iter().map(|name| (*name, false)).collect();
        let points = vec![(vec![1; names.len()], 1.0)];
        assert_eq!(process_level(LevelSeries::new(&names, points).unwrap().levels()), expected);
    };
    check(&["fork", "iteration"], 0);
    check(&["instance", "suite run", "iteration", "second"], 2);
    check(&["suite run", "iteration"], 1);
}

#[test]
fn a_single_process_says_nothing() {
    let points = (1..=50).map(|at| (vec![1, at], f64::from(at))).collect();
    let series = LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap();
    assert_eq!(for_compare(&series, &Costs::of_iterations(1.0), &Wanted::in_duets(10)), None);
}

#[test]
fn noise_between_processes_asks_for_processes_and_noise_within_for_iterations() {
    let costs = Costs { start: 1.0, warmup: 4.0, iteration: 1.0 };
    let plan = |between: f64, within: f64| {
        let series = series(9, [1, 20, 40], [0.0, between, within]);
        for_compare(&series, &costs, &Wanted::in_duets(20)).unwrap()
    };
    let (between, within) = (plan(0.02, 0.002), plan(0.002, 0.05));
    assert!(between.is_reached() && within.is_reached());
    assert_eq!(between.iterations, 3, "{}", between.reason);
    assert!(within.iterations > 3, "{within:?}");
    assert!(within.noise.within(1) > 10.0 * within.noise.between, "{within:?}");
    assert!(between.reason.contains("iterations"), "{}", between.reason);
}

#[test]
fn expensive_processes_get_more_iterations() {
    let noise = noise(0.0, 0.01, 0.04);
    let iterations = |start: f64| {
        let costs = Costs { start, warmup: 0.0, iteration: 0.1 };
        let wanted = Wanted { iterations: (1, Some(60)), ..Wanted::apart(20) };
        let all = candidates(&noise, &costs, &wanted);
        all.iter().find(|plan| plan.power >= 0.9).unwrap().iterations
    };
    assert!(iterations(0.0) < iterations(1.0) && iterations(1.0) < iterations(30.0));
}

#[test]
fn what_cannot_be_reached_is_said_with_what_can() {
    let series = series(4, [1, 12, 5], [0.0, 0.12, 0.01]);
    let plan = for_compare(&series, &Costs::of_iterations(1.0), &Wanted::in_duets(20)).unwrap();
    let Reach::Unreached { change: Some(change) } = plan.reach else { panic!("{plan:?}") };
    assert!(change > 0.06 && change < 0.4, "{change}");
    // Everything that would be found without a plan is still found.
    assert_eq!((plan.processes, plan.iterations), (40, 5));
    assert!(plan.reason.contains("can be found"), "{}", plan.reason);
    let below = Wanted { change: 0.02, ..Wanted::in_duets(20) };
    let plan = for_compare(&series, &Costs::of_iterations(1.0), &below).unwrap();
    assert!(!plan.is_reached() && plan.reason.contains("threshold"), "{}", plan.reason);
}

#[test]
fn candidates_cost_more_and_find_more() {
    let all = candidates(&noise(0.0, 0.02, 0.02), &Costs::of_iterations(1.0), &Wanted::in_duets(20));
    assert!(all.len() > 3);
    for pair in all.windows(2) {
        assert!(pair[0].predicted_seconds < pair[1].predicted_seconds && pair[0].power < pair[1].power);
    }
}

#[test]
fn a_budget_goes_where_it_finds_most() {
    let wanted = Wanted { iterations: (1, None), ..Wanted::apart(3) };
    let of = |deviation: f64| candidates(&noise(0.0, deviation, 0.002), &Costs::of_iterations(1.0), &wanted);
    let suite = [of(0.003), of(0.02), of(0.3)];
    let seconds = |chosen: &[Option<usize>]| -> f64 {
        let cost = |(plans, at): (&Vec<ComparePlan>, &Option<usize>)| {
            at.map_or(0.0, |at| plans[at].predicted_seconds)
        };
        suite.iter().zip(chosen).map(cost).sum()
    };
    let chosen = within_budget(&suite, 60.0, &wanted.design);
    assert!(seconds(&chosen) <= 60.0);
    let power = |at: usize| chosen[at].map_or(0.0, |plan| suite[at][plan].power);
    assert!(power(0) > 0.99 && power(1) > 0.9, "{} {}", power(0), power(1));
    assert_eq!(within_budget(&suite, 1.0, &wanted.design), [None, None, None]);
}

#[test]
fn a_suite_is_planned_within_a_given_time() {
    let wanted = Wanted { iterations: (5, Some(10)), most_processes: 96, ..Wanted::in_duets(3) };
    let costs = Costs { start: 0.02, warmup: 0.0, iteration: 0.01 };
    let of = |between: f64| Sharing { noise: noise(0.0, between, 0.01), costs, wanted: wanted.clone() };
    let suite = [of(0.002), of(0.02), of(0.5)];
    let total = |plans: &[Option<ComparePlan>]| -> f64 {
        plans.iter().flatten().map(|plan| plan.predicted_seconds).sum()
    };
    let (much, little) = (for_suite(&suite, 1000.0), for_suite(&suite, 4.0));
    assert!(much.iter().all(Option::is_some), "{much:?}");
    assert!(total(&little) <= 4.0 && total(&little) < total(&much), "{} {}", total(&little), total(&much));
    // The calm benchmark is found in both. The rest goes to the second, and the third would take all of it.
    let power = |plans: &[Option<ComparePlan>], at: usize| plans[at].as_ref().map_or(0.0, |plan| plan.power);
    assert!(power(&little, 0) > 0.9 && power(&much, 1) > 0.8, "{little:?}");
    let nothing = for_suite(&suite, 0.0);
    assert!(nothing.iter().flatten().all(|plan| plan.reason.starts_with("no time is left")), "{nothing:?}");
    assert_eq!(for_suite(&[], 1.0), []);
}

#[test]
fn trials_of_short_iterations_are_judged_by_their_fast_end() {
    // A third of the iterations is disturbed by up to threefold: the median varies, the fast end does not.
    let mut generator = Generator::seed_from_u64(5);
    let mut points = Vec::new();
    for duet in 1..=12 {
        for half in 1..=2 {
            for iteration in 1..=10 {
                let is_disturbed = generator.next_u64() % 5 < 2;
                let disturbed = 1.0 + 2.0 * (generator.next_u64() % 1000) as f64 / 1000.0;
                let value = 1000.0 * (0.002 * normal(&mut generator)).exp();
                points.push((
                    vec![duet, half, iteration],
                    if is_disturbed { value * disturbed } else { value },
                ));
            }
        }
    }
    let names = [("suite run", false), ("iteration", false), ("second", false)];
    let series = LevelSeries::new(&names, points).unwrap();
    let of = |are_slices| Noise::of_trials(&series, 5..=10, are_slices).unwrap();
    let (fast, middle) = (of(true), of(false));
    assert!(fast.of_process(10) < 0.005_f64.powi(2), "{fast:?}");
    assert!(middle.of_process(10) > 4.0 * fast.of_process(10), "{middle:?}");
    assert!(fast.of_process(5) >= fast.of_process(10) && fast.recorded == 10);
}

#[test]
fn shorter_iterations_are_noisier_in_proportion() {
    let long = noise(0.0, 0.01, 0.002);
    let short = long.for_iterations(100.0, 10);
    assert!((short.within(1) / long.within(1) - 100.0).abs() < 1e-9);
    assert!((short.within(10) / long.within(1) - 10.0).abs() < 1e-9);
    assert_eq!((short.between, short.recorded), (long.between, 10));
}

#[test]
fn everybody_gets_what_can_find_something_before_anybody_gets_more() {
    let wanted = Wanted { iterations: (1, None), ..Wanted::apart(4) };
    let of = |deviation: f64| candidates(&noise(0.0, deviation, 0.002), &Costs::of_iterations(1.0), &wanted);
    // The last benchmark seems hopeless: nearly every second is better spent on the others.
    let suite = [of(0.02), of(0.02), of(0.02), of(0.6)];
    // Five against five can be rarer than one in eighty, which the correction over four benchmarks requires;
    // four against four cannot.
    let floor = 4.0 * 2.0 * 5.0;
    let processes = |seconds: f64| -> Vec<Option<u32>> {
        let chosen = within_budget(&suite, seconds, &wanted.design);
        suite.iter().zip(chosen).map(|(plans, at)| at.map(|at| plans[at].processes)).collect()
    };
    assert_eq!(processes(floor), [Some(5); 4]);
    let more = processes(floor + 30.0);
    assert!(more.iter().all(|processes| *processes >= Some(5)), "{more:?}");
    assert_eq!(more[3], Some(5));
    // If there is not enough time for all, it is used where it finds most.
    assert_eq!(processes(floor - 1.0)[3], None);
}

#[test]
fn a_rule_that_judges_by_earlier_noise_spends_nothing_on_what_was_noisy() {
    let design = Design::Known { places: 1 };
    let wanted = Wanted { design, iterations: (1, None), ..Wanted::apart(3) };
    let of = |deviation: f64| candidates(&noise(0.0, deviation, 0.002), &Costs::of_iterations(1.0), &wanted);
    let suite = [of(0.02), of(0.02), of(0.6)];
    let chosen = within_budget(&suite, 8.0, &wanted.design);
    assert!(chosen[0].is_some() && chosen[1].is_some() && chosen[2].is_none(), "{chosen:?}");
}

fn measurement(log: f64) -> Measurement {
    let series = Series { metric: Metric::time(), values: vec![log.exp()], resolution: 0.0 };
    Measurement { series: vec![series], ..Measurement::default() }
}

fn thresholds() -> ThresholdRules {
    ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 })
}

/// How often the rule for processes that were measured apart finds 5 % in one of twenty benchmarks.
fn apart_finds(processes: u32, shared: f64, own: f64, suites: u64) -> f64 {
    let mut generator = Generator::seed_from_u64(11);
    let mut found = 0;
    for _ in 0..suites {
        let benchmark = |at: usize, generator: &mut Generator| {
            let places: Vec<f64> = (0..3).map(|_| shared * normal(generator)).collect();
            let mut side = |shift: f64| ApartSide {
                processes: (0..processes as usize)
                    .map(|process| measurement(shift + places[process % 3] + own * normal(generator)))
                    .collect(),
                is_structure_known: true,
                is_summary: false,
            };
            let shift = if at == 0 { 1.05_f64.ln() } else { 0.0 };
            let (base, head) = (side(0.0), side(shift));
            ApartBenchmark { benchmark: BenchmarkId::new("go", "p", format!("B{at}")), base, head }
        };
        let all: Vec<ApartBenchmark> = (0..20).map(|at| benchmark(at, &mut generator)).collect();
        let settings = ApartSettings { rule: ApartRule::Processes, thresholds: thresholds(), seed: 0 };
        found += u32::from(compare_apart(&all, &settings).findings[0].verdict == Verdict::Slower);
    }
    f64::from(found) / suites as f64
}

/// How often the paired rule finds 5 % in a single benchmark, and how many duets an unchanged one takes.
fn duets_find(most: u32, own: f64, runs: u64) -> (f64, f64) {
    let mut generator = Generator::seed_from_u64(12);
    let mut judge = |shift: f64| {
        let rule = Arc::new(PairedSettings::default().with_duets(5, most));
        let settings = JudgeSettings { rule, thresholds: thresholds(), seed: 0 };
        let mut judge = Judge::new(vec![BenchmarkId::new("go", "p", "B")], settings);
        while judge.round().is_some() {
            let (base, head) = (own * normal(&mut generator), shift + own * normal(&mut generator));
            judge.duet(0, measurement(base), measurement(head));
        }
        (judge.finding(0)[0].verdict == Verdict::Slower, judge.duets(0))
    };
    let found = (0..runs).filter(|_| judge(1.05_f64.ln()).0).count();
    let duets: usize = (0..runs).map(|_| judge(0.0).1).sum();
    (found as f64 / runs as f64, duets as f64 / runs as f64)
}

/// Tolerance of predictions: the error of the approximation, and that of some hundred simulated runs, whose
/// standard error is up to 0.03.
const OFF: f64 = 0.09;

#[test]
fn predicted_power_apart_is_that_of_the_rule() {
    let check = |processes: u32, shared: f64, own: f64| {
        let wanted = Wanted {
            design: Design::Apart { is_shared: true },
            most_processes: processes,
            changed: 1,
            caution: 0.5,
            ..Wanted::apart(20)
        };
        let noise = noise(shared, own, 0.0);
        let predicted = predict(&noise, &wanted, 1).last().unwrap().power;
        let found = apart_finds(processes, shared, own, 250);
        println!(
            "{processes} processes, shared {shared}, own {own}: predicted {predicted:.3}, found {found:.3}"
        );
        assert!((predicted - found).abs() < OFF, "{processes} {shared} {own}: {predicted} {found}");
    };
    check(6, 0.0, 0.01);
    check(7, 0.0, 0.013);
    check(7, 0.0, 0.018);
    check(10, 0.0, 0.02);
    check(15, 0.0, 0.025);
    check(15, 0.0, 0.04);
    check(9, 0.015, 0.01);
    check(15, 0.03, 0.01);
}

#[test]
fn predicted_power_of_duets_is_that_of_the_rule() {
    let check = |most: u32, own: f64| {
        let wanted = Wanted { most_processes: most, caution: 0.5, ..Wanted::in_duets(1) };
        let noise = noise(0.0, own, 0.0);
        let predicted = *predict(&noise, &wanted, 1).last().unwrap();
        let (found, duets) = duets_find(most, own, 300);
        println!(
            "{most} duets, {own}: predicted {:.3} and {:.1} duets, found {found:.3} and {duets:.1}",
            predicted.power, predicted.usual
        );
        assert!((predicted.power - found).abs() < OFF, "{most} {own}: {predicted:?} {found}");
        assert!((predicted.usual / duets - 1.0).abs() < 0.2, "{most} {own}: {predicted:?} {duets}");
    };
    check(40, 0.005);
    check(40, 0.02);
    check(40, 0.03);
    check(40, 0.05);
    check(40, 0.07);
    check(13, 0.02);
    check(13, 0.03);
    check(22, 0.04);
}

#[test]
fn a_known_spread_needs_fewer_processes_than_ranks() {
    let costs = Costs { start: 0.5, warmup: 20.0, iteration: 1.0 };
    let calm = noise(0.0, 0.004, 0.01);
    let known =
        Wanted { design: Design::Known { places: 1 }, iterations: (1, Some(60)), ..Wanted::apart(20) };
    let fewest = |wanted: &Wanted| {
        let plans = candidates(&calm, &costs, wanted);
        plans.into_iter().find(|plan| plan.power >= 0.9).map(|plan| plan.processes)
    };
    let ranks = fewest(&Wanted { iterations: (1, Some(60)), ..Wanted::apart(20) });
    assert!(fewest(&known) <= Some(2) && ranks >= Some(5), "{:?} {ranks:?}", fewest(&known));
    // With fewer than three processes, a single outlier process decides the result.
    let wild = Noise { wild: 0.08, ..calm };
    let plans = candidates(&wild, &costs, &known);
    assert!(plans.iter().all(|plan| plan.processes >= 3), "{plans:?}");
}

#[test]
fn noise_is_known_within_its_place() {
    let noise = Noise::of(&series(5, [6, 12, 8], [0.2, 0.01, 0.02])).unwrap();
    // Instances differ by 20 %, and processes of one instance by 1 %; a median of one value adds 2 %.
    let deviation = noise.known(1).variance.sqrt();
    assert!((0.015..0.035).contains(&deviation), "{deviation}");
    assert!(noise.known(8).variance < noise.known(1).variance);
}

#[test]
fn what_was_noisy_once_is_not_given_up_and_what_was_calm_is_not_trusted() {
    let costs = Costs::of_iterations(1.0);
    let best = |between: f64, is_averaged: bool| {
        let wanted = Wanted { is_averaged, caution: 0.5, most_processes: 12, ..Wanted::apart(20) };
        candidates(&noise(0.0, between, 0.001), &costs, &wanted).last().map_or(0.0, |plan| plan.power)
    };
    assert!(best(0.15, true) > best(0.15, false), "{} {}", best(0.15, true), best(0.15, false));
    assert!(best(0.01, true) < best(0.01, false), "{} {}", best(0.01, true), best(0.01, false));
}
