use std::sync::Arc;

use benchwright_analysis::predict::RunSpread;
use benchwright_analysis::{Judge, JudgeSettings, PairedSettings, ThresholdRules};
use benchwright_model::{BenchmarkId, Measurement, Metric, Phase, Series, Thresholds, Verdict};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::pace::Pace;

/// A simulated benchmark.
#[derive(Debug, Clone, Copy)]
struct Made {
    /// Seconds of one process.
    secs: f64,
    /// Logarithm of head / base.
    shift: f64,
    /// Standard deviation of one process.
    noise: f64,
    /// Seconds to link its programs again for a fresh duet.
    linking: f64,
    /// The spread found by an earlier run.
    earlier: Option<f64>,
    is_due: bool,
}

const QUIET: Made = Made { secs: 0.15, shift: 0.0, noise: 0.01, linking: 0.0, earlier: None, is_due: false };

impl Made {
    /// The spread of its duets according to an earlier run.
    fn spread(&self) -> Option<f64> {
        self.earlier.map(|_| self.noise * 2_f64.sqrt())
    }
}

/// What a budget was spent on.
struct Spent {
    verdicts: Vec<Verdict>,
    duets: Vec<usize>,
    secs: f64,
    groups: usize,
}

impl Spent {
    fn decided(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.is_decided()).count()
    }
}

fn measured(log: f64) -> Measurement {
    let series = Series { metric: Metric::time(), values: vec![log.exp()], resolution: 0.0 };
    Measurement { warmup: 0, operations: Vec::new(), series: vec![series], ..Measurement::default() }
}

/// Spends `budget` seconds on simulated benchmarks in the same way as the loop. Only duets take time.
fn spend(all: &[Made], budget: f64, seed: u64) -> Spent {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let ids = (0..all.len()).map(|i| BenchmarkId::new("go", "p", format!("B{i}"))).collect();
    let thresholds = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.03 });
    let settings = JudgeSettings { rule: Arc::new(PairedSettings::default()), thresholds, seed };
    let mut judge = Judge::new(ids, settings);
    let mut pace = Pace::new(all.iter().map(|it| ("p", it.earlier.map(Duration::from_secs_f64))));
    let mut spending = Spending::default();
    let (mut clock, mut groups) = (0.0, 0);
    let mut coins = vec![false; all.len()];
    let linking = |judge: &Judge, index: usize| match judge.phase_of(index) {
        Phase::Confirmation => Duration::from_secs_f64(all[index].linking),
        _ => Duration::ZERO,
    };
    loop {
        judge.end_round();
        let left = Duration::from_secs_f64((budget - clock).max(0.0));
        let seen = (0..all.len()).map(|index| (all[index].spread(), judge.ratios(index)));
        let run = RunSpread::seen(seen);
        let candidates: Vec<Candidate> = (0..all.len())
            .filter(|&index| judge.is_open(index))
            .map(|index| Candidate {
                index,
                stage: match judge.phase_of(index) {
                    Phase::Confirmation => Stage::Confirming,
                    _ if judge.is_screening(index) => Stage::Screening,
                    _ => Stage::Waiting { is_clear: judge.is_clear(index) },
                },
                duet: pace.duet(index) + linking(&judge, index),
                duets: judge.duets_per_verdict(index, run.expected(all[index].spread())),
                duets_to_look: judge.duets_to_next_look(index),
                is_tried: pace.is_tried(index),
                is_begun: judge.is_begun(index),
                is_due: all[index].is_due,
            })
            .collect();
        let benchmarks = match spending.next(&candidates, Duration::from_secs_f64(budget), left) {
            Step::Close { is_last } => {
                groups += 1;
                judge.close_group(is_last);
                continue;
            }
            Step::Done => break,
            Step::Screen(benchmarks) | Step::Confirm(benchmarks) => benchmarks,
        };
        assert!(!benchmarks.is_empty());
        for (at, index) in benchmarks.into_iter().enumerate() {
            let left = budget - clock;
            let is_late = left <= 0.0 || pace.is_tried(index) && pace.duet(index).as_secs_f64() > left;
            if !judge.is_open(index) || at > 0 && is_late {
                continue;
            }
            let one = all[index];
            let limit = match pace.is_tried(index) {
                true => left.max(0.0),
                false => probe(Duration::from_secs_f64(left.max(0.0)), judge.screening().len()).as_secs_f64(),
            };
            if one.secs > limit {
                clock += limit;
                pace.cut_off(index, Duration::from_secs_f64(limit));
                continue;
            }
            clock += 2.0 * one.secs + linking(&judge, index).as_secs_f64();
            (0..2).for_each(|_| pace.trial(index, Duration::from_secs_f64(one.secs)));
            let turned = judge.phase_of(index) == Phase::Screening && judge.duets(index) % 2 == 1;
            coins[index] = if turned { !coins[index] } else { generator.random() };
            let noise = one.noise * (normal(&mut generator) - normal(&mut generator));
            let noise = if coins[index] { noise } else { -noise };
            judge.duet(index, measured(0.0), measured(one.shift + noise));
        }
    }
    judge.interrupt();
    let findings = judge.findings();
    let verdicts = findings.iter().map(|finding| finding.verdict).collect();
    let duets = findings.iter().map(|finding| finding.duets.len()).collect();
    Spent { verdicts, duets, secs: clock, groups }
}

fn normal(generator: &mut Xoshiro256PlusPlus) -> f64 {
    let mut uniform = || generator.random_range(f64::MIN_POSITIVE..1.0);
    (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

/// The number of verdicts that the cheapest benchmarks could reach in that time, each measured alone.
fn cheapest(all: &[Made], budget: f64, seed: u64) -> usize {
    let mut costs: Vec<f64> = all
        .iter()
        .map(|one| spend(std::slice::from_ref(one), 1e7, seed))
        .filter(|spent| spent.decided() == 1)
        .map(|spent| spent.secs)
        .collect();
    costs.sort_by(f64::total_cmp);
    let mut left = budget;
    costs
        .into_iter()
        .take_while(|cost| {
            left -= cost;
            left >= 0.0
        })
        .count()
}

/// A suite of many cheap benchmarks, some noisy, and some with a long set-up.
fn mixed(count: usize, dear: usize, changed: f64, seed: u64) -> Vec<Made> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count)
        .map(|index| Made {
            secs: if index < dear { 19.0 } else { 0.1 + 0.3 * generator.random::<f64>() },
            shift: if generator.random::<f64>() < changed {
                0.03 + 0.3 * generator.random::<f64>()
            } else {
                0.0
            },
            noise: [0.005, 0.01, 0.01, 0.02, 0.04][generator.random_range(0..5)],
            ..QUIET
        })
        .collect()
}

#[test]
fn one_expensive_benchmark_does_not_cost_the_others_their_verdicts() {
    // The first of 188 needs 19 s of set-up per process, and so do eleven others.
    let suite = mixed(188, 12, 0.1, 1);
    let spent = spend(&suite, 1200.0, 1);
    println!("{} decided of 188 in {:.0} s, {} groups", spent.decided(), spent.secs, spent.groups);
    assert!(spent.decided() >= 150, "{} decided", spent.decided());
    assert!(spent.secs <= 1200.0 + 38.0);
}

#[test]
fn a_budget_gives_most_of_the_verdicts_that_the_cheapest_benchmarks_could_give() {
    for (count, dear, changed) in [(100, 0, 0.1), (120, 10, 0.05), (176, 0, 0.7)] {
        let suite = mixed(count, dear, changed, 7);
        let whole: f64 = spend(&suite, 1e6, 3).secs;
        for share in [0.1, 0.25, 0.5] {
            let spent = spend(&suite, whole * share, 3);
            let known: Vec<Made> = suite.iter().map(|it| Made { earlier: Some(it.secs), ..*it }).collect();
            let told = spend(&known, whole * share, 3);
            let best = cheapest(&suite, whole * share, 3);
            println!(
                "{count} benchmarks, {dear} dear, {changed} changed, {:.0} s: {} decided, {} after an earlier run, {best} at best, {} groups",
                whole * share,
                spent.decided(),
                told.decided(),
                spent.groups
            );
            // Without earlier runs it is unknown which benchmarks are cheap and which are noisy.
            assert!(told.decided() * 10 >= best * 6, "{} of {best}", told.decided());
            assert!(spent.decided() * 10 >= best * 4, "{} of {best}", spent.decided());
        }
    }
}

#[test]
fn a_clear_change_is_never_left_undecided() {
    for seed in 0..20 {
        let mut suite = mixed(60, 3, 0.3, seed);
        suite[40] = Made { shift: 1.5, ..QUIET };
        let spent = spend(&suite, 60.0, seed);
        if spent.duets[40] >= 5 {
            assert_eq!(spent.verdicts[40], Verdict::Slower, "seed {seed}, {} duets", spent.duets[40]);
        }
    }
}

#[test]
fn a_change_that_was_seen_is_confirmed_although_others_are_cheaper() {
    let (mut seen, mut found) = (0, 0);
    for seed in 0..20 {
        let mut suite = mixed(100, 0, 0.0, seed);
        for one in suite.iter_mut().step_by(20) {
            *one = Made { shift: 0.1, linking: 1.0, ..QUIET };
        }
        let spent = spend(&suite, 120.0, seed);
        for index in (0..100).step_by(20).filter(|&index| spent.duets[index] >= 5) {
            seen += 1;
            found += usize::from(spent.verdicts[index] == Verdict::Slower);
        }
        println!("{} decided, {} of 5 slower looked at", spent.decided(), seen);
    }
    println!("{found} of {seen} slower benchmarks that were looked at are found");
    assert!(found * 10 >= seen * 9, "{found} of {seen}");
}

#[test]
fn enough_time_decides_everything_and_unchanged_suites_are_seldom_flagged() {
    let suite = [QUIET; 40];
    let spent = spend(&suite, 1e5, 1);
    assert!(spent.verdicts.iter().all(|&verdict| verdict == Verdict::Same));
    let noisy = [Made { noise: 0.04, ..QUIET }; 40];
    let is_flag = |verdict: &Verdict| matches!(verdict, Verdict::Slower | Verdict::Faster);
    let flagged = (0..200).filter(|&seed| spend(&noisy, 120.0, seed).verdicts.iter().any(is_flag)).count();
    println!("{flagged} of 200 unchanged suites flagged");
    // 5 % are 10. 19 or more would happen by chance in less than 1 % of such experiments.
    assert!(flagged <= 18, "{flagged}");
}

#[test]
fn a_bad_memory_of_an_earlier_run_does_not_keep_a_benchmark_from_being_tried() {
    let suite = [Made { earlier: Some(64.0), ..QUIET }; 5];
    assert_eq!(spend(&suite, 60.0, 1).decided(), 5);
}

#[test]
fn what_went_without_a_verdict_last_time_has_its_turn() {
    let mut suite = [Made { secs: 0.5, earlier: Some(0.5), ..QUIET }; 60];
    for one in &mut suite[30..33] {
        *one = Made { secs: 2.0, earlier: Some(2.0), is_due: true, ..QUIET };
    }
    let spent = spend(&suite, 260.0, 1);
    assert_eq!(spent.verdicts[30], Verdict::Same);
    suite.iter_mut().for_each(|one| one.is_due = false);
    assert_eq!(spend(&suite, 260.0, 1).duets[30], 0);
}

#[test]
fn a_probe_leaves_time_for_the_others() {
    let check = |left: u64, open: usize, expected: f64| {
        assert_eq!(probe(Duration::from_secs(left), open), Duration::from_secs_f64(expected), "{open}");
    };
    check(1200, 188, 9.574_468_085);
    check(120, 188, 5.0);
    check(12, 2, 4.8);
    check(8, 1, 8.0);
    check(2, 30, 1.0);
    check(1, 30, 1.0);
}
