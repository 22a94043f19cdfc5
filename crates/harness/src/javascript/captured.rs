//! Reads the captured outputs of all tested releases of the libraries.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::BenchmarkId;
use proptest::prelude::*;

use super::list;
use crate::protocol::{self, Message, SampleReader};
use crate::{Reader, Reading, StepOutput};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/javascript")
}

/// Every captured output, with its path for messages.
fn captured() -> Vec<(String, String)> {
    let directories =
        fs::read_dir(fixtures()).expect("fixtures").flatten().filter(|entry| entry.path().is_dir());
    let files = directories.flat_map(|entry| fs::read_dir(entry.path()).expect("a directory").flatten());
    let texts =
        files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "txt"));
    texts.map(|path| (path.display().to_string(), fs::read_to_string(path).expect("a text"))).collect()
}

/// The name of the benchmark that an output belongs to.
fn told_name(text: &str) -> Option<String> {
    text.lines().find_map(|line| match protocol::parse(line)?.ok()? {
        Message::Sample(sample) => Some(sample.benchmark),
        Message::Error { benchmark, .. } => Some(benchmark),
        _ => None,
    })
}

fn read(name: &str, text: &str) -> Reading {
    let mut reader = Box::new(SampleReader::new(&BenchmarkId::new("javascript", "p/a.js", name)));
    for line in text.lines() {
        reader.line(line);
    }
    reader.finish(Path::new(""))
}

#[test]
fn every_release_tells_four_samples_of_a_benchmark() {
    let mut trials = 0;
    for (path, text) in captured() {
        let Some(name) = told_name(&text).filter(|_| !path.ends_with("throws.txt")) else { continue };
        let reading = read(&name, &text);
        assert_eq!((reading.diagnostics.as_slice(), reading.measurement.warmup), (&[][..], 1), "{path}");
        let time = reading.measurement.series("time").expect("time");
        assert_eq!(time.values.len(), 4, "{path}");
        assert!(time.values.iter().all(|value| *value > 0.0 && *value < 0.1), "{path}: {:?}", time.values);
        // Each batch took about the requested 10 ms, on a machine with other work.
        for (seconds, operations) in time.values.iter().zip(&reading.measurement.operations) {
            let batch = seconds * *operations as f64;
            assert!((0.001..1.0).contains(&batch), "{path}: a batch of {batch} s");
        }
        trials += 1;
    }
    assert!(trials >= 30, "{trials}");
}

#[test]
fn every_release_tells_what_a_benchmark_threw() {
    let thrown: Vec<_> = captured().into_iter().filter(|(path, _)| path.ends_with("throws.txt")).collect();
    assert_eq!(thrown.len(), 6);
    for (path, text) in thrown {
        let reading = read(&told_name(&text).expect("an error names its benchmark"), &text);
        assert!(reading.measurement.series.is_empty(), "{path}");
        assert_eq!(reading.diagnostics[0].message, "TypeError: boom", "{path}");
    }
}

#[test]
fn every_release_names_its_benchmarks() {
    let check = |release: &str, expected: &[&str]| {
        let text = fs::read_to_string(fixtures().join(release).join("list.txt")).expect(release);
        let listing = list::read("p/a.js", &StepOutput { stdout: text, ..StepOutput::default() });
        let names: Vec<&str> = listing.benchmarks.iter().map(|id| id.name.as_str()).collect();
        assert_eq!((names.as_slice(), listing.diagnostics.as_slice()), (expected, &[][..]), "{release}");
    };
    check("benchmark-1.0.0", &["later", "strings/upper", "strings/split"]);
    for release in ["benchmark-2.0.0", "benchmark-2.1.4"] {
        check(release, &["cache/get", "cache/get missing", "set", "set#2", "deferred", "alone"]);
    }
    check("tinybench-2.9.0", &["fast", "promise", "throws", "hooks"]);
    for release in ["3.1.1", "4.1.0", "5.1.0", "6.0.0", "6.2.3"] {
        let names = ["group/fast", "group/promise", "group/throws", "group/hooks", "sync"];
        check(&format!("tinybench-{release}"), &names);
    }
    for release in ["1.6.1", "2.1.9", "3.2.4", "4.1.12"] {
        check(&format!("vitest-{release}"), &["words/of a page/count", "words/count", "nothing"]);
    }
}

proptest! {
    #[test]
    fn any_change_of_a_captured_output_can_be_read(which in 0_usize..1000, at in 0_usize..20_000, byte: u8, cut in 0_usize..20_000) {
        let all = captured();
        let (_, text) = &all[which % all.len()];
        let mut bytes = text.as_bytes().to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut % length + 1);
        let text = String::from_utf8_lossy(&bytes);
        read(&told_name(&text).unwrap_or_default(), &text);
        list::read("p", &StepOutput { stdout: text.into_owned(), ..StepOutput::default() });
    }
}
