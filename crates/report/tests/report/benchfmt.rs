use benchwright_model::{BenchmarkId, Failure, FailureKind, Outcome, Side, Trial};
use benchwright_report::benchfmt::{LinePer, write_lines, write_trials};

use crate::sample;

fn show(trials: &[Trial], side: Option<Side>) -> String {
    let mut out = Vec::new();
    write_trials(&sample::run(), &[], trials, side, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn two_trials() -> Vec<Trial> {
    let sort = BenchmarkId::new("go", "sort", "BenchmarkSort/n=10");
    let parse = BenchmarkId::new("cargo", "parser/bench", "parse large\tinput");
    let mut failed = sample::trial(&sort, Side::Head, 1, 1.0);
    failed.outcome = Outcome::Failed(Failure::new(FailureKind::TimedOut, ""));
    vec![
        sample::trial(&sort, Side::Base, 0, 1.2e-6),
        sample::trial(&sort, Side::Head, 0, 1.5e-6),
        sample::trial(&parse, Side::Base, 0, 0.25),
        failed,
    ]
}

#[test]
fn a_trial_is_one_line_with_its_median() {
    insta::assert_snapshot!("benchfmt-two-trials", show(&two_trials(), None));
}

#[test]
fn one_side_alone_has_no_key_of_its_own() {
    let base = show(&two_trials(), Some(Side::Base));
    assert!(!base.contains("benchwright-side"), "{base}");
    assert_eq!(base.lines().filter(|line| line.starts_with("Benchmark")).count(), 2);
    let head = show(&two_trials(), Some(Side::Head));
    let keys = |text: &str| text.lines().take(7).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(keys(&base), keys(&head), "both files have the same configuration");
}

#[test]
fn iterations_after_warm_up_may_be_lines_too() {
    let mut out = Vec::new();
    write_lines(&sample::run(), &[], &two_trials(), Some(Side::Head), LinePer::Iteration, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let times: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("BenchmarkSort/n=10\t1000\t"))
        .filter_map(|line| line.split('\t').nth(2))
        .collect();
    assert_eq!(times, ["1485 ns/op", "1500 ns/op", "1515 ns/op", "1500 ns/op"]);
}

#[test]
fn every_line_has_the_form_readers_expect() {
    let trials: Vec<Trial> = sample::NASTY
        .iter()
        .enumerate()
        .map(|(index, name)| {
            sample::trial(&BenchmarkId::new("go", "p\nq", *name), Side::Base, index as u32, 1.0)
        })
        .collect();
    let text = show(&trials, None);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Benchmark") {
            let fields: Vec<&str> = rest.split_whitespace().collect();
            assert!(fields.len() >= 4 && fields.len().is_multiple_of(2), "{line}");
            assert!(fields[1].parse::<u64>().is_ok());
            assert!(fields[2..].chunks(2).all(|pair| pair[0].parse::<f64>().is_ok()));
            assert!(!rest.starts_with(char::is_lowercase));
        } else if !line.starts_with("Unit ") && !line.starts_with("# ") && line != "PASS" {
            let (key, value) = line.split_once(": ").expect("key: value");
            assert!(key.starts_with(|c: char| c.is_ascii_lowercase()) && !value.is_empty());
            assert!(key.chars().all(|c| !c.is_uppercase() && !c.is_whitespace()));
        }
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("Benchmark")).count(), sample::NASTY.len());
}

/// The file that benchstat was given; its answer stands beside it.
#[test]
fn the_export_is_the_one_benchstat_read() {
    let (_, trials) = sample::suite(9);
    let export = show(&trials, None);
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/suite.benchfmt.txt"), &export).unwrap();
    assert!(
        export == include_str!("../../../../fixtures/report/suite.benchfmt.txt"),
        "the export changed:\n{export}"
    );
}
