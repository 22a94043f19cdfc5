//! Tests the study with few benchmarks and known noise.

use benchwright_analysis::agree::{Found, MIN_RESULTS};

use super::engine::{Bill, Call, Caller, Plan, Times, Work, run};
use super::map::{self, Strategy};
use super::noise::{Fitted, Noise};
use super::platform::{Platform, Price};
use super::sequential::{Pace, Parcel, Sequential};
use super::strategy::{Fixed, by_medians};
use super::suite::{Benchmark, Fault, Shape, suite};
use super::{errors, prices};
use crate::study::random::Generator;

fn fitted(noise: Noise) -> Fitted {
    Fitted { noises: vec![noise], wild_share: 0.01, wild_size: 0.05 }
}

/// Noise as in recorded benchmarks.
fn usual() -> Fitted {
    fitted(Noise { instance: 0.03, state: 0.01, trial: 0.005 })
}

/// A platform without any noise or loss, whose instances start at once.
fn calm() -> (Fitted, Platform) {
    let fitted = Fitted { wild_share: 0.0, ..fitted(Noise { instance: 0.0, state: 0.0, trial: 0.0 }) };
    let calm =
        Platform { diurnal: 0.0, cold: 0.0, lost: 0.0, start: (0.0, 0.0), ..Platform::prebuilt(&fitted) };
    (fitted, calm)
}

/// Benchmarks of one second each.
fn seconds(count: usize, fault: Option<Fault>) -> Vec<Benchmark> {
    let (fitted, _) = calm();
    let even = |one: Benchmark| Benchmark { seconds: 1.0, preparing: 0.0, fault, ..one };
    suite(&Shape::unchanged(count), &fitted, 1).into_iter().map(even).collect()
}

fn fixed(platform: &Platform, caller: Caller, suite: &[Benchmark], calls: (u32, u32)) -> Bill {
    run(platform, caller, suite, &mut Fixed::duets(suite.len(), calls.0, calls.1), 0.0, 1)
}

const PLAIN: Caller = Caller { parallel: 1, rate: f64::INFINITY, overhead: 0.0, limit: 20.0, latency: 0.0 };

#[test]
fn time_and_cost_are_those_counted_by_hand() {
    let (_, platform) = calm();
    // 10 benchmarks, 15 calls, 3 duets and 2 executions of 1 s take 900 s on one instance with 2 GB.
    let bill = fixed(&platform, PLAIN, &seconds(10, None), (15, 3));
    assert_eq!((bill.requests, bill.executions, bill.instances, bill.lost), (150, 900, 1, 0));
    assert!((bill.seconds - 900.0).abs() < 1e-6 && (bill.gb_seconds - 1800.0).abs() < 1e-6, "{bill:?}");
    let dollars = 1800.0 * prices::ARM_GB_SECOND + 150.0 * prices::REQUEST;
    assert!((bill.dollars - dollars).abs() < 1e-9, "{bill:?}");
    // Ten instances at once take a tenth of the time and cost the same.
    let ten = fixed(&platform, Caller { parallel: 10, ..PLAIN }, &seconds(10, None), (15, 3));
    assert!((ten.seconds - 90.0).abs() < 1e-6 && ten.instances == 10, "{ten:?}");
    assert!((ten.dollars - bill.dollars).abs() < 1e-9);
    // A machine paid by the hour, for 900 s.
    let machine = Platform { price: Price::Hours { hour: 4.0 }, ..platform };
    let bill = fixed(&machine, PLAIN, &seconds(10, None), (15, 3));
    assert!((bill.dollars - 1.0).abs() < 1e-9, "{bill:?}");
}

#[test]
fn limits_faults_rates_and_memory_count() {
    let (_, platform) = calm();
    let endless = fixed(&platform, PLAIN, &seconds(1, Some(Fault::Endless)), (1, 3));
    assert!((endless.seconds - 120.0).abs() < 1e-9, "{endless:?}");
    let broken = fixed(&platform, PLAIN, &seconds(1, Some(Fault::Broken)), (1, 3));
    assert!((broken.seconds - 3.0).abs() < 1e-9, "{broken:?}");
    // 100 calls at 2 per second: the last one is sent after 49.5 s.
    let caller = Caller { parallel: 1000, rate: 2.0, ..PLAIN };
    let bill = fixed(&platform, caller, &seconds(100, None), (1, 1));
    assert!((bill.seconds - 51.5).abs() < 1e-6, "{bill:?}");
    let half = platform.clone().with_half_memory();
    assert!(half.memory == 1.0 && (half.core - 0.579).abs() < 0.001);
    // Half a second in the tool chain takes longer on part of a core, but a second measured by the clock does
    // not.
    let bill = fixed(&half, Caller { overhead: 0.5, ..PLAIN }, &seconds(1, None), (1, 1));
    assert!((bill.seconds - 2.0 * (1.0 + 0.5 / half.core)).abs() < 1e-9, "{bill:?}");
}

#[test]
fn what_is_turned_away_or_lost_comes_again() {
    let (_, platform) = calm();
    let slow = Platform { scaling: (5.0, 0.1), ..platform.clone() };
    let caller = Caller { parallel: 100, ..PLAIN };
    let bill = fixed(&slow, caller, &seconds(100, None), (1, 1));
    assert!(bill.throttled > 0 && bill.requests == 100 && bill.instances < 20, "{bill:?}");
    let lossy = Platform { lost: 0.2, ..platform };
    let suite = seconds(40, None);
    let mut plan = Fixed::duets(40, 10, 1);
    let bill = run(&lossy, caller, &suite, &mut plan, 0.0, 3);
    assert!(bill.lost > 40 && bill.requests == 400 + bill.lost - missing(bill), "{bill:?}");
    let results: u32 = plan.samples().iter().map(|sample| sample.results()).sum();
    assert_eq!(u64::from(results), 400 - missing(bill));
}

/// The number of calls that were lost in every attempt. These were not sent again after the last loss.
fn missing(bill: Bill) -> u64 {
    bill.lost - (bill.requests - 400)
}

/// Records duets in the order in which they ran.
struct Listening(Vec<[f64; 2]>);

impl Plan for Listening {
    fn begin(&mut self, _: &mut Generator) -> Vec<Call> {
        (0..400).map(|number| Call { benchmark: 0, number, work: Work::Duets(1) }).collect()
    }

    fn answer(&mut self, _: Call, times: Times, _: &mut Generator) -> Vec<Call> {
        self.0.extend(times);
        Vec::new()
    }
}

#[test]
fn duets_cancel_what_both_halves_share() {
    let fitted = fitted(Noise { instance: 0.2, state: 0.0, trial: 0.002 });
    let platform = Platform::lambda_x86(&fitted);
    let mut plan = Listening(Vec::new());
    run(&platform, Caller::ours(400), &suite(&Shape::unchanged(1), &fitted, 1), &mut plan, 0.0, 1);
    let spread = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    };
    let base = spread(plan.0.iter().map(|[base, _]| base.ln()).collect());
    let ratio = spread(plan.0.iter().map(|[base, head]| (head / base).ln()).collect());
    assert!(base > 0.15 && ratio < 0.08, "{base} {ratio}");
}

#[test]
fn the_judge_decides_all_and_takes_fewer_duets() {
    let shape = Shape { changed: 0.1, change: 0.1, broken: 0.05, ..Shape::unchanged(60) };
    let suite = suite(&shape, &usual(), 5);
    let fitting = Parcel::Fitting { parallel: 50 };
    for (pace, parcel) in
        [(Pace::Waves, Parcel::Of(3)), (Pace::Waves, fitting), (Pace::Streaming, Parcel::Of(3))]
    {
        let mut plan = Sequential::new(60, pace, parcel);
        let bill = run(&Platform::prebuilt(&usual()), Caller::ours(50), &suite, &mut plan, 0.0, 9);
        let duets: usize = plan.duets().iter().sum();
        assert!(duets < 60 * 20 && bill.executions as usize >= 2 * duets, "{pace:?}: {duets} {bill:?}");
        for (finding, benchmark) in plan.findings().iter().zip(&suite) {
            let word = finding.verdict.word();
            match (benchmark.fault, benchmark.change) {
                (Some(_), _) => assert!(matches!(word, "undecided" | "not measured"), "{word}"),
                (None, change) if change > 0.0 => assert_eq!(word, "slower", "{pace:?} {finding:?}"),
                (None, change) if change < 0.0 => assert_eq!(word, "faster", "{pace:?} {finding:?}"),
                _ => assert!(matches!(word, "same" | "undecided"), "{pace:?} {finding:?}"),
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    let suite = suite(&map::usual(50), &usual(), 5);
    let bill = |seed| Strategy::Waves.run(&Platform::prebuilt(&usual()), Caller::ours(20), &suite, seed);
    assert_eq!(bill(1), bill(1));
    assert_ne!(bill(1), bill(2));
}

#[test]
fn eight_instances_are_at_least_six_times_as_fast_as_one() {
    for point in map::map(&usual(), &[200], &[1, 8], 3).chunks(2) {
        let [one, eight] = point else { panic!("two numbers of instances") };
        let speed_up = one.bill.seconds / eight.bill.seconds;
        assert!((6.0..=8.05).contains(&speed_up), "{:?}: {speed_up}", one.strategy);
    }
}

#[test]
fn fixed_plans_measure_everything_and_large_changes_are_found() {
    let shape = Shape { changed: 1.0, change: 0.3, ..Shape::unchanged(4) };
    let suite = suite(&shape, &usual(), 5);
    for mut plan in [Fixed::duets(4, 15, 3), Fixed::unpaired(4, 45)] {
        run(&Platform::prebuilt(&usual()), Caller::ours(50), &suite, &mut plan, 0.0, 9);
        for (sample, benchmark) in plan.samples().iter().zip(&suite) {
            assert!(sample.results() >= 44 && sample.results() >= MIN_RESULTS);
            let right = if benchmark.change > 0.0 { Found::Larger } else { Found::Smaller };
            assert_eq!(by_medians(sample, 1), Some(right));
        }
    }
}

#[test]
fn errors_are_counted_over_benchmarks_and_suites() {
    let all = errors::errors(&usual(), 10, 1, 4);
    assert_eq!(all.len(), 10);
    for one in &all {
        let is_judge = matches!(one.contender, errors::Contender::Judge | errors::Contender::MachineJudge);
        let suites = if is_judge { errors::MORE } else { 1 };
        let counted = (one.alarms.of, one.suites.of, one.missed[0].of);
        assert_eq!(counted, (10 * suites, suites, 2 * suites), "{one:?}");
        assert!(one.suites.times <= one.alarms.times && one.dollars > 0.0);
        if is_judge {
            assert_eq!(one.missed[2].times, 0, "{one:?}");
        }
    }
}

#[test]
fn captured_rows_have_their_noise_fitted() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (benchmarks, _) =
        crate::study::recorded::read(&root.join("fixtures/exchange/uoptime/go.csv")).unwrap();
    let version = super::noise::Version { project: "p".into(), name: "p-1".into(), benchmarks };
    let fitted = super::noise::fit(&[version]);
    assert_eq!(fitted.noises.len(), 3);
    // Appending to a slice varies by less than a thousandth, and a garbage-collected buffer by several per
    // cent.
    assert!(fitted.noises[0].trial < 0.001 && fitted.noises[2].trial > 0.02, "{fitted:?}");
    assert!(fitted.wild_share < 0.2, "{fitted:?}");
}
