//! The learned rule, trained on made-up benchmarks whose warm-up is known.

use std::sync::Arc;

use benchwright_steady::classify::training::{Example, TrainingError, train};
use benchwright_steady::classify::{LearnedPlan, Trained};
use benchwright_steady::{Stop, replay_benchmark};

/// A process that gets twice as fast during so many iterations, and scatters by 1 %.
fn process(warmup: usize, seed: usize) -> Vec<f64> {
    let scatter = |i: usize| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.5;
    let slower = |i: usize| 1.0 - i as f64 / warmup.max(1) as f64;
    (0..1200).map(|i| 1e-6 * (1.0 + 0.02 * scatter(i)) * (1.0 + slower(i).max(0.0))).collect()
}

fn benchmarks(n: usize) -> Vec<(usize, Vec<Vec<f64>>)> {
    let warmup = |b: usize| [0, 20, 60, 150, 300][b % 5] + b / 5;
    (0..n).map(|b| (warmup(b), (0..3).map(|k| process(warmup(b), b * 10 + k)).collect())).collect()
}

fn trained(n: usize) -> Result<Trained, TrainingError> {
    let benchmarks = benchmarks(n);
    let example =
        |warmup: &usize, values| Example { values, steady_from: Some(warmup.saturating_sub(1) as u32) };
    let examples: Vec<Vec<Example<'_>>> = benchmarks
        .iter()
        .map(|(warmup, processes)| {
            processes.iter().map(|values| example(warmup, values.as_slice())).collect()
        })
        .collect();
    train(&examples, Trained::embedded().settings(), 1)
}

fn stops(trained: &Arc<Trained>, warmup: usize) -> Vec<Stop> {
    let processes: Vec<Vec<f64>> = (0..8).map(|k| process(warmup, 900 + k)).collect();
    let processes: Vec<&[f64]> = processes.iter().map(Vec::as_slice).collect();
    replay_benchmark(&mut LearnedPlan::new(Arc::clone(trained), None), &processes, 0.1)
}

#[test]
fn what_was_learnt_is_kept_and_applied() {
    let learnt = trained(40).expect("enough benchmarks");
    let read = Trained::read(&learnt.write()).expect("what was written");
    assert!(read == learnt);
    let learnt = Arc::new(learnt);
    // The sixth process of a benchmark runs for its time, the others for as long as they need.
    for warmup in [0, 45, 70] {
        let stops = stops(&learnt, warmup);
        assert_eq!(stops[5].end, 700);
        for stop in stops.iter().filter(|stop| stop.end < 700) {
            let (begin, end) = (warmup as f64, f64::from(stop.end));
            assert!(end >= begin && end <= 3.0 * begin + 60.0, "{warmup}: {stop:?}");
        }
        for stop in &stops {
            assert!((f64::from(stop.warmup) - warmup as f64).abs() <= 50.0, "{warmup}: {stop:?}");
        }
    }
}

#[test]
fn a_handful_of_benchmarks_is_refused() {
    let error = trained(6).expect_err("too few");
    assert_eq!(error, TrainingError::TooFew { benchmarks: 6, processes: 18 });
    assert_eq!(error.to_string(), "train on 6 benchmarks with 18 usable processes");
    // Processes that are too short, or no times at all, are of no use.
    let values = [[1e-6; 150].to_vec(), [f64::NAN; 900].to_vec()];
    let examples: Vec<Vec<Example<'_>>> =
        vec![values.iter().map(|values| Example { values, steady_from: Some(0) }).collect(); 50];
    assert!(train(&examples, Trained::embedded().settings(), 1).is_err());
}
