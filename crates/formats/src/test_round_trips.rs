//! Everything that is written can be read again, in every format that is written.

use std::collections::BTreeMap;

use benchwright_model::{
    BenchmarkId, Direction, Failure, FailureKind, InstanceId, Measurement, Metric, Outcome, Phase, Position,
    Run, RunId, RunKind, SampleKind, Series, Side, Timestamp, Trial, TrialInstance, Usage, Version,
};

use crate::benchfmt::{self, TrialLine, TrialLines};
use crate::parquet::{Column, File};
use crate::separated::{exact, split, without_apostrophe};
use crate::{ExportFormat, ExportOptions, Imported, ImportedSummary, MetricSummary, moment, read};

fn run() -> Run {
    let version = |label: &str, commit: &str| Version {
        label: label.into(),
        commit: Some(commit.into()),
        tree: String::new(),
        dirty: false,
        subject: String::new(),
    };
    let environment = BTreeMap::from([("cpu".to_owned(), "AMD EPYC 7B13".to_owned())]);
    Run {
        id: RunId("20260301-120000-ab12".into()),
        kind: RunKind::Compare,
        command: Vec::new(),
        started_at: Timestamp(1_772_366_400_000_000),
        ended_at: None,
        seed: u64::MAX,
        base: Some(version("main", "1f2e3d4c5b")),
        head: version("=work", "0a1b2c3d4e"),
        environment: benchwright_model::Environment { facts: environment },
        tool_version: "0.1.0".into(),
        settings: BTreeMap::new(),
    }
}

fn trial(name: &str, side: Side, index: u32, series: Vec<Series>) -> Trial {
    let operations = vec![1000; series[0].values.len()];
    Trial {
        benchmark: BenchmarkId::new("go", "example.com/p", name),
        side,
        position: Position::Duet { index, attempt: index % 2, first: side == Side::Base },
        phase: Phase::Screening,
        layout: None,
        instance: (index == 1)
            .then(|| TrialInstance { id: InstanceId("node7".into()), is_cold: side == Side::Head }),
        started_at: Timestamp(1_772_366_400_000_000 + i64::from(index) * 1_000_001),
        usage: Usage::default(),
        stopped: None,
        outcome: Outcome::Measured(Measurement {
            warmup: 1,
            operations,
            series,
            sample_kind: Some(SampleKind::Slices),
        }),
    }
}

fn series(metric: Metric, values: &[f64]) -> Series {
    Series { metric, values: values.to_vec(), resolution: 0.001 }
}

/// Names, values and positions that are lost if they are not handled with care.
fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (index, name) in ["BenchmarkSort/\"a,b\"/größe", "BenchmarkSort/ =1+1"].iter().enumerate() {
        for duet in 0..2 {
            for side in Side::BOTH {
                let time = 0.1 + 0.2 + f64::from(duet);
                let all = vec![
                    series(Metric::time(), &[time, 1.5e-9, 5e-324, f64::MAX]),
                    series(Metric::bytes_per_op(), &[48.0, 0.0, 1e15, 3.0]),
                    series(Metric::custom("-p99 ns"), &[index as f64, -1.0, 2.5, 1e-7]),
                ];
                trials.push(trial(name, side, duet, all));
            }
        }
    }
    let failed = Failure::new(FailureKind::Signal(9), "killed");
    trials.push(Trial { outcome: Outcome::Failed(failed), ..trials[0].clone() });
    trials.push(Trial {
        position: Position::Levels { instance: 1, suite_run: 2, iteration: 3 },
        ..trial("BenchmarkRate", Side::Head, 0, vec![series(Metric::throughput(), &[2.0, 5.0])])
    });
    trials
}

fn written(format: ExportFormat, trials: &[Trial], side: Option<Side>) -> Vec<u8> {
    let mut out = Vec::new();
    let options = ExportOptions { side, better: Direction::LowerIsBetter };
    format.write(&run(), trials, &|_| summaries(), options, &mut out).unwrap();
    out
}

fn one_set(bytes: &[u8]) -> Imported {
    let mut sets = read("file", bytes).unwrap();
    assert_eq!((sets.len(), sets[0].diagnostics.as_slice()), (1, [].as_slice()));
    sets.remove(0)
}

#[test]
fn samples_come_back_with_every_bit_and_place() {
    for format in [ExportFormat::SamplesJson, ExportFormat::SamplesCsv, ExportFormat::Parquet] {
        for side in [None, Some(Side::Base), Some(Side::Head)] {
            let sets = read("file", &written(format, &trials(), side)).unwrap();
            let sides: Vec<Side> = side.map_or(Side::BOTH.to_vec(), |side| vec![side]);
            assert_eq!(sets.len(), sides.len(), "{format:?}");
            for (set, side) in sets.iter().zip(sides) {
                assert_eq!(set.diagnostics, [], "{format:?}");
                let version = if side == Side::Base { run().base } else { Some(run().head) };
                assert_eq!(set.revision, version.and_then(|version| version.commit));
                assert_eq!(set.taken_at, Some(run().started_at), "{format:?}");
                check_side(format, set, side);
            }
        }
    }
}

fn check_side(format: ExportFormat, set: &Imported, side: Side) {
    let mut processes = 0;
    for benchmark in &set.benchmarks {
        let all = trials();
        let of_this = all.iter().filter(|trial| trial.side == side && trial.benchmark == benchmark.id);
        let measured: Vec<&Trial> = of_this.filter(|trial| trial.outcome.measurement().is_some()).collect();
        assert_eq!(benchmark.processes.len(), measured.len(), "{format:?}: {}", benchmark.id);
        for ((process, place), trial) in benchmark.processes.iter().zip(&benchmark.positions).zip(measured) {
            assert_eq!(Some(process), trial.outcome.measurement(), "{format:?}: {}", benchmark.id);
            let expected = match trial.position {
                Position::Duet { index, attempt, .. } => {
                    Position::Levels { instance: 0, suite_run: attempt, iteration: index }
                }
                levels => levels,
            };
            assert_eq!(*place, expected);
            processes += 1;
        }
    }
    assert_eq!(processes, if side == Side::Base { 4 } else { 5 }, "{format:?}");
}

/// The rows of a Parquet file as the fields of the CSV.
fn fields_of(bytes: &[u8]) -> Vec<Vec<String>> {
    let file = File::open(bytes).unwrap();
    let mut fields: Vec<Vec<String>> = Vec::new();
    let mut left = usize::MAX;
    for group in file.groups() {
        let columns = group.columns(|_| true, &mut left).unwrap();
        for row in 0..group.rows().unwrap() {
            fields.push(columns.iter().map(|(name, column)| field(name, column, row)).collect());
        }
    }
    assert_eq!(file.rows(), Some(fields.len()));
    fields
}

fn field(name: &str, column: &Column, row: usize) -> String {
    match column {
        Column::Flags(rows) => rows[row].map(|flag| flag.to_string()),
        Column::Texts(rows) => rows[row].as_deref().map(str::to_owned),
        Column::Wholes(rows) if name == "started_at" => rows[row].map(|at| moment(Timestamp(at))),
        Column::Wholes(rows) => rows[row].map(|number| number.to_string()),
        Column::Reals(rows) => rows[row].map(exact),
        other => panic!("{name}: {other:?}"),
    }
    .unwrap_or_default()
}

#[test]
fn csv_and_parquet_have_the_same_rows() {
    let csv = String::from_utf8(written(ExportFormat::SamplesCsv, &trials(), None)).unwrap();
    let parquet = fields_of(&written(ExportFormat::Parquet, &trials(), None));
    let mut lines = csv.lines();
    assert_eq!(lines.next().unwrap().split(',').count(), 28);
    let mut fields = Vec::new();
    for (line, row) in lines.by_ref().zip(&parquet) {
        split(line, ',', &mut fields);
        assert_eq!(fields.iter().map(|field| without_apostrophe(field)).collect::<Vec<_>>(), *row);
    }
    assert_eq!((lines.count(), parquet.len()), (0, 8 * 12 + 2));
}

#[test]
fn many_rows_are_several_groups_of_parquet_and_many_names_fit() {
    let values: Vec<f64> = (1..=400).map(f64::from).collect();
    let of =
        |index| trial(&format!("Benchmark{index}"), Side::Head, 0, vec![series(Metric::time(), &values)]);
    let many: Vec<Trial> = (0..300).map(of).collect();
    let bytes = written(ExportFormat::Parquet, &many, None);
    assert_eq!(File::open(&bytes).unwrap().groups().count(), 2);
    let set = one_set(&bytes);
    assert_eq!(set.benchmarks.len(), 300);
    assert_eq!(set.benchmarks[299].processes[0].series[0].values, values);
    assert_eq!(fields_of(&written(ExportFormat::Parquet, &[], None)), Vec::<Vec<String>>::new());
}

#[test]
fn go_lines_come_back_as_processes() {
    let rate = Metric::throughput();
    let metrics =
        [Metric::time(), Metric::bytes_per_op(), Metric::bytes_per_second(), Metric::custom("hits/s")];
    let all = trials();
    let measured: Vec<&Trial> = all.iter().filter(|trial| trial.outcome.measurement().is_some()).collect();
    let line = |trial: &Trial, factor: f64| {
        let values = match trial.benchmark.name.as_str() {
            "BenchmarkRate" => vec![(&rate, 7.25 * factor)],
            _ => metrics.iter().zip([1.1e-6 * factor, 48.0, 2.5e6, 12.0]).collect(),
        };
        TrialLine { operations: 1000, values }
    };
    let lines: Vec<TrialLines<'_>> = measured
        .iter()
        .map(|trial| TrialLines { trial, lines: vec![line(trial, 1.0), line(trial, 3.0)] })
        .collect();
    let mut out = Vec::new();
    benchfmt::write(&run(), &["two\nlines".to_owned()], &lines, None, &mut out).unwrap();
    let sets = read("file", &out).unwrap();
    assert_eq!(sets.len(), 2, "base and head");
    assert!(sets.iter().all(|set| set.diagnostics.is_empty()), "{sets:?}");
    assert_eq!(sets[0].environment["benchwright-side"], "base");
    assert_eq!(sets[0].environment["cpu"], "AMD EPYC 7B13");
    let counts = |set: &Imported| set.benchmarks.iter().map(|it| it.processes.len()).collect::<Vec<_>>();
    assert_eq!((counts(&sets[0]), counts(&sets[1])), (vec![2, 2], vec![1, 2, 2]));
    let rates = &sets[1].benchmarks[0].processes[0];
    assert_eq!(
        (&rates.series[0].metric, rates.series[0].values.as_slice()),
        (&rate, [7.25, 21.75].as_slice())
    );
    let sort = &sets[0].benchmarks[1];
    assert_eq!(sort.id, BenchmarkId::new("go", "example.com/p", "BenchmarkSort/\"a,b\"/größe"));
    assert_eq!(sort.processes[0].operations, [1000, 1000]);
    for (series, metric) in sort.processes[0].series.iter().zip(&metrics) {
        assert_eq!(series.metric, *metric);
    }
    assert_eq!(sort.processes[0].series[0].values, [1.1e-6, 3.3e-6]);
    assert_eq!(sort.processes[0].series[2].values, [2.5e6, 2.5e6]);
}

/// A time and a count of one benchmark, and a throughput of another.
fn summaries() -> Vec<MetricSummary> {
    let of = |name: &str, metric, value, spread| MetricSummary {
        benchmark: BenchmarkId::new("go", "p", name),
        metric,
        value,
        spread,
        processes: 3,
        estimator: "median of the iterations",
    };
    vec![
        of("BenchmarkX", Metric::time(), 1.5e-6, Some(0.1)),
        of("BenchmarkX", Metric::bytes_per_op(), 48.0, None),
        of("BenchmarkY", Metric::throughput(), 7.25, Some(0.0)),
    ]
}

fn check_summary(set: &Imported, name: &str, metric: Metric, value: f64, bounds: Option<(f64, f64)>) {
    let benchmark = set.benchmarks.iter().find(|benchmark| benchmark.id.name == name).expect(name);
    let is_wanted = |summary: &&ImportedSummary| summary.metric == metric;
    let found = benchmark.summaries.iter().find(is_wanted).unwrap_or_else(|| panic!("{benchmark:?}"));
    let is_close = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-12 * wanted;
    assert!(is_close(found.value, value), "{found:?}");
    match bounds {
        None => assert_eq!((found.lower, found.upper), (None, None)),
        Some((lower, upper)) => {
            assert!(
                is_close(found.lower.unwrap(), lower) && is_close(found.upper.unwrap(), upper),
                "{found:?}"
            );
        }
    }
}

#[test]
fn bencher_metric_format_comes_back_as_summaries() {
    let set = one_set(&written(ExportFormat::BencherMetric, &[], None));
    check_summary(&set, "p:BenchmarkX", Metric::time(), 1.5e-6, Some((1.35e-6, 1.65e-6)));
    check_summary(&set, "p:BenchmarkY", Metric::throughput(), 7.25, Some((7.25, 7.25)));
    let bytes = set.benchmarks[0].summaries.iter().find(|summary| summary.metric.name == "B/op");
    assert_eq!(bytes.map(|summary| summary.value), Some(48.0));
}

#[test]
fn github_action_benchmark_comes_back_as_summaries() {
    let set = one_set(&written(ExportFormat::GithubAction, &[], None));
    check_summary(&set, "p:BenchmarkX", Metric::time(), 1.5e-6, Some((1.35e-6, 1.65e-6)));
    check_summary(&set, "p:BenchmarkX", Metric::bytes_per_op(), 48.0, None);
    assert_eq!(set.benchmarks.len(), 1, "the throughput has the other direction");
    let options = ExportOptions { side: None, better: Direction::HigherIsBetter };
    let mut out = Vec::new();
    let left_out =
        ExportFormat::GithubAction.write(&run(), &[], &|_| summaries(), options, &mut out).unwrap();
    assert_eq!(left_out, 2);
    check_summary(&one_set(&out), "p:BenchmarkY", Metric::throughput(), 7.25, Some((7.25, 7.25)));
}
