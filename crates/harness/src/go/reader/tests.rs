use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn reader(name: &str, args: &[&str]) -> Box<TrialReader> {
    let shape = TrialShape {
        args: args.iter().map(|arg| arg.to_string()).collect(),
        ..TrialShape::fixed(3, Duration::from_millis(1))
    };
    Box::new(TrialReader::new(&BenchmarkId::new("go", "p", name), &shape))
}

fn read(name: &str, args: &[&str], text: &str) -> Reading {
    let mut reader = reader(name, args);
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish(Path::new(""))
}

/// Checks operations, then `metric: values` per series.
fn check(name: &str, args: &[&str], text: &str, operations: &[u64], expected: &[(&str, &[f64])]) -> Reading {
    let reading = read(name, args, text);
    assert_eq!(reading.measurement.operations, operations, "{text}");
    let found: Vec<_> = reading
        .measurement
        .series
        .iter()
        .map(|series| (series.metric.name.as_str(), series.values.as_slice()))
        .collect();
    assert_eq!(found, expected, "{text}");
    reading
}

fn fixture(name: &str) -> String {
    let path = format!("{}/../../fixtures/go/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn every_unit_becomes_its_metric() {
    let text = "BenchmarkA-2 \t 100\t 1250 ns/op\t 80.00 MB/s\t 5.500 rows\t 64 B/op\t 2 allocs/op\n\
                BenchmarkA-2 \t 200\t 50.25 ns/op\t 90.00 MB/s\t 6.500 rows\t 64 B/op\t 2 allocs/op\n";
    let reading = check(
        "BenchmarkA",
        &["-cpu=2"],
        text,
        &[100, 200],
        &[
            ("time", &[1.25e-6, 5.025e-8]),
            ("B/s", &[8e7, 9e7]),
            ("rows", &[5.5, 6.5]),
            ("B/op", &[64.0, 64.0]),
            ("allocs/op", &[2.0, 2.0]),
        ],
    );
    assert_eq!(reading.diagnostics, []);
    let resolution = |name: &str| reading.measurement.series(name).unwrap().resolution;
    assert_eq!(resolution("time"), 1.0 / 1250.0);
    assert_eq!(resolution("B/op"), 0.0);
}

#[test]
fn lines_count_iterations_as_they_appear() {
    let mut reader = reader("BenchmarkA", &["-cpu=1"]);
    assert_eq!(reader.line("goos: linux"), 0);
    assert_eq!(reader.line("BenchmarkA \t 1\t 2 ns/op"), 1);
    assert_eq!(reader.line("BenchmarkA \tlog text"), 1);
    assert_eq!(reader.line("more text"), 1);
    assert_eq!(reader.line("       3\t 4 ns/op"), 2);
    assert_eq!(reader.line("       3\t 4 ns/op"), 2, "numbers without a name are nobody's");
}

#[test]
fn other_benchmarks_are_passed_over() {
    let text = "BenchmarkA/x-2 \t 1\t 2 ns/op\nBenchmarkB-2 \t 1\t 2 ns/op\nBenchmarkA-2 \ttext\n\
                BenchmarkB-2 \t 1\t 2 ns/op\n       7\t 7 ns/op\nBenchmarkA-2 \t 5\t 3 ns/op\n";
    check("BenchmarkA", &["-cpu=2"], text, &[5], &[("time", &[3e-9])]);
    check("BenchmarkA-2", &["-cpu=2"], "BenchmarkA-2-2 \t 5\t 3 ns/op", &[5], &[("time", &[3e-9])]);
    check("BenchmarkA-4", &["-cpu=1,4"], "BenchmarkA-4 \t 5\t 3 ns/op", &[5], &[("time", &[3e-9])]);
    check("BenchmarkA-1", &["-cpu=1,4"], "BenchmarkA \t 5\t 3 ns/op", &[5], &[("time", &[3e-9])]);
}

#[test]
fn a_metric_without_a_value_for_each_iteration_is_left_out() {
    let text = "BenchmarkA \t 1\t 2 ns/op\t 1 x\nBenchmarkA \t 1\t 2 ns/op\n";
    let reading = check("BenchmarkA", &["-cpu=1"], text, &[1, 1], &[("time", &[2e-9, 2e-9])]);
    assert_eq!(reading.diagnostics[0].message, "`x` left out: 1 values for 2 iterations");
    let text = "BenchmarkA \t 1\t 2 ns/op\nBenchmarkA \t 1\t 2 ns/op\t 1 x\t 1 x\n";
    check("BenchmarkA", &["-cpu=1"], text, &[1, 1], &[("time", &[2e-9, 2e-9])]);
}

#[test]
fn a_line_cut_off_by_the_end_of_the_process_does_not_count() {
    let whole = "BenchmarkA \t 1\t 2 ns/op\t 0 B/op\t 0 allocs/op\n";
    let expected: &[(&str, &[f64])] = &[("time", &[2e-9]), ("B/op", &[0.0]), ("allocs/op", &[0.0])];
    for cut in [
        "BenchmarkA \t 1\t 2 ns/op\t 0 B/op\t 0 allocs/o",
        "BenchmarkA \t 1\t 2 ns/op\t 0 B/op",
        "BenchmarkA \t 1\t 2 n",
    ] {
        let reading = check("BenchmarkA", &["-cpu=1"], &format!("{whole}{cut}"), &[1], expected);
        assert_eq!(reading.diagnostics, [], "{cut}");
    }
}

#[test]
fn bad_times_are_kept_and_other_bad_numbers_left_out() {
    let reading =
        read("BenchmarkA", &["-cpu=1"], "BenchmarkA \t 1\t NaN ns/op\t NaN x\nBenchmarkA 1 0 ns/op 1 x");
    let time = reading.measurement.series("time").unwrap();
    assert!(time.values[0].is_nan());
    assert_eq!(time.values[1], 0.0);
    assert_eq!(reading.measurement.series.len(), 1);
    assert_eq!(reading.diagnostics[0].message, "`x` left out: not a finite number");
    check("BenchmarkA", &["-cpu=1"], "BenchmarkA 1 -5 ns/op", &[1], &[("time", &[-5e-9])]);
    check("BenchmarkA", &["-cpu=1"], "BenchmarkA 1 5 widgets", &[1], &[("widgets", &[5.0])]);
}

#[test]
fn reported_units_cannot_pose_as_ours() {
    let text = "BenchmarkA 1 2 ns/op 3 time 4 B/s";
    let expected: &[(&str, &[f64])] =
        &[("time", &[2e-9]), ("reported:time", &[3.0]), ("reported:B/s", &[4.0])];
    check("BenchmarkA", &["-cpu=1"], text, &[1], expected);
}

#[test]
fn lines_that_only_look_like_results_make_the_trial_fail() {
    let check = |text: &str, operations: Option<u64>, expected: &str| {
        let operations = operations.and_then(NonZeroU64::new);
        let shape = TrialShape {
            args: vec!["-cpu=1".into()],
            operations,
            ..TrialShape::fixed(2, Duration::from_millis(1))
        };
        let mut reader = Box::new(TrialReader::new(&BenchmarkId::new("go", "p", "BenchmarkA"), &shape));
        for line in text.lines() {
            reader.line(line);
        }
        let reading = reader.finish(Path::new(""));
        let said = reading.diagnostics.first().map(|first| first.message.clone()).unwrap_or_default();
        assert!(said.starts_with(expected) && said.is_empty() == expected.is_empty(), "{said}");
        assert_eq!(reading.measurement.series.is_empty(), !expected.is_empty(), "{text}");
    };
    let whole = "BenchmarkA \t 100\t 2 ns/op\t 0 B/op\t 0 allocs/op\n";
    check(&whole.repeat(2), Some(100), "");
    check(&whole.repeat(3), None, "printed 3 results where 2 were asked for");
    let bare = "BenchmarkA  1000  1.000 ns/op\n";
    check(&format!("{bare}{whole}"), None, "printed results with and without `allocs/op`");
    check(
        &format!("{bare}{bare}"),
        Some(100),
        "printed a result of 1000 operations where 100 were asked for",
    );
}

#[test]
fn a_failing_benchmark_is_quoted() {
    let text = "--- FAIL: BenchmarkA\n    a_test.go:6: boom\n        second\nFAIL\n    not this\n";
    let reading = check("BenchmarkA", &["-cpu=2"], text, &[], &[]);
    assert_eq!(reading.diagnostics[0].to_string(), "error: p:BenchmarkA: failed: a_test.go:6: boom; second");
}

#[test]
fn captured_outputs_are_read() {
    let check = |file: &str, name: &str, iterations: usize, metrics: &[&str]| {
        let reading = read(name, &["-cpu=2"], &fixture(file));
        assert_eq!(reading.measurement.operations.len(), iterations, "{file} {name}");
        let found: Vec<_> =
            reading.measurement.series.iter().map(|series| series.metric.name.as_str()).collect();
        assert_eq!(found, metrics, "{file} {name}");
        for series in &reading.measurement.series {
            assert_eq!(series.values.len(), iterations, "{file} {name}");
        }
    };
    let plain = ["time", "B/op", "allocs/op"];
    check("go1.26.8/count3.txt", "BenchmarkSum", 3, &plain);
    check("go1.26.8/count3.txt", "BenchmarkThroughput", 3, &["time", "B/s", "B/op", "allocs/op"]);
    let custom = ["time", "p99-ns", "rows/s", "widgets", "B/op", "allocs/op"];
    check("go1.26.8/count3.txt", "BenchmarkReported", 3, &custom);
    check("go1.26.8/count3.txt", "BenchmarkOnlyReported", 3, &["widgets", "B/op", "allocs/op"]);
    check("go1.26.8/count3.txt", "BenchmarkTalking/without_line_end", 3, &plain);
    check("go1.26.8/count3.txt", "BenchmarkTalking/lines", 3, &plain);
    check("go1.26.8/count3.txt", "BenchmarkTalking/log", 3, &plain);
    check("go1.26.8/count3.txt", "BenchmarkNames/a.b*c(d|e)[f]{2}^$+?", 3, &plain);
    check("go1.26.8/count3.txt", "BenchmarkNames/n-2", 3, &plain);
    check("go1.26.8/truncated.txt", "BenchmarkSum", 2, &plain);
    check("go1.26.8/verbose.txt", "BenchmarkTalking/lines", 2, &plain);
    check("go1.26.8/failing.txt", "BenchmarkFailing/fails", 0, &[]);
    check("go1.26.8/failing.txt", "BenchmarkFailing/works", 2, &plain);
    check("foreign.txt", "BenchmarkSum", 0, &[]);
    check("garbage.bin", "BenchmarkSum", 0, &[]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_lines_are_no_panic(lines in proptest::collection::vec(any::<String>(), 0..20)) {
        let mut reader = reader("BenchmarkA/ü", &["-cpu=2"]);
        for line in &lines {
            reader.line(line);
        }
        reader.finish(Path::new(""));
    }

    #[test]
    fn almost_results_are_no_panic_and_series_are_never_ragged(
        lines in proptest::collection::vec("(x|--- FAIL: )?(BenchmarkA/ü(-2)?)?[ \t]{0,3}[0-9]{0,22}(\t? ?[-+]?[0-9.eNainf]{0,9} (ns/op|MB/s|B/op|x|ü)?){0,4}", 0..20)
    ) {
        let mut reader = reader("BenchmarkA/ü", &["-cpu=2"]);
        let mut last = 0;
        for line in &lines {
            let now = reader.line(line);
            prop_assert!(now == last || now == last + 1);
            last = now;
        }
        let reading = reader.finish(Path::new(""));
        for series in &reading.measurement.series {
            prop_assert_eq!(series.values.len(), reading.measurement.operations.len());
            prop_assert!(series.resolution.is_finite() && series.resolution >= 0.0);
        }
    }
}
