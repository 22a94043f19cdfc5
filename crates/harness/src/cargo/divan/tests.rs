use std::fs;

use benchwright_model::Measurement;
use proptest::prelude::*;

use super::*;

fn fixture(name: &str) -> String {
    let fixtures = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cargo/divan-0.1.21");
    fs::read_to_string(fixtures.join(name)).expect("the fixture")
}

fn read(name: &str, text: &str) -> Reading {
    let mut reader = RowReader::new(&BenchmarkId::new("cargo", "sets/sets", name));
    for line in text.lines() {
        assert_eq!(reader.line(line), 0);
    }
    Box::new(reader).finish(FilePath::new("/absent"))
}

/// Checks the value of a metric and its resolution.
#[track_caller]
fn check(name: &str, text: &str, metric: &str, value: f64, resolution: f64) {
    let reading = read(name, text);
    let series = reading.measurement.series(metric).unwrap_or_else(|| panic!("no {metric}: {reading:?}"));
    assert_eq!(series.values.len(), 1);
    assert!((series.values[0] / value - 1.0).abs() < 1e-12, "{series:?}");
    assert!((series.resolution / resolution - 1.0).abs() < 1e-9, "{series:?}");
}

const ALL: [&str; 11] = [
    "sets::contended::t=1",
    "sets::contended::t=2",
    "sets::unique::10",
    "sets::unique::1000",
    "sets::common",
    "sets::collections::sum of squares::4",
    "sets::collections::sum of squares::16",
    "sets::collections::collect::BTreeSet<u32>::8",
    "sets::collections::collect::BTreeSet<u32>::64",
    "sets::collections::collect::HashSet<u32>::8",
    "sets::collections::collect::HashSet<u32>::64",
];

#[test]
fn names_have_arguments_types_constants_and_thread_counts() {
    let names = names(Some(terse(&fixture("terse.txt"))), &fixture("test.txt"));
    assert_eq!(names, ALL);
}

#[test]
fn the_tree_alone_names_the_same_benchmarks() {
    let mut from_tree = names(None, &fixture("test.txt"));
    let mut expected = ALL;
    from_tree.sort();
    expected.sort();
    assert_eq!(from_tree, expected);
}

#[test]
fn a_truncated_tree_and_a_foreign_text_name_what_they_can() {
    let tree = fixture("test.txt");
    let cut = &tree[..tree.find("1000").expect("an argument")];
    assert_eq!(
        names(None, cut.trim_end()),
        ["sets::common", "sets::contended::t=1", "sets::contended::t=2", "sets::unique::10"]
    );
    assert_eq!(names(None, "running 2 tests\ntest sum ... bench: 1 ns/iter\n"), [""; 0]);
    assert_eq!(names(Some(terse("nothing")), ""), [""; 0]);
}

#[test]
fn the_terse_list_is_whole_since_0_1_19() {
    let check =
        |version: &str, expected: bool| assert_eq!(has_whole_terse_list(version), expected, "{version}");
    check("0.1.18", false);
    check("0.1.19", true);
    check("0.1.21", true);
    check("0.2.0", true);
    check("1.0.0-rc.1", true);
    check("", false);
}

#[test]
fn the_median_is_the_time_with_four_digits() {
    let text = fixture("exact.txt");
    check("sets::unique::1000", &text, "time", 7.2e-6, 0.001 / 7.2);
    check("sets::unique::1000", &text, "time-fastest", 7.059e-6, 0.001 / 7.059);
    check("sets::unique::1000", &text, "time-slowest", 4.063e-3, 0.001 / 4.063);
    check("sets::unique::1000", &text, "time-mean", 15.29e-6, 0.01 / 15.29);
    check("sets::unique::1000", &text, "B/s", 555.5e6, 0.1 / 555.5);
    check("sets::unique::1000", &text, "allocs/op", 1.0, 0.001);
    check("sets::unique::1000", &text, "B/op", 4000.0, 0.001 / 4.0);
    check("sets::unique::1000", &text, "max-B", 4000.0, 0.001 / 4.0);
    let reading = read("sets::unique::1000", &text);
    assert_eq!((reading.measurement.operations, reading.diagnostics), (vec![1023], vec![]));
}

#[test]
fn a_thread_count_is_selected_and_its_row_stands_under_the_plain_name() {
    check("sets::contended::t=2", &fixture("threads.txt"), "time", 1.82e-9, 0.001 / 1.82);
}

#[test]
fn every_row_of_a_full_run_is_found_under_its_own_path() {
    let text = fixture("bench.txt");
    for name in ALL.iter().filter(|name| !name.contains("contended")) {
        let reading = read(name, &text);
        assert_eq!(reading.diagnostics, [], "{name}");
        assert!(reading.measurement.series("time").is_some(), "{name}");
        let counts =
            reading.measurement.series.iter().filter(|series| series.metric.name == "allocs/op").count();
        let allocates = name.contains("unique") || name.contains("collect::");
        assert_eq!(counts, usize::from(allocates), "{name}");
    }
}

#[test]
fn several_thread_counts_without_a_choice_are_a_diagnostic() {
    let reading = read("sets::contended", &fixture("bench.txt"));
    assert_eq!(reading.measurement, Measurement::default());
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn ignored_absent_and_foreign_benchmarks_have_no_values() {
    for name in ["sets::left_out", "sets::collections", "unique::1000", "other::common"] {
        assert_eq!(read(name, &fixture("bench.txt")).measurement, Measurement::default(), "{name}");
    }
    assert_eq!(read("sum", "running 1 test\ntest sum ... bench: 1 ns/iter (+/- 0)\n"), Reading::default());
}

#[test]
fn rows_are_found_behind_what_benchmarks_print() {
    let text = fixture("printing.txt");
    check("printing::loud", &text, "time", 29.72e-9, 0.01 / 29.72);
    check("printing::loud_args::1", &text, "time", 7.228e-9, 0.001 / 7.228);
    check("printing::loud_args::2", &text, "time", 0.524e-9, 0.001 / 0.524);
}

#[test]
fn a_truncated_row_has_no_value() {
    let text = fixture("exact.txt");
    let cut = &text[..text.find("15.29").expect("the mean")];
    assert_eq!(read("sets::unique::1000", cut).measurement, Measurement::default());
}

#[test]
fn commands_measure_for_the_whole_time_and_choose_threads() {
    let shape =
        TrialShape { args: vec!["--timer=tsc".into()], ..TrialShape::fixed(5, Duration::from_millis(100)) };
    let check = |name: &str, expected: &str| {
        let args: Vec<_> =
            command(name, &shape).args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        assert_eq!(args.join(" "), format!("--bench --color never --min-time 0.5 --max-time 0.5 {expected}"));
    };
    check("a::b c::10", "--timer=tsc --exact a::b c::10");
    check("a::b::t=4", "--threads 4 --timer=tsc --exact a::b");
    check("a::b::t=4x", "--timer=tsc --exact a::b::t=4x");
}

proptest! {
    #[test]
    fn no_text_makes_the_readers_panic(
        lines in proptest::collection::vec("(│  |   ){0,3}(├─ |╰─ )?[a-z:µ(=)]{0,5} {0,4}[0-9.]{0,6} ?(ns|µs|KB|:)?( │ ?[0-9.]{0,4} ?(ns|B/s|KB)?){0,6}", 0..12),
        noise in ".{0,80}",
    ) {
        let text = format!("a\n{}\n{noise}\n{}", lines.join("\n"), lines.join("\n\n"));
        for name in ["a", "a::b", "", "a::t=1"] {
            let reading = read(name, &text);
            prop_assert!(reading.measurement.series.iter().all(|series| !series.values.is_empty()));
        }
        names(None, &text);
        names(Some(terse(&noise)), &text);
    }
}

#[test]
fn a_benchmark_that_prints_rows_fails() {
    let text = fixture("printing.txt");
    let real = text.lines().find(|line| line.contains("29.72 ns")).expect("the row");
    let row = "1 ns          │ 1 ns          │ 1 ns          │ 1 ns          │ 100     │ 100";
    let forged = [
        // Before the real row, after it, under the benchmark's own name, and inside the real row.
        text.replace(real, &format!("{row}\n{real}")),
        text.replace(real, &format!("{real}\n{row}")),
        text.replace(real, &format!("╰─ loud  {row}\n{real}")),
        text.replace(real, &format!("{row}\nx{}", real.trim_start())),
        // Allocations and throughput without times.
        text.replace(real, &format!("alloc:  │  │  │  │  │\n{real}")),
        text.replace(real, &format!("{}\n{real}", row.replace("1 ns", "1 GB/s"))),
    ];
    for text in forged {
        let reading = read("printing::loud", &text);
        assert_eq!(reading.measurement, Measurement::default(), "{text}");
        let said = reading.diagnostics.iter().map(ToString::to_string).collect::<String>();
        assert!(said.contains("look like rows of divan"), "{said}\n{text}");
    }
}

#[test]
fn a_row_that_divan_did_not_live_to_print_does_not_count() {
    let text = fixture("exact.txt");
    // The benchmark prints a row after the name that divan has printed, and then ends the process.
    let cut = &text[..text.find("            566.6 MB/s").expect("the next line")];
    let reading = read("sets::unique::1000", cut);
    assert_eq!(reading.measurement, Measurement::default());
    let said = reading.diagnostics.iter().map(ToString::to_string).collect::<String>();
    assert!(said.contains("ended before divan did"), "{said}");
}
