//! The learned rule on real processes, against the program that trained it.

use std::time::Duration;

use benchwright_steady::rules::catalogue::{self, Given};
use benchwright_steady::{StopPlan, WhyCut, replay_benchmark};
use benchwright_testkit::fixture;

fn plan(name: &str, longest_warmup: Option<Duration>) -> Box<dyn StopPlan> {
    let iteration_time = Duration::from_millis(100);
    let given = Given { configuration: None, iteration_time, longest_warmup, measured: None, seed: 1 };
    catalogue::rule(name).and_then(|rule| rule.plan(&given)).expect("a rule")
}

/// Last warm-up and last measured iteration, counted from 0, as `studies/warmup/vectors.py` decided (LightGBM 4.6.0), and the values.
fn processes() -> Vec<(u32, u32, Vec<f64>)> {
    let text = fixture("steady/processes.csv");
    let read = |line: &str| {
        let mut fields = line.split(',');
        let mut number = || fields.next().and_then(|field| field.parse().ok()).expect("a number");
        let (warmup, last) = (number(), number());
        let values = fields.map(|field| f64::from(field.parse::<f32>().expect("a value")));
        (warmup, last, values.collect())
    };
    text.lines().map(read).collect()
}

#[test]
fn decisions_are_those_of_the_program_that_trained() {
    for benchmark in processes().chunks(8) {
        let values: Vec<&[f64]> = benchmark.iter().map(|(_, _, values)| values.as_slice()).collect();
        let stops = replay_benchmark(plan("learned", None).as_mut(), &values, 0.1);
        let ours: Vec<(u32, u32)> = stops.iter().map(|stop| (stop.warmup, stop.end)).collect();
        let expected: Vec<(u32, u32)> =
            benchmark.iter().map(|(warmup, last, _)| (warmup + 1, last + 1)).collect();
        assert_eq!(ours, expected);
        assert!(stops[5].reason.contains("later ones are compared with it"), "{}", stops[5].reason);
    }
}

#[test]
fn values_that_are_no_times_end_at_the_most() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut values = vec![1e-6; 1500];
        values[10] = bad;
        let stops = replay_benchmark(plan("learned", None).as_mut(), &[&values, &values], 0.1);
        for stop in &stops {
            assert_eq!((stop.end, stop.warmup, stop.why), (800, 640, WhyCut::Unsteady), "{bad}: {stop:?}");
        }
        let cap = Some(Duration::from_secs(10));
        let stops = replay_benchmark(plan("learned", cap).as_mut(), &[&values], 0.1);
        assert!(stops[0].warmup <= 100 && stops[0].end <= 130, "{:?}", stops[0]);
    }
}

#[test]
fn short_and_odd_series_are_taken_as_they_are() {
    let check = |values: &[f64]| {
        let stops = replay_benchmark(plan("learned", None).as_mut(), &[values, values, values], 0.1);
        for stop in &stops {
            assert!(stop.warmup < stop.end && stop.end as usize <= values.len(), "{stop:?}");
            assert!(!stop.reason.is_empty());
        }
        stops.len()
    };
    assert_eq!(check(&[]), 0);
    assert_eq!(check(&[1e-6]), 3);
    assert_eq!(check(&[1e-6; 12]), 3);
    assert_eq!(check(&[1e-6; 2000]), 3);
    assert_eq!(check(&[f64::MIN_POSITIVE; 2000]), 3);
    assert_eq!(check(&[f64::MAX; 2000]), 3);
    // Slower than the iteration time: fewer iterations.
    assert_eq!(check(&[155.0; 2000]), 3);
    let growing: Vec<f64> = (0..100_000).map(|i| 1e-9 * (1.0 + f64::from(i))).collect();
    assert_eq!(check(&growing), 3);
}

#[test]
fn a_flat_benchmark_needs_seconds_and_its_sixth_process_runs_long() {
    let flat: Vec<f64> = (0..1500).map(|i| 1e-6 * (1.0 + 0.001 * f64::from(i % 7))).collect();
    let stops = replay_benchmark(plan("learned", None).as_mut(), &[flat.as_slice(); 8], 0.1);
    assert_eq!((stops[5].end, stops[5].why), (700, WhyCut::Steady));
    for (i, stop) in stops.iter().enumerate().filter(|(i, _)| *i != 5) {
        assert!(stop.end <= 100 && stop.warmup <= 60, "{i}: {stop:?}");
    }
}
