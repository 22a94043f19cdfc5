//! Compares scores with those of another program, and tests the study on an excerpt.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::against::{Baseline, compare};
use super::command::write_study;
use super::interval::Draws;
use super::recording::Recording;
use super::repeat::repeat;
use super::score::{Judge, Judged};
use super::stops::{Stop, Stops};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn excerpt() -> PathBuf {
    root().join("fixtures/jmh-steady/excerpt")
}

fn jobs() -> NonZeroUsize {
    NonZeroUsize::new(2).unwrap()
}

/// Stops for the excerpt's processes: `stop` maps the position of a process in the table to its end.
fn stops(recording: &Recording, order: &[(String, u32)], stop: impl Fn(i64) -> (i64, i64)) -> Stops {
    let place = |name: &str, fork: u32| order.iter().position(|one| one.0 == name && one.1 == fork).unwrap();
    let of = |benchmark: &super::recording::Benchmark| -> BTreeMap<u32, Stop> {
        let decide = |fork: &u32| {
            let (warmup, last) = stop(place(&benchmark.subject.benchmark, *fork) as i64);
            (*fork, Stop { warmup, last })
        };
        benchmark.processes.keys().map(decide).collect()
    };
    recording.benchmarks.iter().map(of).collect()
}

fn order() -> Vec<(String, u32)> {
    let file = excerpt().join("series-0.parquet");
    let processes = benchwright_formats::warmup::read_series(&file).unwrap();
    processes.iter().map(|one| (one.subject.benchmark.clone(), one.fork)).collect()
}

/// Lines of a file in `fixtures/studies/warmup`: benchmark, parameters, lower and upper end of the interval,
/// seconds.
fn scored(name: &str) -> BTreeMap<(String, String), [f64; 3]> {
    let text = fs::read_to_string(root().join("fixtures/studies/warmup").join(name)).unwrap();
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        ((fields[0].to_string(), fields[1].to_string()), [number(2), number(3), number(4)])
    };
    text.lines().skip(1).map(line).collect()
}

/// Compares both ends with a tolerance of an eighth of the width, because other random draws give intervals
/// that differ that much. The time must agree to 2 ms.
fn check(recording: &Recording, judged: &[Judged], name: &str) -> usize {
    let expected = scored(name);
    let mut n = 0;
    for (benchmark, ours) in recording.benchmarks.iter().zip(judged) {
        let key = (benchmark.subject.benchmark.clone(), benchmark.subject.params.clone());
        let Some([low, high, seconds]) = expected.get(&key) else { continue };
        let tolerance = 0.125 * (high - low) + 2e-6;
        assert!((ours.low - low).abs() <= tolerance, "{key:?} {ours:?} {low} {high}");
        assert!((ours.high - high).abs() <= tolerance, "{key:?} {ours:?} {low} {high}");
        assert!((ours.time_s - seconds).abs() <= 0.002, "{key:?} {ours:?} {seconds}");
        n += 1;
    }
    n
}

#[test]
fn an_excerpt_is_scored_as_by_the_other_program() {
    let recording = Recording::read(&excerpt()).unwrap();
    let judge = Judge::new(&recording, Draws { means: 10_000, pool: 4_000 }, jobs());
    let order = order();
    let early = stops(&recording, &order, |i| (19 + i, 119 + 2 * i));
    let late = stops(&recording, &order, |i| (299 - 10 * i, 399 + 50 * i));
    let judged = judge.judge(&early);
    assert_eq!(check(&recording, &judged, "excerpt.tsv"), recording.benchmarks.len());
    let summary = judge.summary(&early, &early);
    let baseline = Baseline { name: "late", judged: judge.judge(&late), all: late.clone(), used: late };
    let [both, authors] = compare(&judge, &early, &baseline);
    let text = fs::read_to_string(root().join("fixtures/studies/warmup/excerpt.json")).unwrap();
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let percent = |share: f64| (1000.0 * share).round() / 10.0;
    let rule = &expected["rules"][0];
    for (ours, name) in
        [(summary.ok, "quality_ok_pct"), (summary.under, "under_pct"), (summary.over, "over_pct")]
    {
        assert_eq!(Some(percent(ours)), rule[name].as_f64(), "{name}");
    }
    assert!(rule["wee_s"].as_str().unwrap().starts_with(&format!("{:.1} (", summary.error.median)));
    for (ours, place) in [(&both, 0), (&authors, 1)] {
        let expected = &expected["comparisons"][place];
        for (share, name) in [
            (ours.quality_improved, "quality_impr"),
            (ours.time_improved, "time_impr"),
            (ours.quality_regressed, "quality_regr"),
            (ours.time_regressed, "time_regr"),
            (ours.net(), "net"),
        ] {
            assert_eq!(Some(percent(share)), expected[name].as_f64(), "{name}");
        }
        assert!((ours.errors.a12 - expected["wee_A12"].as_f64().unwrap()).abs() < 6e-4);
        assert!((ours.errors.r - expected["wee_r"].as_f64().unwrap()).abs() < 6e-4);
    }
}

#[test]
fn an_excerpt_gives_the_whole_document() {
    let folds = root().join("studies/warmup/folds");
    let study = repeat(&excerpt(), &folds, Draws { means: 500, pool: 20 }, jobs()).unwrap();
    let names: Vec<&str> = study.folded.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["learned", "oscnn", "fcn", "rocket"]);
    assert!(study.folded.iter().all(|rule| rule.seeds.len() == 3));
    assert_eq!((study.processes, study.baselines.len()), (study.benchmarks, 4));
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("docs/excerpt.md");
    let text = write_study(&study, &out).unwrap();
    for part in [
        "## Table 2",
        "## Tables 3 and 6",
        "## Figure 4",
        "## Tables 4 and 7",
        "as the authors did",
        "## Table 5",
        "oracle",
        "(0.886)",
        "![Figure 4](excerpt-figure-4.svg)",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for picture in ["figure-4", "front"] {
        let svg = fs::read_to_string(out.with_file_name(format!("excerpt-{picture}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("learned"), "{picture}");
    }
}
