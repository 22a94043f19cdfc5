use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::Stop;
use crate::jmh::harness::WITH_SHIM;
use crate::stop::tests::live;

/// The versions whose outputs were captured.
const VERSIONS: [&str; 4] = ["1.19", "1.21", "1.29", "1.37"];

const STEADY: Stop = live(Duration::from_secs(30));

fn reader(flavour: &str, stop: Stop, args: &[&str]) -> Box<TrialReader> {
    let executable = Executable {
        harness: "jmh".into(),
        package: "shelf-benchmarks".into(),
        flavour: flavour.into(),
        flavour_version: String::new(),
        path: "benchmarks.jar".into(),
        dir: "".into(),
        env: Vec::new(),
    };
    let shape = TrialShape {
        stop,
        args: args.iter().map(|arg| arg.to_string()).collect(),
        ..TrialShape::fixed(3, Duration::from_millis(20))
    };
    Box::new(TrialReader::new(
        &executable,
        &BenchmarkId::new("jmh", "org.example.shelf", "Sorting.fill"),
        &shape,
    ))
}

fn read(flavour: &str, text: &str) -> Reading {
    let mut reader = reader(flavour, STEADY, &[]);
    text.lines().for_each(|line| {
        reader.line(line);
    });
    reader.finish(Path::new(""))
}

fn fixture(path: &str) -> String {
    let path = format!("{}/../../fixtures/jmh/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn of_shim(file: &str, check: impl Fn(&Reading)) {
    for version in VERSIONS {
        let reading = read(WITH_SHIM, &fixture(&format!("{version}/{file}.txt")));
        check(&reading);
    }
}

fn of_text(file: &str, check: impl Fn(&Reading)) {
    for version in VERSIONS {
        let reading = read(TEXT, &fixture(&format!("{version}/text-{file}.txt")));
        check(&reading);
    }
}

fn names(reading: &Reading) -> Vec<&str> {
    reading.measurement.series.iter().map(|series| series.metric.name.as_str()).collect()
}

fn count(reading: &Reading, metric: &str) -> usize {
    reading.measurement.series(metric).map_or(0, |series| series.values.len())
}

/// Whether all values are between these, in seconds or operations per second.
fn are_between(reading: &Reading, metric: &str, low: f64, high: f64) -> bool {
    let series = reading.measurement.series(metric).unwrap_or_else(|| panic!("{metric}: {reading:?}"));
    series.values.iter().all(|value| (low..high).contains(value))
}

#[test]
fn average_times_come_with_allocations() {
    of_shim("avgt-gc", |reading| {
        assert_eq!(reading.diagnostics, []);
        assert_eq!((count(reading, "time"), reading.measurement.operations.len()), (5, 5));
        assert!(are_between(reading, "time", 1e-8, 1e-3), "{reading:?}");
        assert!(are_between(reading, "B/op", 40.0, 4000.0), "{reading:?}");
        assert!(names(reading).contains(&"gc.alloc.rate"));
    });
}

#[test]
fn every_mode_has_its_metric() {
    of_shim("thrpt", |reading| {
        assert_eq!(names(reading), ["throughput"]);
        assert!(are_between(reading, "throughput", 1e3, 1e9), "{reading:?}");
    });
    of_shim("sample", |reading| {
        let expected = ["time", "p0", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "p100"];
        assert_eq!(names(reading), expected);
        assert!(are_between(reading, "p50", 1e-9, 1e-3), "{reading:?}");
    });
    of_shim("ss", |reading| {
        assert_eq!((names(reading), count(reading, "time")), (vec!["time"], 4));
        assert_eq!(reading.measurement.warmup, 1);
    });
}

#[test]
fn the_suites_own_warm_up_is_kept_and_marked() {
    of_shim("fixed", |reading| {
        assert_eq!((reading.measurement.warmup, count(reading, "time"), count(reading, "B/op")), (2, 6, 6));
        assert_eq!(reading.diagnostics, []);
    });
}

#[test]
fn members_of_groups_and_counters_are_metrics() {
    of_shim("group", |reading| assert_eq!(names(reading), ["time", "read", "write"]));
    of_shim("counters", |reading| assert_eq!(names(reading), ["throughput", "even"]));
}

#[test]
fn what_a_benchmark_prints_is_no_result() {
    of_shim("talking", |reading| {
        assert_eq!(count(reading, "time"), 3);
        assert!(are_between(reading, "time", 1e-10, 9e-4), "{reading:?}");
    });
}

#[test]
fn a_failure_is_told_in_the_words_of_the_exception() {
    let expected = "java.lang.IllegalStateException: the shelf is empty";
    let check = |reading: &Reading| {
        assert_eq!(reading.measurement.series, []);
        assert_eq!(reading.diagnostics[0].message, expected);
    };
    of_shim("failure", check);
    of_text("failure", check);
}

#[test]
fn plain_text_is_read_as_far_as_it_goes() {
    of_text("avgt-gc", |reading| {
        assert_eq!((reading.measurement.warmup, count(reading, "time")), (2, 5));
        assert!(are_between(reading, "time", 1e-8, 1e-3), "{reading:?}");
        assert!(reading.measurement.series("time").is_some_and(|series| series.resolution > 1e-6));
    });
    of_text("precise", |reading| {
        assert_eq!((reading.measurement.warmup, count(reading, "time")), (1, 4));
        assert!(reading.measurement.series("time").is_some_and(|series| series.resolution < 1e-6));
    });
    of_text("talking", |reading| assert!(!are_wrong(reading), "{reading:?}"));
}

/// Whether output of the benchmark was read as a result.
fn are_wrong(reading: &Reading) -> bool {
    reading.measurement.main().is_some_and(|series| series.values.iter().any(|value| *value > 9e-4))
}

#[test]
fn powers_of_ten_are_read_with_their_resolution_and_a_doubt() {
    of_text("approximate", |reading| {
        let series = reading.measurement.series("time").expect("a time");
        assert!(are_between(reading, "time", 1e-9, 1e-3) && series.resolution == 1.0, "{reading:?}");
        assert!(reading.diagnostics[0].message.contains("too coarse"), "{:?}", reading.diagnostics);
    });
}

#[test]
fn the_value_for_the_stop_rule_is_the_last_one() {
    let lines: Vec<String> = fixture("1.37/avgt-gc.txt").lines().map(Into::into).collect();
    let check = |stop, args: &[&str], expected: bool| {
        let mut reader = reader(WITH_SHIM, stop, args);
        assert_eq!(reader.latest(), None);
        let counts: Vec<u32> = lines.iter().map(|line| reader.line(line)).collect();
        assert_eq!(counts.last(), Some(&5));
        assert_eq!(reader.latest().is_some(), expected);
        let latest = reader.latest();
        let reading = reader.finish(Path::new(""));
        let last = reading.measurement.series("time").and_then(|series| series.values.last().copied());
        assert!(latest.is_none() || latest == last);
    };
    check(STEADY, &[], true);
    check(Stop::Fixed, &[], false);
    check(STEADY, &["-i", "5"], false);
    let mut cold = reader(WITH_SHIM, STEADY, &[]);
    fixture("1.37/ss.txt").lines().for_each(|line| {
        cold.line(line);
    });
    assert_eq!(cold.latest(), None, "a single shot is not warmed up");
}

#[test]
fn the_stop_rule_sees_times_where_the_score_is_a_rate() {
    let mut watched = reader(WITH_SHIM, STEADY, &[]);
    watched.line("#benchwright\titeration\tmeasurement\tthrpt\t-\t\t4.0\tops/ms\t.");
    assert_eq!(watched.latest(), Some(1.0 / 4000.0));
}

#[test]
fn what_the_suite_would_do_by_itself_is_told() {
    let mut watched = reader(WITH_SHIM, STEADY, &[]);
    watched.line("#benchwright\tconfigured\t5\t1000000000\t3\t2000000000\t0\t.");
    let expected = Configured { time: Duration::from_secs(11), processes: 1 };
    assert_eq!(watched.configured(), Some(expected));
    // Invalid numbers cause a diagnostic, like any line that is not understood.
    watched.line("#benchwright\tconfigured\t5\tlong\t3\t2\t1\t.");
    let reading = watched.finish(Path::new(""));
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn cut_lines_are_no_values_but_a_doubt() {
    let whole = fixture("1.37/avgt-gc.txt");
    let last = whole.trim_end().rfind("\t").expect("a field");
    let reading = read(WITH_SHIM, &whole[..last]);
    assert_eq!((count(&reading, "time"), reading.diagnostics.len()), (4, 1));
}

#[test]
fn line_ends_of_other_systems_do_not_matter() {
    let text = fixture("1.37/avgt-gc.txt");
    let strip = |reading: Reading| reading.measurement;
    assert_eq!(strip(read(WITH_SHIM, &text.replace('\n', "\r\n"))), strip(read(WITH_SHIM, &text)));
}

proptest! {
    #[test]
    fn any_damage_is_harmless(file in 0usize..4, at in any::<prop::sample::Index>(), bytes in "\\PC{0,20}", is_text in any::<bool>()) {
        let name = ["avgt-gc", "sample", "text-avgt-gc", "text-failure"][file];
        let text = fixture(&format!("1.29/{name}.txt"));
        let at = (0..=at.index(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let damaged = format!("{}{bytes}{}", &text[..at], &text[at..]);
        let reading = read(if is_text { TEXT } else { WITH_SHIM }, &damaged);
        for series in &reading.measurement.series {
            prop_assert!(!series.values.is_empty());
        }
    }

    #[test]
    fn any_lines_are_harmless(text in "(\\PC{0,60}\n){0,30}") {
        read(TEXT, &text);
        read(WITH_SHIM, &text);
    }
}

#[test]
fn lines_without_the_token_of_the_call_are_not_taken() {
    let line = |token: &str, value: &str| {
        format!("#benchwright{token}\titeration\tmeasurement\tavgt\t10\t\t{value}\tns/op\t.\n")
    };
    let begin = "#benchwright\ttoken\t5f0c\t.\n";
    let reading = read(WITH_SHIM, &format!("{begin}{}{}", line("-5f0c", "5"), line("-5f0c", "6")));
    assert_eq!((count(&reading, "time"), reading.diagnostics), (2, vec![]));
    for forged in
        [line("", "1"), line("-0000", "1"), begin.to_owned(), "#benchwright-x\tfailure\tno\t.\n".into()]
    {
        let reading =
            read(WITH_SHIM, &format!("{begin}{}{forged}{}", line("-5f0c", "5"), line("-5f0c", "6")));
        assert_eq!(reading.measurement, Measurement::default(), "{forged}");
        assert!(reading.diagnostics[0].message.contains("look like results"), "{reading:?}");
    }
    // A process that is stopped may leave an incomplete line.
    let reading = read(WITH_SHIM, &format!("{begin}{}#benchwright-5f", line("-5f0c", "5")));
    assert_eq!(count(&reading, "time"), 1);
    // Shims of older builds print no token.
    assert_eq!(count(&read(WITH_SHIM, &line("", "5")), "time"), 1);
}
