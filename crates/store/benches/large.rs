//! Times the questions that `show` asks of a large store: 1,000 runs of 500 benchmarks. Prints `name value unit`
//! lines. Every answer includes opening the store, as a command does.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark is a program of its own")]

use std::path::Path;
use std::time::{Duration, Instant};

use benchwright_model::*;
use benchwright_store::{Journal, JournalHeader, RunRecord, Store};

const RUNS: u32 = 1000;
const BENCHMARKS: u32 = 500;
const DUETS: u32 = 15;
/// The newest runs have trials with all samples; older ones only findings, to be built in reasonable time.
const RUNS_WITH_TRIALS: u32 = 10;
const SAMPLES: u32 = 10;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let began = Instant::now();
    let mut store = Store::open(dir).unwrap();
    for number in 0..RUNS {
        let has_trials = number + RUNS_WITH_TRIALS >= RUNS;
        store.save(&record(number, if has_trials { DUETS } else { 0 })).unwrap();
    }
    drop(store);
    print("build", began.elapsed().as_secs_f64(), "s");
    let bytes = std::fs::metadata(dir.join("benchwright.db")).unwrap().len();
    print("size", bytes as f64 / 1e6, "MB");

    time("open", dir, |_| ());
    time("open+runs(20)", dir, |store| assert_eq!(store.runs(20).unwrap().len(), 20));
    time("open+comparison(latest)", dir, |store| {
        let latest = store.find("latest").unwrap();
        let comparison = store.comparison(&latest).unwrap().unwrap();
        assert_eq!(comparison.findings.len(), BENCHMARKS as usize);
    });
    time("open+load(latest)", dir, |store| {
        let latest = store.find("latest").unwrap();
        assert_eq!(store.load(&latest).unwrap().trials.len(), (BENCHMARKS * DUETS * 2) as usize);
    });
    let ids: Vec<BenchmarkId> = (0..BENCHMARKS).map(benchmark).collect();
    time("open+durations(500)", dir, |store| {
        assert_eq!(store.durations(&ids).unwrap().len(), ids.len());
    });
    save(dir);
    append(dir);
}

/// Saving one run with all its trials.
fn save(dir: &Path) {
    let record = record(RUNS, DUETS);
    let mut store = Store::open(dir).unwrap();
    let began = Instant::now();
    store.save(&record).unwrap();
    print("save (15,000 trials)", began.elapsed().as_secs_f64() * 1e3, "ms");
}

/// One trial to the journal and to the disk.
fn append(dir: &Path) {
    let record = record(0, 1);
    let header = JournalHeader { run: record.run, benchmarks: Vec::new(), options: Default::default() };
    let mut journal = Journal::create(&dir.join("append.journal"), &header).unwrap();
    let mut times: Vec<Duration> = Vec::new();
    for trial in record.trials.iter().take(200) {
        let began = Instant::now();
        journal.append(trial).unwrap();
        times.push(began.elapsed());
    }
    times.sort();
    print("journal append (median)", times[times.len() / 2].as_secs_f64() * 1e3, "ms");
}

fn time(name: &str, dir: &Path, ask: impl Fn(&Store)) {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..11 {
        let began = Instant::now();
        ask(&Store::open(dir).unwrap());
        times.push(began.elapsed());
    }
    times.sort();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    print(name, median.as_secs_f64() * 1e3, "ms");
    print(&format!("{name} (longest)"), longest.as_secs_f64() * 1e3, "ms");
}

fn print(name: &str, value: f64, unit: &str) {
    println!("{name} {value:.3} {unit}");
}

fn benchmark(number: u32) -> BenchmarkId {
    BenchmarkId::new(
        "go",
        format!("example.org/package{}", number % 20),
        format!("BenchmarkThing/n={number}"),
    )
}

fn record(number: u32, duets: u32) -> RunRecord {
    let run = run(number);
    let comparison = Comparison {
        run: run.clone(),
        rule: "paired".into(),
        rule_note: "trimmed mean of paired log-ratios".into(),
        findings: (0..BENCHMARKS).map(|index| finding(number, index)).collect(),
        added: Vec::new(),
        removed: Vec::new(),
        failures: Vec::new(),
        diagnostics: Vec::new(),
        is_partial: false,
    };
    let mut trials = Vec::new();
    for duet in 0..duets {
        for index in 0..BENCHMARKS {
            trials.extend(Side::BOTH.map(|side| trial(index, duet, side)));
        }
    }
    let (builds, diagnostics) = (Vec::new(), Vec::new());
    RunRecord {
        run,
        trials,
        comparison: Some(comparison),
        instances: Vec::new(),
        builds,
        diagnostics,
        is_partial: false,
    }
}

fn run(number: u32) -> Run {
    let version = |label: &str| Version {
        label: label.into(),
        commit: Some(format!("{number:040x}")),
        tree: format!("{:040x}", number * 7),
        dirty: false,
        subject: "Change something somewhere".into(),
    };
    let facts = ["arch", "cores", "cpu", "memory", "os", "go", "load", "governor"];
    Run {
        id: RunId(format!("run-{number:06}")),
        kind: RunKind::Compare,
        command: vec!["benchwright".into(), "compare".into(), "main".into()],
        started_at: Timestamp(i64::from(number) * 1_000_000),
        ended_at: Some(Timestamp(i64::from(number) * 1_000_000 + 500_000)),
        seed: u64::from(number),
        base: Some(version("main")),
        head: version("working tree"),
        environment: Environment { facts: facts.map(|fact| (fact.into(), format!("{fact} of it"))).into() },
        tool_version: "0.1.0".into(),
        settings: facts.map(|fact| (format!("setting {fact}"), "value".into())).into(),
    }
}

fn finding(run: u32, index: u32) -> Finding {
    // Values that differ from each other and need all their digits.
    let value = |salt: u32| f64::from((run * 31 + index * 17 + salt * 101) % 997) / 99_991.0;
    let summary = |salt| Some(Summary { centre: 1e-6 + value(salt), spread: value(salt + 1), trials: DUETS });
    let (verdict, reason) = match index % 50 {
        0 => {
            (Verdict::Slower, Reason::Confirmed { evidence: 1234.5 + value(7), needed: 1000.0, layouts: 10 })
        }
        1 => (Verdict::Undecided, Reason::TooNoisy { duets_needed: Some(80) }),
        _ => (Verdict::Same, Reason::WithinThreshold),
    };
    Finding {
        benchmark: benchmark(index),
        metric: Metric::time(),
        verdict,
        reason,
        effect: Some(Effect { centre: value(1), lo: value(2), hi: value(3), level: 0.98 }),
        base: summary(4),
        head: summary(5),
        duets: (0..DUETS).map(value).collect(),
        fresh: 0,
        quartets: 0,
        wild: 0.0,
        thresholds: Thresholds { soft: 0.03, hard: f64::INFINITY },
        fails: false,
        accepted: None,
        warnings: Vec::new(),
    }
}

fn trial(index: u32, duet: u32, side: Side) -> Trial {
    let values = (0..SAMPLES).map(|sample| 1e-6 + f64::from(index * duet + sample) / 1e12).collect();
    let series = Series { metric: Metric::time(), values, resolution: 1e-4 };
    Trial {
        benchmark: benchmark(index),
        side,
        position: Position::Duet { index: duet, attempt: 0, first: side == Side::Base },
        phase: Phase::Screening,
        layout: None,
        instance: None,
        started_at: Timestamp(i64::from(duet * BENCHMARKS + index)),
        usage: Usage { wall: Duration::from_millis(1000 + u64::from(index)), ..Usage::default() },
        stopped: None,
        outcome: Outcome::Measured(Measurement {
            warmup: 0,
            operations: vec![1_000_000; SAMPLES as usize],
            series: vec![series],
            ..Measurement::default()
        }),
    }
}
