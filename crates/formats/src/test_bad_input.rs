//! Practical problems with files, for every format: there is a diagnostic with line and column, and the rest
//! is still read. Cuts, line ends and encodings are in `test_damage`, endless files in `tests/memory.rs`.

use std::collections::BTreeSet;

use crate::reading::columns::MOST;
use crate::test_damage::{CONTENTS, benchmarks, values};
use crate::test_reading::{account, check};
use crate::{Format, read};

/// The position of the last letter of a benchmark's name in a file: of the complete name in quotes, of the
/// name, or of its longest word.
fn letter_of(name: &str, text: &[u8]) -> Option<usize> {
    let words = name.split(|letter: char| !letter.is_ascii_alphabetic());
    let longest = words.max_by_key(|word| word.len()).filter(|word| word.len() > 2)?;
    let end = |needle: &str, word: &str| {
        let at = memchr::memmem::rfind(text, needle.as_bytes())?;
        Some(at + needle.find(word)? + word.len() - 1)
    };
    end(&format!("\"{name}\""), longest).or_else(|| end(name, longest)).or_else(|| end(longest, longest))
}

#[test]
fn a_name_that_is_not_utf_8_is_said_in_every_format_of_text() {
    let mut formats = BTreeSet::new();
    for (name, text) in CONTENTS.iter() {
        let whole = read(name, text).unwrap();
        let format = whole[0].format;
        let Some(at) = letter_of(&whole[0].benchmarks[0].id.name, text) else { continue };
        if format == Format::Parquet {
            continue;
        }
        let mut bytes = text.clone();
        bytes[at] = 0xff;
        let found = read(name, &bytes).unwrap();
        assert!(!benchmarks(&found).is_empty() && values(&found) <= values(&whole), "{name}");
        if benchmarks(&found) == benchmarks(&whole) {
            // The word is in a part of the file that is not read in either case.
            continue;
        }
        let said = found[0].diagnostics.iter().map(ToString::to_string);
        let said: Vec<String> = said.filter(|text| text.contains("not UTF-8")).collect();
        assert!(!said.is_empty(), "{name}: {}", account(&found));
        formats.insert(format);
    }
    assert!(formats.len() >= 6, "{formats:?}");
}

#[test]
fn duplicate_names_are_further_processes_in_every_list_of_results() {
    let check = |text: &str, expected: &str| {
        let list = read("file", text.as_bytes()).unwrap();
        let found = account(&list);
        assert!(found.contains("is here a second time; its values are added"), "{found}");
        assert!(found.contains(expected), "{found}");
        assert_eq!(list[0].benchmarks.len(), 1, "{found}");
    };
    check(
        r#"{"results": [{"command": "ls", "times": [1, 2], "mean": 1.5}, {"command": "ls", "times": [3], "mean": 3}]}"#,
        "process operations [1] time [3]",
    );
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a"}, "runs": [{"values": [1]}]}, {"metadata": {"name": "a"}, "runs": [{"values": [2]}]}], "version": "1.0"}"#,
        "process operations [1] time [2]",
    );
    check(
        r#"{"machine_info": {}, "benchmarks": [
            {"name": "t", "fullname": "f.py::t", "stats": {"data": [1], "mean": 1}},
            {"name": "t", "fullname": "f.py::t", "stats": {"data": [2], "mean": 2}}]}"#,
        "time [2]",
    );
}

#[test]
fn units_never_seen_are_kept_under_their_name_or_said() {
    check(
        r#"[{"name": "a", "unit": "furlongs", "value": 3}]"#,
        "github-action-benchmark\n  imported||a\n    summary furlongs 3",
    );
    check(
        "BenchmarkX 1 3 furlongs\n",
        "benchfmt\n  go||BenchmarkX (structure unknown)\n    process operations [1] furlongs [3]",
    );
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a", "unit": "furlong"}, "runs": [{"values": [1]}]}], "version": "1.0"}"#,
        "pyperf\n  python||a\n    process operations [1] furlong [1]",
    );
    check(
        r#"{"a": {"furlongs": {"value": 3}}}"#,
        "bencher-metric-format\n  imported||a\n    summary furlongs 3",
    );
}

#[test]
fn time_and_throughput_under_one_name_are_two_benchmarks() {
    let check = |text: &str| {
        let list = read("file", text.as_bytes()).unwrap();
        let found = account(&list);
        assert!(found.contains("measures different things under one name, kept apart as"), "{found}");
        assert_eq!(list[0].benchmarks.len(), 2, "{found}");
    };
    check("BenchmarkX 1 2 ns/op\nBenchmarkX 1 500 ops/s\n");
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a"}, "runs": [{"values": [1]}]},
            {"metadata": {"name": "a", "unit": "ops/s"}, "runs": [{"values": [2]}]}], "version": "1.0"}"#,
    );
}

#[test]
fn a_file_of_another_tool_is_told_what_was_looked_for() {
    for text in [
        "TAP version 13\nok 1 - x\n",
        "<testsuite/>",
        "{\"Benchmarks\": 7}",
        "a;b;c\n1;2;3\n",
        "PK\x03\x04zip",
    ] {
        let error = read("file", text.as_bytes()).unwrap_err();
        assert!(
            error.hint().starts_with("looked for jmh-json, samples-json, samples-csv, parquet"),
            "{text}: {error}"
        );
    }
}

/// Ten thousand unknown names with numbers, as members of an object.
fn unknown_members() -> String {
    (0..10_000).map(|number| format!("\"unknown {number}\": {number}, ")).collect()
}

#[test]
fn unknown_names_without_end_do_not_become_metrics_without_end() {
    let members = unknown_members();
    let mut formats = BTreeSet::new();
    for (name, text) in CONTENTS.iter().filter(|(_, text)| text.len() < 1 << 16) {
        let Ok(text) = std::str::from_utf8(text) else { continue };
        // In the first objects of the file.
        for (at, _) in text.match_indices('{').take(12) {
            let rest = &text[at + 1..];
            if rest.trim_start().starts_with('}') {
                continue;
            }
            let longer = format!("{{{members}{rest}");
            let Ok(found) = read(name, format!("{}{longer}", &text[..at]).as_bytes()) else { continue };
            let all = found.iter().flat_map(|set| &set.benchmarks);
            let metrics = all.flat_map(|it| {
                let of_processes = it.processes.iter().map(|process| process.series.len());
                of_processes.chain([it.summaries.len()])
            });
            assert!(metrics.max().unwrap_or(0) <= MOST + 1, "{name} at {at}");
            formats.insert(found[0].format);
        }
    }
    assert!(formats.len() >= 6, "{formats:?}");
}

#[test]
fn more_metrics_than_any_tool_reports_are_left_out_and_said() {
    let counters: String = (0..300).map(|number| format!(", \"c{number}\": 1")).collect();
    let rows = r#"{"name": "A", "run_name": "A", "run_type": "iteration", "iterations": 1, "real_time": 2, "cpu_time": 2, "time_unit": "ns""#;
    let google = format!(r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{rows}{counters}}}]}}"#);
    let secondary: String = (0..300)
        .map(|number| format!("\"m{number}\": {{\"score\": 1, \"scoreUnit\": \"#\", \"rawData\": [[1]]}}, "))
        .collect();
    let jmh = format!(
        r#"[{{"jmhVersion": "1.37", "benchmark": "p.C.a", "mode": "avgt", "primaryMetric": {{"score": 1, "scoreUnit": "ns/op", "rawData": [[1]]}}, "secondaryMetrics": {{{}}}}}]"#,
        secondary.trim_end_matches(", ")
    );
    let measures: String = (0..300).map(|number| format!("\"m{number}\": {{\"value\": 1}}, ")).collect();
    let bencher = format!(r#"{{"a": {{{measures}"latency": {{"value": 1}}}}}}"#);
    for text in [google, jmh, bencher] {
        let list = read("file", text.as_bytes()).unwrap();
        let said = account(&list);
        assert!(said.contains("has more than 256 metrics, the rest is left out"), "{said}");
        assert_eq!(list[0].benchmarks.len(), 1, "{said}");
        let main = list[0].benchmarks[0].processes.first().and_then(|process| process.main());
        let summary = list[0].benchmarks[0].summaries.iter().find(|summary| summary.metric.is_time());
        assert!(main.is_some() || summary.is_some(), "{said}");
    }
}
