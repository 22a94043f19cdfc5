use std::time::Duration;

use benchwright_model::{
    BenchmarkId, Failure, FailureKind, Outcome, Phase, Position, Run, RunKind, Side, Trial, WarmupEnd,
};
use benchwright_report::levels::{rows, write_csv, write_json, write_text};
use benchwright_report::text::TextOptions;

use crate::sample;

fn run() -> Run {
    Run { kind: RunKind::Levels, base: None, ..sample::run() }
}

fn trials() -> Vec<Trial> {
    let at = |name: &str, iteration: u32, value: f64| {
        let mut trial = sample::trial(&BenchmarkId::new("go", "sort", name), Side::Head, iteration, value);
        trial.position = Position::Levels { instance: 0, suite_run: 0, iteration };
        trial.phase = Phase::Levels;
        trial.usage.wall = Duration::from_millis(20);
        trial
    };
    let mut failed = at("BenchmarkBroken", 0, 1.0);
    failed.outcome = Outcome::Failed(Failure::new(FailureKind::NoResult, ""));
    vec![
        at("BenchmarkSort", 0, 1.0e-6),
        at("BenchmarkSort", 1, 1.1e-6),
        at("BenchmarkSort", 2, 1.2e-6),
        at("BenchmarkStable", 0, 2.0e-6),
        failed,
    ]
}

#[test]
fn spread_between_and_within_processes_are_apart() {
    let rows = rows(&trials());
    let sort = rows.iter().find(|row| row.benchmark.name == "BenchmarkSort").unwrap();
    assert_eq!((sort.processes, sort.samples), (3, 12));
    assert!((sort.median - 1.1e-6).abs() < 1e-18);
    // Process medians 1.0, 1.1, 1.2 µs: deviations 0.1, 0, 0.1, so 1.4826 x 0.1 / 1.1.
    assert!((sort.between.unwrap() - 0.134_781_8).abs() < 1e-6);
    // Each process has 0.99, 1, 1.01, 1 of its median: deviations 0.01, 0, 0.01, 0, so 1.4826 x 0.005.
    assert!((sort.within.unwrap() - 0.007_413).abs() < 1e-9);
    // 1000 operations of 3 + 0.99 + 1 + 1.01 + 1 times 1.1 µs are 7.7 ms of 20 ms.
    assert!((sort.setup_ratio.unwrap() - 0.615).abs() < 1e-9);
    let stable = rows.iter().find(|row| row.benchmark.name == "BenchmarkStable").unwrap();
    assert_eq!(stable.between, None);
    assert!(rows.iter().all(|row| row.metric.name != "B/s"), "derived metrics are left out");
}

#[test]
fn the_table_shows_them() {
    let show = |width| {
        let mut out = Vec::new();
        write_text(
            &run(),
            &trials(),
            &TextOptions { width: Some(width), ..TextOptions::default() },
            &mut out,
        )
        .unwrap();
        String::from_utf8(out).unwrap()
    };
    insta::assert_snapshot!("levels-100", show(100));
    for width in 20..120 {
        let text = show(width);
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
        assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
    }
}

/// Two benchmarks of a suite whose processes were ended by a rule.
fn stopped_trials() -> Vec<Trial> {
    let mut trials = trials();
    for (index, (end, warmup, measured)) in [
        (WarmupEnd::Steady, 12, 28),
        (WarmupEnd::Steady, 2, 9),
        (WarmupEnd::Steady, 3, 7),
        (WarmupEnd::Unsteady, 30, 8),
    ]
    .into_iter()
    .enumerate()
    {
        trials[index] = sample::stopped(trials[index].clone(), end, warmup, measured);
    }
    let last = trials[2].stopped.as_mut().unwrap();
    last.enough = Some("the coefficient of variation changed by 0.0012".into());
    trials
}

#[test]
fn what_stop_rules_saved_stands_below_the_table_with_the_reasons() {
    let show = |width| {
        let mut out = Vec::new();
        let options = TextOptions { width: Some(width), ..TextOptions::default() };
        write_text(&run(), &stopped_trials(), &options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    insta::assert_snapshot!("levels-stopped-100", show(100));
    insta::assert_snapshot!("levels-stopped-60", show(60));
    for width in 20..120 {
        let text = show(width);
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max();
        assert!(widest <= Some(width), "{widest:?} at {width}:\n{text}");
    }
}

#[test]
fn programs_get_all_digits() {
    let mut out = Vec::new();
    write_json(&run(), &trials(), &mut out).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["schema"], "benchwright.levels/1");
    assert_eq!(document["rows"][1]["processes"], 3);
    assert_eq!(document["rows"][0]["median"], serde_json::Value::Null);
    let mut out = Vec::new();
    write_csv(&trials(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(
        text.lines().any(|line| line.starts_with("go,sort,BenchmarkSort,B/op,bytes,48,0,0,3,12,,0")),
        "{text}"
    );
}

#[test]
fn nothing_measured_is_an_empty_table() {
    let mut out = Vec::new();
    write_text(&run(), &[], &TextOptions::default(), &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("0 benchmarks"));
}
