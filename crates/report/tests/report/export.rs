use benchwright_formats::{ExportFormat, ExportOptions, SAMPLES_SCHEMA, SAMPLES_SCHEMA_NAME};
use benchwright_model::{
    BenchmarkId, Direction, Failure, FailureKind, Finding, InstanceId, Metric, Outcome, Phase, Position,
    Reason, Run, RunKind, Side, Summary, Trial, TrialInstance, Usage, Verdict, WarmupEnd,
};
use benchwright_report::benchfmt::write_trials;
use benchwright_report::{levels, summaries};
use serde_json::Value;

use crate::sample;
use crate::schema::Checker;

const BOTH: ExportOptions = ExportOptions { side: None, better: Direction::LowerIsBetter };

/// A duet with a failed half, a process of a run of one version, and a throughput.
pub(crate) fn trials() -> Vec<Trial> {
    let sort = BenchmarkId::new("go", "sort", "BenchmarkSort/\"a,b\"");
    let mut failed = sample::trial(&sort, Side::Head, 1, 1.0);
    failed.outcome = Outcome::Failed(Failure::new(FailureKind::Signal(9), "killed"));
    let mut level = sample::trial(&sort, Side::Head, 2, 3.0e-7);
    level.position = Position::Levels { instance: 1, suite_run: 2, iteration: 3 };
    level.phase = Phase::Levels;
    level = sample::stopped(level, WarmupEnd::Fixed, 3, 7);
    let mut rate = sample::trial(&BenchmarkId::new("jmh", "", "Parse.big"), Side::Head, 0, 5.0);
    if let Outcome::Measured(measurement) = &mut rate.outcome {
        measurement.series.truncate(1);
        measurement.series[0].metric = Metric::throughput();
    }
    let elsewhere = |trial: Trial| {
        let instance = TrialInstance { id: InstanceId("node7".into()), is_cold: true };
        Trial { instance: Some(instance), usage: Usage { processes: 5, ..trial.usage }, ..trial }
    };
    vec![
        elsewhere(sample::trial(&sort, Side::Base, 0, 0.1 + 0.2)),
        elsewhere(sample::trial(&sort, Side::Head, 0, 1.5e-6)),
        failed,
        level,
        rate,
    ]
}

/// How many samples those have on a side, or on both.
pub(crate) fn samples(side: Option<Side>) -> usize {
    let of_side = |trial: &&Trial| side.is_none_or(|side| trial.side == side);
    let all = trials();
    let measured = all.iter().filter(of_side).filter_map(|trial| trial.outcome.measurement());
    measured.flat_map(|measurement| &measurement.series).map(|series| series.values.len()).sum()
}

fn written(format: ExportFormat, options: ExportOptions) -> (String, usize) {
    written_of(&[], &trials(), format, options)
}

fn written_of(
    findings: &[Finding],
    trials: &[Trial],
    format: ExportFormat,
    options: ExportOptions,
) -> (String, usize) {
    let mut out = Vec::new();
    let summaries = |side| summaries(findings, trials, side);
    let left_out = format.write(&sample::run(), trials, &summaries, options, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), left_out)
}

#[test]
fn samples_in_json_obey_the_published_schema_and_keep_every_digit() {
    let (text, _) = written(ExportFormat::SamplesJson, BOTH);
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut checker = Checker::new(SAMPLES_SCHEMA);
    checker.document(&document);
    checker.has_seen_everything();
    assert_eq!(document["schema"], SAMPLES_SCHEMA_NAME);
    assert_eq!(document["trials"].as_array().unwrap().len(), 5);
    let first = &document["trials"][0];
    assert_eq!((&first["duet"], &first["instance"]), (&Value::from(0), &Value::Null));
    let values = first["series"][0]["values"].as_array().unwrap();
    assert!(values.iter().any(|value| value.as_f64() == Some(0.1 + 0.2)), "{values:?}");
    assert_eq!((&first["instance_id"], &first["cold"]), (&Value::from("node7"), &Value::from(true)));
    assert_eq!(document["trials"][3].get("instance_id"), None);
    assert_eq!((&first["processes"], document["trials"][3].get("processes")), (&Value::from(5), None));
    assert_eq!(document["trials"][2]["failure"]["number"], 9);
    assert_eq!(document["trials"][3]["suite_run"], 2);
    assert_eq!(document["trials"][3]["stopped"]["warmup_secs"], 3.0);
    assert_eq!(document["trials"][0].get("stopped"), None);
    // A line per trial, and around them three.
    assert_eq!(text.lines().count(), 5 + 4);
}

#[test]
fn samples_in_csv_have_a_row_each() {
    let (text, _) = written(ExportFormat::SamplesCsv, BOTH);
    assert_eq!(text.lines().count(), samples(None) + 1);
    assert!(text.starts_with("run,version,side,harness,package,benchmark,metric,unit,"), "{text}");
    assert!(text.contains("\"BenchmarkSort/\"\"a,b\"\"\""), "{text}");
    assert!(text.contains("0.30000000000000004"), "{text}");
    assert!(text.lines().nth(1).unwrap().ends_with(",node7,true,slices"), "{text}");
    let level = text.lines().find(|line| line.contains(",levels,")).unwrap();
    assert!(level.ends_with(",,,slices"), "{level}");
    assert!(level.contains(",levels,,,,1,2,3,0,true,"), "{level}");
    let head = ExportOptions { side: Some(Side::Head), ..BOTH };
    assert_eq!(written(ExportFormat::SamplesCsv, head).0.lines().count(), samples(Some(Side::Head)) + 1);
}

#[test]
fn bencher_gets_a_value_with_bounds() {
    let (text, _) = written(ExportFormat::BencherMetric, BOTH);
    let document: Value = serde_json::from_str(&text).unwrap();
    let latency = &document["sort:BenchmarkSort/\"a,b\""]["latency"];
    // Medians of the processes: 1500 and 300 ns; median 900 ns, deviation 600 ns, spread 1.4826 x 600 / 900 of it.
    assert_eq!(latency["value"], 900.0);
    let upper = latency["upper_value"].as_f64().unwrap();
    assert!((upper - (900.0 + 1.4826 * 600.0)).abs() < 0.1, "{upper}");
    assert_eq!(document["Parse.big"]["throughput"]["value"], 5.0);
    assert_eq!(document["Parse.big"]["throughput"].get("lower_value"), None, "one process has no spread");
}

#[test]
fn github_action_benchmark_gets_one_direction_at_a_time() {
    let (lower, left_out) = written(ExportFormat::GithubAction, BOTH);
    assert_eq!(left_out, 1, "the throughput");
    let document: Value = serde_json::from_str(&lower).unwrap();
    let first = &document[0];
    assert_eq!((&first["unit"], &first["value"]), (&Value::from("ns/op"), &Value::from(900.0)));
    assert!(first["range"].as_str().unwrap().starts_with("± 889."), "{first}");
    let higher = ExportOptions { better: Direction::HigherIsBetter, ..BOTH };
    let (text, _) = written(ExportFormat::GithubAction, higher);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((document.as_array().unwrap().len(), &document[0]["unit"]), (1, &Value::from("ops/s")));
    let base = ExportOptions { side: Some(Side::Base), ..BOTH };
    assert!(written(ExportFormat::GithubAction, base).0.contains("300000000"), "the base's value");
}

#[test]
fn a_run_of_one_version_in_json_obeys_its_schema() {
    let mut checker = Checker::new(levels::SCHEMA);
    for kind in [RunKind::Levels, RunKind::Imported] {
        let run = Run { kind, base: None, ..sample::run() };
        let mut out = Vec::new();
        levels::write_json(&run, &trials(), &mut out).unwrap();
        checker.document(&serde_json::from_slice(&out).unwrap());
    }
    checker.has_seen_everything();
}

/// Ten slices of a process: its fast decile is `value`, its median a fifth above.
fn sliced(benchmark: &BenchmarkId, side: Side, index: u32, phase: Phase, value: f64) -> Trial {
    let mut trial = sample::trial(benchmark, side, index, value);
    let slices = [1.0, 1.0, 1.0, 1.2, 1.2, 1.2, 1.2, 1.3, 1.3, 1.3, 1.3];
    trial.phase = phase;
    if let Outcome::Measured(measurement) = &mut trial.outcome {
        measurement.warmup = 0;
        measurement.series.truncate(1);
        measurement.series[0].values = slices.map(|factor| factor * value).to_vec();
    }
    trial
}

/// A comparison of one benchmark in two phases, decided by fast deciles: in the second phase everything takes twice as long.
fn confirmed(rests_on_fresh: bool) -> (Finding, Vec<Trial>) {
    let benchmark = BenchmarkId::new("go", "sort", "BenchmarkSort");
    let ratios = [1.04, 1.05, 1.06, 1.05, 1.05, 1.10, 1.11, 1.12, 1.11, 1.11];
    let mut trials = Vec::new();
    for (index, ratio) in ratios.iter().enumerate() {
        let (phase, base) =
            if index < 5 { (Phase::Screening, 1.0e-6) } else { (Phase::Confirmation, 2.0e-6) };
        trials.push(sliced(&benchmark, Side::Base, index as u32, phase, base));
        trials.push(sliced(&benchmark, Side::Head, index as u32, phase, base * ratio));
    }
    let reason = Reason::Confirmed { evidence: 30.0, needed: 20.0, layouts: u32::from(rests_on_fresh) * 5 };
    let summary =
        |centre| Some(Summary { centre, spread: 0.01, trials: if rests_on_fresh { 5 } else { 10 } });
    let values = if rests_on_fresh { (2.0e-6, 2.22e-6) } else { (1.5e-6, 1.63e-6) };
    let finding = Finding {
        benchmark,
        base: summary(values.0),
        head: summary(values.1),
        duets: ratios.iter().map(|ratio: &f64| ratio.ln()).collect(),
        fresh: 5,
        ..sample::finding("", Verdict::Slower, reason, 0.1)
    };
    (finding, trials)
}

#[test]
fn every_format_gives_the_values_of_the_report() {
    for rests_on_fresh in [true, false] {
        let (finding, trials) = confirmed(rests_on_fresh);
        let findings = [finding.clone()];
        let mut out = Vec::new();
        write_trials(&sample::run(), &findings, &trials, Some(Side::Head), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("BenchmarkSort\t"));
        let mut values: Vec<f64> =
            lines.map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
        values.sort_by(f64::total_cmp);
        let wanted = finding.head.unwrap();
        assert_eq!(values.len(), wanted.trials as usize, "{text}");
        let middle = (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0;
        assert!((middle * 1e-9 / wanted.centre - 1.0).abs() < 1e-9, "{text}");
        assert!(text.contains("# sort:BenchmarkSort: fast decile of the iterations"), "{text}");
        assert_eq!(text.contains("# 10 processes that the report's numbers do not rest on"), rests_on_fresh);
        let (text, _) = written_of(&findings, &trials, ExportFormat::GithubAction, BOTH);
        let document: Value = serde_json::from_str(&text).unwrap();
        let value = document[0]["value"].as_f64().unwrap();
        assert!((value * 1e-9 / wanted.centre - 1.0).abs() < 1e-9, "{document}");
        let told = document[0]["extra"].as_str().unwrap();
        assert!(told.contains("each the fast decile of the iterations"), "{told}");
    }
}
