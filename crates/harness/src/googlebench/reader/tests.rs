//! Real files of several versions of the library, and broken ones.

use std::fs;
use std::path::PathBuf;

use benchwright_model::{Direction, Nature};
use proptest::prelude::*;

use super::*;

fn reading(name: &str, text: &str) -> Reading {
    ResultReader::new(&BenchmarkId::new("googlebench", "p", name)).read(text.as_bytes())
}

fn row(fields: &str) -> String {
    format!("{{\n  \"benchmarks\": [\n    {{{fields}}}\n  ]\n}}\n")
}

#[test]
fn times_come_in_every_unit() {
    for (unit, expected) in [("ns", 2.5e-9), ("us", 2.5e-6), ("ms", 2.5e-3), ("s", 2.5)] {
        let text = row(&format!(
            "\"name\": \"A\", \"run_type\": \"iteration\", \"iterations\": 4, \"real_time\": 2.5e+00, \
             \"cpu_time\": 1.25e+00, \"time_unit\": \"{unit}\""
        ));
        let measurement = reading("A", &text).measurement;
        assert_eq!(measurement.series("time").expect("time").values, [expected]);
        assert_eq!(measurement.series("cpu-time").expect("cpu-time").values, [expected / 2.0]);
        assert_eq!(measurement.operations, [4]);
    }
}

#[test]
fn what_cannot_be_used_is_told() {
    let check = |fields: &str, expected: &str| {
        let reading = reading("A", &row(fields));
        assert_eq!(reading.measurement.series, [], "{fields}");
        let told: Vec<_> = reading.diagnostics.iter().map(ToString::to_string).collect();
        assert!(told.len() == 1 && told[0].contains(expected), "{fields}: {told:?}");
    };
    check("\"name\": \"A\", \"real_time\": 1, \"time_unit\": \"weeks\"", "unknown unit `weeks`");
    check("\"name\": \"A\", \"time_unit\": \"ns\"", "without `real_time`");
    check("\"name\": \"B\", \"real_time\": 1", "none of the 1 results is of this benchmark");
    check(
        "\"name\": \"A\", \"error_occurred\": true, \"error_message\": \"no file\", \"real_time\": 0",
        "failed: no file",
    );
    check("\"name\": \"A\", \"skipped\": true, \"skip_message\": \"not here\"", "skips itself: not here");
    check("\"name\": \"A\", \"error_occurred\": true", "p:A: failed");
    check("\"name\": \"A\" \"x\"", "results.json:3:");
}

#[test]
fn counters_keep_their_names_and_odd_values_cost_only_themselves() {
    let fields = "\"name\": \"A\", \"run_name\": \"A\", \"iterations\": 1, \"real_time\": 1, \"cpu_time\": 0, \
                  \"time_unit\": \"ns\", \"hits\": 3.0e+00, \"ratio\": NaN, \"time\": 7, \"iterations\": 8, \
                  \"label\": \"12\", \"max_bytes_used\": 771657252198320256, \"bytes_per_second\": 5, \"items_per_second\": 6";
    let reading = reading("A", &row(fields));
    let names: Vec<_> = reading.measurement.series.iter().map(|series| series.metric.name.as_str()).collect();
    assert_eq!(names, ["time", "cpu-time", "hits", "reported:time", "reported:iterations", "B/s", "items/s"]);
    let told: Vec<_> = reading.diagnostics.iter().map(|told| told.message.as_str()).collect();
    assert_eq!(told, ["`ratio` left out: not a finite number", "`max-bytes` left out: not a finite number"]);
}

#[test]
fn of_two_benchmarks_of_one_name_the_first_is_read() {
    let own = |index: u32, family: &str, time: u32| {
        format!("    {{\"name\": \"A\", {family} \"repetition_index\": {index}, \"real_time\": {time}}}")
    };
    let file = |rows: &[String]| format!("{{\"benchmarks\": [\n{}\n]}}", rows.join(",\n"));
    let check = |text: &str| {
        let measurement = reading("A", text).measurement;
        assert_eq!(measurement.series("time").expect("time").values, [1e-9, 2e-9], "{text}");
    };
    check(&file(&[own(0, "", 1), own(1, "", 2), own(0, "", 9), own(1, "", 9)]));
    let [first, second] = ["\"family_index\": 3,", "\"family_index\": 4,"];
    check(&file(&[own(0, first, 1), own(1, first, 2), own(2, second, 9)]));
}

#[test]
fn a_counter_that_some_repetitions_lack_is_left_out() {
    let text = "{\"benchmarks\": [\n    {\"name\": \"A\", \"real_time\": 1, \"x\": 1},\n    {\"name\": \"A\", \"real_time\": 2}\n]}";
    let reading = reading("A", text);
    assert_eq!(reading.measurement.series.len(), 1);
    assert_eq!(reading.diagnostics[0].message, "`x` left out: 1 values for 2 iterations");
}

#[test]
fn a_benchmark_that_reports_aggregates_only_has_its_centre() {
    let aggregate = |name: &str, time: u32| {
        format!(
            "    {{\"name\": \"A_{name}\", \"run_name\": \"A\", \"run_type\": \"aggregate\", \"aggregate_name\": \"{name}\", \
             \"iterations\": 3, \"real_time\": {time}, \"cpu_time\": {time}, \"time_unit\": \"us\"}}"
        )
    };
    let rows = ["mean", "median", "stddev"].iter().zip(1..).map(|(name, time)| aggregate(name, time));
    let text = format!("{{\"benchmarks\": [\n{}\n]}}", rows.collect::<Vec<_>>().join(",\n"));
    let reading = reading("A", &text);
    assert_eq!(reading.measurement.series("time").expect("time").values, [2e-6]);
    assert!(reading.measurement.operations.is_empty());
    assert_eq!(reading.diagnostics[0].severity, Severity::Note);
}

#[test]
fn missing_and_empty_files_are_told() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let finish = || {
        let reader = Box::new(ResultReader::new(&BenchmarkId::new("googlebench", "p", "A")));
        reader.finish(scratch.path())
    };
    assert!(finish().diagnostics[0].message.contains("wrote no results"));
    fs::write(scratch.path().join(RESULTS), "").expect("a file");
    assert!(finish().diagnostics[0].message.contains("no benchmark of this name ran"));
    fs::write(scratch.path().join(RESULTS), row("\"name\": \"A\", \"real_time\": 1")).expect("a file");
    assert_eq!(finish().diagnostics, []);
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/googlebench")
}

/// The captured files of that name, one per version of the library, with the version.
fn captured(name: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(fixtures()).expect("fixtures").flatten();
    let mut found: Vec<(String, String)> = entries
        .filter_map(|entry| {
            let text = fs::read_to_string(entry.path().join(name)).ok()?;
            Some((entry.file_name().to_string_lossy().into_owned(), text))
        })
        .collect();
    found.sort();
    assert!(found.len() >= 3, "captured files of several versions");
    found
}

/// The names in a captured list.
fn listed(version: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(fixtures().join(version).join(name)).expect("a list");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn every_listed_benchmark_is_found_in_the_results_of_every_version() {
    for (version, text) in captured("shelf.json") {
        let names = listed(&version, "shelf-list.txt");
        assert_eq!(names.len(), 13, "{version}");
        for name in names {
            let reading = reading(&name, &text);
            assert_eq!(reading.diagnostics, [], "{version}: {name}");
            let measurement = reading.measurement;
            let time = measurement.main().expect("time");
            assert_eq!((time.values.len(), measurement.operations.len()), (2, 2), "{version}: {name}");
            assert!(time.values.iter().all(|value| *value > 0.0 && *value < 0.01), "{version}: {name}");
            assert!(measurement.series("cpu-time").is_some(), "{version}: {name}");
        }
        let manual = reading("BM_Manual/manual_time", &text).measurement;
        assert!(manual.main().expect("time").values.iter().all(|value| (value - 2e-6).abs() < 1e-12));
        let put = reading("BM_Put/books:16/step:1", &text).measurement;
        assert_eq!(put.series("books").expect("a counter").values, [16.0, 16.0], "{version}");
        let rate = put.series("put_per_second").expect("a rate");
        assert_eq!(
            (rate.metric.direction, rate.metric.nature),
            (Direction::HigherIsBetter, Nature::Measured)
        );
        assert_eq!(put.series("items/s").expect("items").metric.nature, Nature::Derived);
    }
}

#[test]
fn failures_odd_counters_and_secretive_benchmarks_are_read_in_every_version() {
    for (version, text) in captured("odd.json") {
        // Versions before 1.5 do not escape quotes and backslashes, so these rows are not valid JSON.
        let is_escaped = !version.contains("1.4");
        let failed = reading("odd/fails", &text);
        assert_eq!(failed.measurement.series, [], "{version}");
        let broken = failed.diagnostics.iter().filter(|told| told.position.is_some()).count();
        if is_escaped {
            assert_eq!(failed.diagnostics[0].message, "failed: the \"catalogue\" is missing", "{version}");
            assert_eq!(reading("odd/back\\slash", &text).measurement.operations.len(), 2, "{version}");
        }
        assert_eq!(broken, if is_escaped { 0 } else { 7 }, "{version}: {:?}", failed.diagnostics);
        let counters = reading("odd/counters", &text);
        assert_eq!(counters.diagnostics.len(), broken + 2, "{version}: {:?}", counters.diagnostics);
        assert_eq!(counters.measurement.series("reported:time").expect("a counter").values, [3.0, 3.0]);
        // Without numbers of families and repetitions, benchmarks with the same name cannot be distinguished.
        let twice = reading("odd/twice", &text).measurement.operations.len();
        assert_eq!(twice, if is_escaped { 2 } else { 4 }, "{version}");
        assert_eq!(reading("odd/complexity/8", &text).measurement.operations.len(), 2, "{version}");
        let secretive = reading("odd/secretive/repeats:3", &text);
        assert_eq!(secretive.measurement.main().expect("a median").values.len(), 1, "{version}");
        for name in ["odd/[a]{2}^$", "odd/größe", "odd/with space"] {
            assert_eq!(reading(name, &text).measurement.operations.len(), 2, "{version}: {name}");
        }
    }
}

#[test]
fn memory_and_skipped_benchmarks_are_read() {
    let file = |name: &str| fs::read_to_string(fixtures().join("1.9.1").join(name)).expect("a file");
    let kept = reading("Keep", &file("memory.json"));
    assert_eq!(kept.diagnostics, []);
    let values = |name: &str| kept.measurement.series(name).map(|series| series.values.clone()).expect(name);
    assert_eq!(values("allocs/op"), [3.0], "48 allocations in 16 operations");
    assert_eq!(values("max-bytes"), [4096.0]);
    assert_eq!(values("total-allocated-bytes"), [8192.0]);
    assert_eq!(values("net-heap-growth"), [16.0]);
    let skipped = reading("Skip", &file("skipping.json"));
    assert_eq!(skipped.measurement.series, []);
    assert_eq!(skipped.diagnostics.len(), 1);
    assert_eq!(skipped.diagnostics[0].message, "skips itself: not on this machine");
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC*") {
        reading("A", &text);
        reading("A", &format!("{{\"benchmarks\": [\n    {{{text}"));
    }

    #[test]
    fn any_damage_to_a_real_file_is_survived(cut in 0usize..20_000, at in 0usize..20_000, byte in any::<u8>()) {
        for (_, text) in captured("odd.json") {
            let mut bytes = text.into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            reading("odd/counters", &String::from_utf8_lossy(&bytes));
            bytes.truncate(cut);
            reading("odd/counters", &String::from_utf8_lossy(&bytes));
        }
    }
}
