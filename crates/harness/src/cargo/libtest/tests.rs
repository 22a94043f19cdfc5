use std::fs;
use std::path::Path;
use std::time::Duration;

use benchwright_model::Measurement;
use proptest::prelude::*;

use super::*;

fn fixture(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cargo").join(path);
    fs::read_to_string(path).expect("the fixture")
}

fn read(name: &str, text: &str) -> Reading {
    let mut reader = LineReader::new(&BenchmarkId::new("cargo", "p/bench", name));
    for line in text.lines() {
        assert_eq!(reader.line(line), 0);
    }
    Box::new(reader).finish(Path::new("/absent"))
}

/// Checks the single time in seconds and its resolution.
#[track_caller]
fn check(name: &str, text: &str, seconds: f64, resolution: f64) {
    let reading = read(name, text);
    assert_eq!(reading.diagnostics, []);
    let series = reading.measurement.series("time").expect("a time");
    assert_eq!(series.values.len(), 1);
    assert!((series.values[0] / seconds - 1.0).abs() < 1e-12, "{series:?}");
    assert!((series.resolution / resolution - 1.0).abs() < 1e-9, "{series:?}");
}

const NIGHTLY: &str = "libtest-1.97.0-nightly";

#[test]
fn lines_of_the_nightly_compiler_are_read() {
    let text = fixture(&format!("{NIGHTLY}/bench.txt"));
    check("sum", &text, 4_969.25e-9, 0.01 / 4_969.25);
    check("sum_small", &text, 3.97e-9, 0.01 / 3.97);
    check("inner::empty", &text, 0.47e-9, 0.01 / 0.47);
    check("sum", &fixture(&format!("{NIGHTLY}/exact.txt")), 7_416.71e-9, 0.01 / 7_416.71);
    let rate = read("sum", &text).measurement.series("B/s").expect("a rate").values.clone();
    assert_eq!(rate, [16_099e6]);
}

#[test]
fn lines_of_the_bencher_crate_are_read_and_only_the_exact_name_counts() {
    let text = fixture("bencher-0.1.5/filtered.txt");
    check("sum", &text, 11e-9, 1.0 / 11.0);
    check("sum_of_many", &text, 1_818e-9, 1.0 / 1_818.0);
    assert_eq!(read("sum_of", &text).measurement, Measurement::default());
    assert_eq!(measured(&text), ["sum", "sum_of_many"]);
}

#[test]
fn ignored_benchmarks_and_foreign_text_have_no_result() {
    assert_eq!(read("left_out", &fixture(&format!("{NIGHTLY}/bench.txt"))), Reading::default());
    assert_eq!(read("sum", &fixture("divan-0.1.21/bench.txt")), Reading::default());
}

#[test]
fn a_truncated_line_is_a_diagnostic() {
    let text = fixture(&format!("{NIGHTLY}/exact.txt"));
    let cut = &text[..text.find("ns/iter").expect("a time")];
    let reading = read("sum", cut);
    assert_eq!(reading.measurement, Measurement::default());
    assert!(reading.diagnostics[0].message.contains("7,416.71"), "{:?}", reading.diagnostics);
    assert_eq!(read("sum", &text[..text.find("bench").expect("a result")]), Reading::default());
}

#[test]
fn a_result_that_libtest_did_not_live_to_print_does_not_count() {
    let text = fixture(&format!("{NIGHTLY}/exact.txt"));
    // The benchmark prints a result after the name that libtest has printed, and then ends the process.
    let reading = read("sum", &text[..text.find("test result:").expect("the end")]);
    assert_eq!(reading.measurement, Measurement::default());
    assert!(reading.diagnostics[0].message.contains("ended before libtest did"), "{:?}", reading.diagnostics);
}

#[test]
fn other_units_names_with_separators_and_printed_lines_are_understood() {
    check("a ... b", "test a ... b ... bench: 1.5 ms/iter (+/- 0)", 1.5e-3, 0.1 / 1.5);
    check("loud", "test loud ... hello\nbench:          12 ns/iter (+/- 1)", 12e-9, 1.0 / 12.0);
    check(
        "loud",
        "test loud ... hello bench:          12 ns/iter (+/- 1)\ntest x ... bench: 1 ns/iter",
        12e-9,
        1.0 / 12.0,
    );
}

#[test]
fn a_time_of_zero_stays_zero() {
    let reading = read("x", "test x ... bench:           0 ns/iter (+/- 0)");
    assert_eq!(reading.measurement.series[0].values, [0.0]);
    assert_eq!(reading.measurement.series[0].resolution, 1.0);
}

#[test]
fn negative_and_strange_times_are_diagnostics() {
    for value in ["-5", "NaN", "inf", "1e3"] {
        let reading = read("x", &format!("test x ... bench: {value} ns/iter (+/- 0)"));
        assert_eq!((reading.measurement.series.len(), reading.diagnostics.len()), (0, 1), "{value}");
    }
}

#[test]
fn lists_are_read_and_libtests_own_are_known() {
    let list = fixture(&format!("{NIGHTLY}/list.txt"));
    assert_eq!(listed(&list).collect::<Vec<_>>(), ["inner::empty", "left_out", "sum", "sum_small"]);
    assert!(is_own_list(&list));
    assert!(is_own_list(&fixture(&format!("{NIGHTLY}/ignored.txt"))));
    assert!(!is_own_list("a: benchmark\nfew tests, many benchmarks\n"));
}

#[test]
fn commands_select_by_exact_name_or_by_text() {
    let shape = TrialShape { args: vec!["--quiet".into()], ..TrialShape::fixed(5, Duration::from_secs(1)) };
    assert_eq!(command("a b", &shape).args, ["--bench", "--exact", "--quiet", "a b"]);
    assert_eq!(command("-x", &shape).args, ["--bench", "--exact", "--quiet", "--", "-x"]);
    assert_eq!(bencher_command("a", &shape).args, ["--bench", "a", "--quiet"]);
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        noise in ".{0,80}",
        line in "test [a ]{0,3} \\.\\.\\. (bench:)? *[0-9,.eE+-]{0,8} ?(ns|µs|s)?/?(iter)?( = [0-9]{0,30} [KMi]{0,2}B/s)?",
    ) {
        let text = format!("{line}\n{noise}\n{line}{noise}\nbench: {noise} /iter");
        for name in ["a", "", "a a"] {
            let reading = read(name, &text);
            prop_assert!(reading.measurement.series.iter().all(|series| !series.values.is_empty()));
        }
        measured(&text);
        is_own_list(&text);
    }
}

#[test]
fn two_results_of_one_process_are_none() {
    let line = "test sum ... bench:  12.50 ns/iter (+/- 0.10)\n";
    assert_eq!(read("sum", line).measurement.series.len(), 1);
    let twice = read("sum", &line.repeat(2));
    assert_eq!(twice.measurement, Measurement::default());
    assert!(twice.diagnostics[0].message.starts_with("printed 2 results where one was asked for"));
}
