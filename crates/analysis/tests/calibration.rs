//! Error rates of the paired rule, with fixed seeds: made-up noise of every shape, and the noise of real benchmarks.
//!
//! Each family draws the log-values of processes; a duet is the difference of two. Seeds are fixed, so a rate is a
//! constant until the rule changes; limits are the guaranteed rate plus the sampling error of these many suites.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may panic, and shows the rates it measured"
)]

use std::path::Path;
use std::sync::Arc;

use benchwright_analysis::{Judge, JudgeSettings, PairedSettings, ThresholdRules};
use benchwright_model::{BenchmarkId, Measurement, Metric, Phase, Series, Thresholds, Verdict};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

type Generator = Xoshiro256PlusPlus;
/// Draws the duets of one benchmark: called with the number of the duet, gives ln(head / base) under no change.
type Duets = Box<dyn FnMut(&mut Generator, usize) -> f64>;
/// The same with the log-values of all slices of both processes.
type Halves = Box<dyn FnMut(&mut Generator, usize) -> [Vec<f64>; 2]>;

const SUITES: u64 = 120;
const BENCHMARKS: usize = 50;

/// What a family's suites came to.
#[derive(Debug)]
struct Rates {
    /// Share of unchanged benchmarks called slower or faster.
    flagged: f64,
    /// Share of suites in which that happened to any.
    suites: f64,
    /// Share of unchanged benchmarks shown to be the same.
    same: f64,
    /// Mean duets of an unchanged benchmark.
    duets: f64,
}

fn times(logs: &[f64], shift: f64) -> Measurement {
    let values = logs.iter().map(|log| (log + shift).exp()).collect();
    let series = Series { metric: Metric::time(), values, resolution: 0.0 };
    Measurement { warmup: 0, operations: Vec::new(), series: vec![series], ..Measurement::default() }
}

fn time(log: f64) -> Measurement {
    times(&[log], 0.0)
}

/// A judge of so many benchmarks with the default rule at 3 %.
fn judge_of(count: usize, seed: u64) -> Judge {
    let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
    let settings = JudgeSettings { rule: Arc::new(PairedSettings::default()), thresholds, seed };
    let ids = (0..count).map(|i| BenchmarkId::new("go", "p", format!("B{i}"))).collect();
    Judge::new(ids, settings)
}

/// Runs one suite in batches of so many benchmarks: each is screened and its suspects are confirmed before the next one, as
/// a budget does it. Every third batch is broken off after the first look, and what is open comes again in the end.
fn suite_in_batches(
    seed: u64,
    (count, batch): (usize, usize),
    shift: f64,
    mut benchmark: impl FnMut(&mut Generator) -> Halves,
) -> Vec<(Verdict, usize)> {
    let mut generator = Generator::seed_from_u64(seed);
    let mut sources: Vec<Halves> = (0..count).map(|_| benchmark(&mut generator)).collect();
    let mut judge = judge_of(count, seed);
    let mut coins = vec![false; count];
    let mut duet = |judge: &mut Judge, generator: &mut Generator, index: usize| {
        let number = judge.duets(index);
        let [first, second] = sources[index](generator, number);
        let turned = judge.phase_of(index) == Phase::Screening && number % 2 == 1;
        coins[index] = if turned { !coins[index] } else { generator.random() };
        let [base, head] = if coins[index] { [first, second] } else { [second, first] };
        judge.duet(index, times(&base, 0.0), times(&head, shift));
    };
    let all: Vec<usize> = (0..count).collect();
    for (number, members) in all.chunks(batch).enumerate() {
        let rounds = if number % 3 == 2 { 5 } else { 40 };
        for _ in 0..rounds {
            for &index in members.iter() {
                if judge.is_screening(index) {
                    duet(&mut judge, &mut generator, index);
                }
            }
        }
        judge.close_group(false);
        while let Some(&index) = judge.confirming().first() {
            duet(&mut judge, &mut generator, index);
            judge.end_round();
        }
    }
    while let Some(round) = judge.round() {
        for index in round.benchmarks {
            duet(&mut judge, &mut generator, index);
        }
    }
    judge.findings().iter().map(|finding| (finding.verdict, finding.duets.len())).collect()
}

#[test]
fn groups_keep_the_bound_on_false_alarms() {
    let noise = |g: &mut Generator| 0.04 * normal(g) + if g.random::<f64>() < 0.2 { 0.1 } else { 0.0 };
    let halves =
        |_: &mut Generator| -> Halves { Box::new(move |g, _| [vec![0.0], vec![noise(g) - noise(g)]]) };
    let is_flag = |row: &(Verdict, usize)| matches!(row.0, Verdict::Slower | Verdict::Faster);
    for batch in [1, 7, 50] {
        let suites = 200;
        let flagged =
            (0..suites).filter(|&seed| suite_in_batches(seed, (50, batch), 0.0, halves).iter().any(is_flag));
        let flagged = flagged.count();
        let found: usize = (0..40)
            .map(|seed| suite_in_batches(seed, (50, batch), 1.08_f64.ln(), halves))
            .map(|rows| rows.iter().filter(|row| row.0 == Verdict::Slower).count())
            .sum();
        println!(
            "batches of {batch}: {:.1} % of suites flagged, +8 % found {:.0} %",
            100.0 * flagged as f64 / suites as f64,
            100.0 * found as f64 / 2000.0
        );
        // 5 % of 200 suites are 10; 19 or more would happen by chance in less than 1 % of such experiments.
        assert!(flagged <= 18, "{flagged} of {suites}, batches of {batch}");
    }
}

/// Runs one suite to its end; `shift` is added to every duet.
fn suite(
    seed: u64,
    count: usize,
    shift: f64,
    mut benchmark: impl FnMut(&mut Generator) -> Halves,
) -> Vec<(Verdict, usize)> {
    let mut generator = Generator::seed_from_u64(seed);
    let mut sources: Vec<Halves> = (0..count).map(|_| benchmark(&mut generator)).collect();
    let mut judge = judge_of(count, seed);
    let mut coins = vec![false; count];
    while let Some(round) = judge.round() {
        for index in round.benchmarks {
            let duet = judge.duets(index);
            let [first, second] = sources[index](&mut generator, duet);
            // The coin: which version went first decides the sign of whatever is not the change. As the runner tosses it: in
            // screening every second duet is reversed.
            let turned = round.phase == Phase::Screening && duet % 2 == 1;
            coins[index] = if turned { !coins[index] } else { generator.random() };
            let [base, head] = if coins[index] { [first, second] } else { [second, first] };
            judge.duet(index, times(&base, 0.0), times(&head, shift));
        }
    }
    judge.findings().iter().map(|finding| (finding.verdict, finding.duets.len())).collect()
}

fn unchanged(benchmark: impl Fn(&mut Generator) -> Halves) -> Rates {
    let all: Vec<_> = (0..SUITES).map(|seed| suite(seed, BENCHMARKS, 0.0, &benchmark)).collect();
    let is_flag = |verdict: Verdict| matches!(verdict, Verdict::Slower | Verdict::Faster);
    let share = |count: usize, of: usize| count as f64 / of as f64;
    let rows: Vec<_> = all.iter().flatten().collect();
    Rates {
        flagged: share(rows.iter().filter(|row| is_flag(row.0)).count(), rows.len()),
        suites: share(all.iter().filter(|rows| rows.iter().any(|row| is_flag(row.0))).count(), all.len()),
        same: share(rows.iter().filter(|row| row.0 == Verdict::Same).count(), rows.len()),
        duets: rows.iter().map(|row| row.1).sum::<usize>() as f64 / rows.len() as f64,
    }
}

/// Shares of benchmarks found slower, and called the same, when each is slower by 5 %, in suites of ten.
fn found(benchmark: impl Fn(&mut Generator) -> Halves) -> (f64, f64) {
    let rows: Vec<_> = (0..60).flat_map(|seed| suite(1000 + seed, 10, 1.05_f64.ln(), &benchmark)).collect();
    let share = |verdict| rows.iter().filter(|row| row.0 == verdict).count() as f64 / rows.len() as f64;
    (share(Verdict::Slower), share(Verdict::Same))
}

fn check(
    name: &str,
    benchmark: impl Fn(&mut Generator) -> Duets,
    same_at_least: f64,
    found_at_least: f64,
) -> f64 {
    let halves = |generator: &mut Generator| -> Halves {
        let mut duets = benchmark(generator);
        Box::new(move |generator, index| [vec![0.0], vec![duets(generator, index)]])
    };
    check_halves(name, halves, same_at_least, found_at_least)
}

/// The same of slices; both return how many that are 5 % slower are called the same.
fn check_halves(
    name: &str,
    benchmark: impl Fn(&mut Generator) -> Halves,
    same_at_least: f64,
    found_at_least: f64,
) -> f64 {
    let rates = unchanged(&benchmark);
    let (found, missed_as_same) = found(&benchmark);
    println!(
        "{name}: flagged {:.3} % of benchmarks, {:.1} % of suites; same {:.0} %, {:.1} duets; +5 % found {:.0} %, same {:.1} %",
        rates.flagged * 100.0,
        rates.suites * 100.0,
        rates.same * 100.0,
        rates.duets,
        found * 100.0,
        missed_as_same * 100.0
    );
    // 5 % of 120 suites is 6; 13 or more would happen by chance in less than 1 % of such experiments.
    assert!(rates.suites <= 12.0 / 120.0, "{name}: {rates:?}");
    assert!(rates.flagged <= 0.01, "{name}: {rates:?}");
    assert!(rates.same >= same_at_least, "{name}: {rates:?}");
    assert!(found >= found_at_least, "{name}: found {found}");
    missed_as_same
}

fn normal(generator: &mut Generator) -> f64 {
    let uniform = |generator: &mut Generator| generator.random_range(f64::MIN_POSITIVE..1.0);
    (-2.0 * uniform(generator).ln()).sqrt() * (std::f64::consts::TAU * uniform(generator)).cos()
}

/// A family whose processes are independent draws.
fn independent(process: fn(&mut Generator) -> f64) -> impl Fn(&mut Generator) -> Duets {
    move |_| Box::new(move |generator, _| process(generator) - process(generator))
}

#[test]
fn normal_noise() {
    check("normal 1 %", independent(|g| 0.01 * normal(g)), 0.99, 0.98);
    check("normal 5 %", independent(|g| 0.05 * normal(g)), 0.10, 0.65);
}

#[test]
fn skewed_noise() {
    check("lognormal 2 %", independent(|g| (0.02 * (0.8 * normal(g)).exp()) * 0.9), 0.95, 0.95);
}

#[test]
fn heavy_tailed_noise() {
    // Student's t with 3 degrees of freedom, scaled to a standard deviation of 2 %.
    let t3 = |g: &mut Generator| {
        let chi2: f64 = (0..3).map(|_| normal(g).powi(2)).sum();
        0.02 / 3_f64.sqrt() * normal(g) / (chi2 / 3.0).sqrt()
    };
    check("t3 2 %", independent(t3), 0.97, 0.97);
    let wild = |g: &mut Generator| {
        let slow = if g.random::<f64>() < 0.1 { 0.15 * -g.random::<f64>().max(1e-9).ln() } else { 0.0 };
        0.01 * normal(g) + slow
    };
    check("10 % wild", independent(wild), 0.97, 0.95);
}

#[test]
fn bimodal_noise() {
    let modes = |share: f64, gap: f64| {
        move |_: &mut Generator| -> Duets {
            let process = move |g: &mut Generator| {
                0.005 * normal(g) + if g.random::<f64>() < share { gap } else { 0.0 }
            };
            Box::new(move |generator, _| process(generator) - process(generator))
        }
    };
    check("modes 10 % / 10 %", modes(0.1, 0.1), 0.97, 0.92);
    check("modes 30 % / 10 %", modes(0.3, 0.1), 0.45, 0.70);
    check("modes 50 % / 20 %", modes(0.5, 0.2), 0.0, 0.0);
}

#[test]
fn autocorrelated_and_drifting_noise() {
    // The machine's state is an AR(1) of 5 % with steps of drift; the second process of a duet is 1 % slower.
    let drifting = |_: &mut Generator| -> Duets {
        let mut state = 0.0;
        Box::new(move |g, index| {
            let mut process = |g: &mut Generator| {
                state = 0.9 * state + 0.05 * 0.19_f64.sqrt() * normal(g);
                state + 0.01 * normal(g) + 0.002 * index as f64
            };
            let first = process(g);
            process(g) + 0.01 - first
        })
    };
    check("drift", drifting, 0.60, 0.85);
}

/// Ten slices of a half whose slices are disturbed with a probability, in five processes with luck of their own.
fn slices(g: &mut Generator, disturbed: f64, luck: f64) -> Vec<f64> {
    let mut all = Vec::new();
    for _ in 0..5 {
        let process = luck * g.random::<f64>();
        for _ in 0..2 {
            let slow =
                if g.random::<f64>() < disturbed { -0.5 * g.random::<f64>().max(1e-9).ln() } else { 0.0 };
            all.push(process + slow + 0.01 * normal(g));
        }
    }
    all
}

/// Who speaks for the trials is chosen from the same duets that are then judged: neither kind of noise may profit from that.
#[test]
fn slices_that_are_disturbed_or_of_lucky_processes() {
    let noise = |disturbed: f64, luck: f64| {
        move |_: &mut Generator| -> Halves {
            Box::new(move |g, _| [slices(g, disturbed, luck), slices(g, disturbed, luck)])
        }
    };
    for (name, noise, same, found) in [
        ("slices, half of them disturbed", noise(0.5, 0.0), 0.97, 0.97),
        ("slices, luck of 20 %", noise(0.0, 0.2), 0.85, 0.93),
        ("slices, luck of 10 %, 30 % disturbed", noise(0.3, 0.1), 0.95, 0.97),
    ] {
        let missed_as_same = check_halves(name, noise, same, found);
        assert!(missed_as_same <= 0.01, "{name}: called the same: {missed_as_same}");
    }
}

/// Ten slices of a half on a machine that works for somebody else half of the time and for longer than the half takes: in some halves no
/// slice is undisturbed.
fn slices_under_load(g: &mut Generator) -> Vec<f64> {
    let undisturbed = if g.random::<f64>() < 0.4 { 0 } else { g.random_range(1..=10) };
    let slice = |index: usize, g: &mut Generator| {
        let slow = if index < undisturbed { 0.0 } else { 0.1 - 0.4 * g.random::<f64>().max(1e-9).ln() };
        slow + 0.01 * normal(g)
    };
    (0..10).map(|index| slice(index, g)).collect()
}

/// Pooled duets are chosen where they are steadier than the duets they are made of: that must not make more flags, nor hide a change.
#[test]
fn slices_on_a_loaded_machine() {
    let noise =
        |_: &mut Generator| -> Halves { Box::new(|g, _| [slices_under_load(g), slices_under_load(g)]) };
    let missed_as_same = check_halves("slices, loaded machine", noise, 0.7, 0.55);
    assert!(missed_as_same <= 0.01, "called the same: {missed_as_same}");
}

/// Rows of a fixture: numbers in millionths.
fn fixture(name: &str) -> Vec<Vec<f64>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/noise").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| line.split(',').map(|field| field.parse::<f64>().unwrap() / 1e6).collect();
    text.lines().map(row).collect()
}

#[test]
fn noise_of_go_benchmarks() {
    let rows = fixture("go-duets.csv");
    let real = move |generator: &mut Generator| -> Duets {
        let mut row = rows[generator.random_range(0..rows.len())].clone();
        row.shuffle(generator);
        Box::new(move |_, index| row[index % row.len()])
    };
    check("Go", real, 0.95, 0.95);
}

/// Ten forks give five unpaired duets, so the recorded values serve at the floor only.
#[test]
fn noise_of_jmh_benchmarks_at_the_floor() {
    let rows = fixture("jmh-forks.csv");
    let mut generator = Generator::seed_from_u64(7);
    let (mut suspects, mut wrongly_same) = (0, 0);
    let floor = PairedSettings::default().with_duets(5, 5);
    for row in &rows {
        let mut forks = row.clone();
        forks.shuffle(&mut generator);
        let duets: Vec<f64> = forks.chunks(2).map(|pair| pair[1] - pair[0]).collect();
        let verdict_of = |shift: f64| {
            let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
            let settings = JudgeSettings { rule: Arc::new(floor.clone()), thresholds, seed: 0 };
            let mut judge = Judge::new(vec![BenchmarkId::new("jmh", "p", "B")], settings);
            for duet in &duets {
                judge.round();
                judge.duet(0, time(0.0), time(shift + duet));
            }
            (judge.suspects(), judge.finding(0)[0].verdict)
        };
        suspects += verdict_of(0.0).0;
        wrongly_same += usize::from(verdict_of(1.05_f64.ln()).1 == Verdict::Same);
    }
    println!("JMH at five duets: {suspects} of {} suspects, {wrongly_same} times same at +5 %", rows.len());
    // Nominal two-sided level 0.02, and suspects must be 3 % away besides: at most 2 % of 469 plus three standard errors.
    assert!(suspects <= 18, "{suspects}");
    assert!(wrongly_same <= 3, "{wrongly_same}");
}

/// Longer sequences are simulated: normal processes with the standard deviation fitted to each benchmark's ten forks.
#[test]
fn noise_fitted_to_jmh_benchmarks() {
    let rows = fixture("jmh-forks.csv");
    let deviations: Vec<f64> =
        rows.iter().map(|row| (row.iter().map(|value| value * value).sum::<f64>() / 9.0).sqrt()).collect();
    let fitted = move |generator: &mut Generator| -> Duets {
        let deviation = deviations[generator.random_range(0..deviations.len())];
        Box::new(move |g, _| deviation * (normal(g) - normal(g)))
    };
    check("fitted to JMH", fitted, 0.55, 0.70);
}

#[test]
fn coin_is_what_protects_against_order_effects() {
    // The second process is always 5 % slower. With the coin nothing is flagged; here the sign is never tossed.
    let mut judge = {
        let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
        let settings = JudgeSettings { rule: Arc::new(PairedSettings::default()), thresholds, seed: 0 };
        Judge::new(vec![BenchmarkId::new("go", "p", "B")], settings)
    };
    let mut generator = Generator::seed_from_u64(3);
    while judge.round().is_some() {
        judge.duet(0, time(0.0), time(0.05 + 0.005 * normal(&mut generator)));
    }
    assert_eq!(judge.findings()[0].verdict, Verdict::Slower);
    // One coin for two screening duets: the order effect does not hide a change of its own size.
    let missed_as_same = check("second 5 % slower", |_| Box::new(|g, _| 0.05 + 0.007 * normal(g)), 0.0, 0.9);
    assert!(missed_as_same < 0.01, "{missed_as_same}");
}
