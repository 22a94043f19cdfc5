use std::path::Path;

use benchwright_model::{BenchmarkId, Direction, Nature, Unit};
use proptest::prelude::*;

use super::*;
use crate::{Reader, Reading};

fn read(lines: &[&str]) -> Reading {
    let mut reader = Box::new(SampleReader::new(&BenchmarkId::new("shim", "words", "count")));
    for line in lines {
        reader.line(line);
    }
    reader.finish(Path::new("."))
}

fn sample(rest: &str) -> String {
    format!("{PREFIX}{{\"sample\": {{\"benchmark\": \"count\", {rest}}}}}")
}

fn words(reading: &Reading) -> Vec<String> {
    reading.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn samples_become_series_and_other_lines_are_passed_over() {
    let first = sample(r#""seconds": 2e-6, "operations": 10, "warmup": true, "metrics": {"B/op": 3}"#);
    let second = sample(r#""seconds": 1e-6, "operations": 20, "metrics": {"B/op": 4}"#) + "\r";
    let reading = read(&["hello", "##benchwright {\"protocol\": 1}", &first, "# note", &second, ""]);
    assert_eq!(words(&reading), Vec::<String>::new());
    let measurement = reading.measurement;
    assert_eq!((measurement.warmup, measurement.operations.as_slice()), (1, &[10, 20][..]));
    assert_eq!(measurement.series("time").map(|series| series.values.clone()), Some(vec![2e-6, 1e-6]));
    let bytes = measurement.series("B/op").expect("bytes");
    assert_eq!((bytes.values.as_slice(), bytes.metric.nature), (&[3.0, 4.0][..], Nature::Counted));
}

#[test]
fn the_captured_output_of_a_shim_is_understood() {
    let run = include_str!("../../../../fixtures/shim/protocol-1/run.txt");
    let reading = read(&run.lines().collect::<Vec<_>>());
    assert_eq!(words(&reading), Vec::<String>::new());
    let measurement = reading.measurement;
    assert_eq!((measurement.series.len(), measurement.series[0].values.len()), (1, 5));
    assert!(measurement.series[0].values.iter().all(|seconds| (1e-5..1e-3).contains(seconds)));
    assert!(measurement.operations.iter().all(|operations| *operations == measurement.operations[0]));
    let found = listing("shim", "words", include_str!("../../../../fixtures/shim/protocol-1/list.txt"));
    let names: Vec<String> = found.benchmarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        (names, found.diagnostics.len()),
        (vec!["words:count".to_owned(), "words:longest".to_owned()], 0)
    );
}

#[test]
fn the_reader_counts_iterations_as_they_appear() {
    let mut reader = SampleReader::new(&BenchmarkId::new("shim", "words", "count"));
    assert_eq!(reader.line("words"), 0);
    assert_eq!(reader.line(&sample("\"seconds\": 1")), 1);
    assert_eq!(reader.line("##benchwright {\"sample\": {\"benchmark\": \"other\", \"seconds\": 1}}"), 1);
    assert_eq!(reader.line(&sample("\"seconds\": 2")), 2);
}

#[test]
fn metrics_get_their_meaning_from_their_names() {
    let check = |name: &str, unit: Unit, direction: Direction| {
        let reading = read(&[&sample(&format!("\"seconds\": 1, \"metrics\": {{\"{name}\": 2}}"))]);
        let metric = &reading.measurement.series[1].metric;
        assert_eq!((&metric.unit, metric.direction), (&unit, direction), "{name}");
    };
    check("cpu-time", Unit::Seconds, Direction::LowerIsBetter);
    check("max-rss", Unit::Bytes, Direction::LowerIsBetter);
    check("rows/s", Unit::Other("rows/s".into()), Direction::HigherIsBetter);
    check("hits", Unit::Other("hits".into()), Direction::Unknown);
    check("time", Unit::Other("reported:time".into()), Direction::Unknown);
}

#[test]
fn what_makes_no_sense_is_told_with_its_place_and_the_rest_is_read() {
    let good = sample("\"seconds\": 1");
    let reading = read(&[
        &good,
        "##benchwright {\"sample\": {\"benchmark\": \"count\"}}",
        "##benchwright {\"simple\": 1}",
        "##benchwright {\"sample\": ",
        "##benchwright nonsense",
        &sample("\"seconds\": NaN"),
        &good,
    ]);
    assert_eq!(reading.measurement.series[0].values, [1.0, 1.0]);
    let told = words(&reading);
    assert_eq!(told.len(), 5, "{told:#?}");
    let place = "warning: words:count, standard output:";
    assert!(
        told[0].starts_with(&format!("{place}2:")) && told[0].contains("missing field `seconds`"),
        "{told:#?}"
    );
    assert!(told[1].starts_with(&format!("{place}3:")) && told[1].contains("`simple`"), "{told:#?}");
    assert!(told[2].starts_with(&format!("{place}4:")) && told[2].contains("EOF"), "{told:#?}");
}

#[test]
fn an_error_takes_back_what_was_measured() {
    let reading = read(&[
        &sample("\"seconds\": 1"),
        "##benchwright {\"error\": {\"benchmark\": \"other\", \"message\": \"not ours\"}}",
        "##benchwright {\"error\": {\"benchmark\": \"count\", \"message\": \"out of cheese\"}}",
    ]);
    assert_eq!(reading.measurement.series.len(), 0);
    assert_eq!(words(&reading), ["error: words:count: out of cheese"]);
}

#[test]
fn warm_up_is_at_the_beginning_and_not_everything() {
    let (warm, measured) = (sample("\"seconds\": 9, \"warmup\": true"), sample("\"seconds\": 1"));
    let reading = read(&[&warm, &warm]);
    assert_eq!(reading.measurement.series.len(), 0);
    assert_eq!(words(&reading), ["error: words:count: every iteration is warm-up"]);
    let reading = read(&[&measured, &warm, &measured]);
    assert_eq!(reading.measurement.series[0].values, [1.0, 1.0]);
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn what_not_every_iteration_tells_is_left_out() {
    let reading = read(&[
        &sample("\"seconds\": 1, \"operations\": 3, \"metrics\": {\"x\": 1}"),
        &sample("\"seconds\": 1"),
    ]);
    assert_eq!(reading.measurement.operations, Vec::<u64>::new());
    assert_eq!(reading.measurement.series.len(), 1);
    assert_eq!(words(&reading), ["warning: words:count: `x` left out: 1 values for 2 iterations"]);
}

#[test]
fn a_newer_protocol_and_foreign_samples_are_told() {
    let foreign = "##benchwright {\"sample\": {\"benchmark\": \"other\", \"seconds\": 1}}";
    let reading = read(&["##benchwright {\"protocol\": 2}", foreign, foreign]);
    let told = words(&reading);
    assert!(told[0].contains("uses version 2"), "{told:#?}");
    assert!(told[1].contains("2 samples of other benchmarks were left out"), "{told:#?}");
}

#[test]
fn memory_is_bounded_whatever_is_printed() {
    let mut reader = Box::new(SampleReader::new(&BenchmarkId::new("shim", "words", "count")));
    for i in 0..300 {
        reader.line(&sample(&format!("\"seconds\": 1, \"metrics\": {{\"m{i}\": 1}}")));
        reader.line("##benchwright what?");
        reader.line(&format!("##benchwright {{\"error\": {{\"message\": \"{}\"}}}}", "x".repeat(50_000)));
    }
    reader.line(&format!("{PREFIX}{}", "[".repeat(1 << 20)));
    let reading = reader.finish(Path::new("."));
    let told = words(&reading);
    assert!(told.len() <= 50 && told.iter().map(String::len).sum::<usize>() < 100_000, "{}", told.len());
    assert!(told.iter().any(|text| text.contains("further lines were not understood")));
}

#[test]
fn benchmarks_are_listed_once_each_in_their_order() {
    let output = "building\n##benchwright {\"protocol\": 1}\n##benchwright {\"benchmark\": \"b\"}\r\n\
                  ##benchwright {\"benchmark\": \"a b/n=1\"}\n##benchwright {\"benchmark\": \"b\"}\n\
                  ##benchwright {\"benchmark\": \"\"}\n##benchwright {\"benchmark\": 3}\n\
                  ##benchwright {\"error\": {\"message\": \"no data\"}}\n";
    let found = listing("shim", "words", output);
    let names: Vec<&str> = found.benchmarks.iter().map(|id| id.name.as_str()).collect();
    assert_eq!(names, ["b", "a b/n=1"]);
    let told: Vec<String> = found.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 4, "{told:#?}");
    assert_eq!(told[0], "warning: words, standard output:5:1: `b` is listed twice");
    assert_eq!(told[3], "error: words: no data");
}

#[test]
fn people_see_errors_and_their_own_lines() {
    let check = |line: &str, expected: Option<&str>| assert_eq!(plain(line).as_deref(), expected, "{line}");
    check("panic: x", Some("panic: x"));
    check("##benchwright {\"error\": {\"message\": \"out of cheese\"}}", Some("out of cheese"));
    check("##benchwright {\"protocol\": 1}", None);
    check(&sample("\"seconds\": 1"), None);
    check("##benchwright {", Some("##benchwright {"));
}

fn messages() -> impl Strategy<Value = Message> {
    let text = "\\PC{0,20}";
    // Numbers with few digits, because the last digit of longer ones depends on the JSON parser.
    let exact = any::<i16>().prop_map(|n| f64::from(n) / 8.0);
    let metrics = prop::collection::btree_map(text, exact.clone(), 0..4);
    let sample = (text, exact, any::<Option<u64>>(), any::<bool>(), metrics).prop_map(
        |(benchmark, seconds, operations, warmup, metrics)| {
            Message::Sample(Sample { benchmark, seconds, operations, warmup, metrics })
        },
    );
    prop_oneof![
        any::<u32>().prop_map(Message::Protocol),
        text.prop_map(Message::Benchmark),
        (text, text).prop_map(|(benchmark, message)| Message::Error { benchmark, message }),
        sample,
    ]
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(message in messages()) {
        prop_assert_eq!(parse(&message.line()), Some(Ok(message)));
    }

    #[test]
    fn any_bytes_never_make_the_reader_panic(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let texts: Vec<String> =
            lines.iter().map(|bytes| format!("{PREFIX}{}", String::from_utf8_lossy(bytes))).collect();
        read(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        listing("shim", "words", &texts.join("\n"));
    }

    #[test]
    fn any_mutation_of_a_real_line_never_makes_it_panic(message in messages(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = message.line().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let text = String::from_utf8_lossy(&bytes);
        let _ = (parse(&text), plain(&text), read(&[&text]));
        let cut = String::from_utf8_lossy(&bytes[..at]);
        let _ = (parse(&cut), read(&[&cut]));
    }
}

#[test]
fn only_a_watched_program_tells_its_latest_time_and_is_ended_when_nothing_more_is_kept() {
    let sample = r#"##benchwright {"sample": {"benchmark": "count", "seconds": 0.25}}"#;
    for is_watched in [false, true] {
        let mut reader = SampleReader::new(&BenchmarkId::new("shim", "words", "count")).watched(is_watched);
        assert_eq!(reader.latest(), None);
        assert_eq!(reader.line(sample), 1);
        assert_eq!(reader.latest(), is_watched.then_some(0.25));
        (1..100_000).for_each(|_| {
            reader.line(sample);
        });
        assert!(!reader.is_full());
        assert_eq!(reader.line(sample), 100_000);
        assert_eq!(reader.is_full(), is_watched);
    }
}
