use std::fs;

use super::*;
use crate::{Executable, Harness};

/// The versions whose results were captured.
const VERSIONS: [&str; 4] = ["1.7.1", "2.3.0", "2.6.3", "2.10.0"];

fn fixture(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/python").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("fixture `{}`: {error}", path.display()))
}

/// The shape for which the results were captured.
fn shape(args: &[&str]) -> TrialShape {
    TrialShape {
        warmup_time: Duration::from_millis(4),
        args: args.iter().map(|arg| arg.to_string()).collect(),
        ..TrialShape::fixed(3, Duration::from_millis(2))
    }
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    fs::write(scratch.path().join(result_file::NAME), bytes).expect("a file");
    let benchmark = BenchmarkId::new("python", "benchmarks/bench_counting.py", name);
    Box::new(ValueReader::new(&benchmark, &shape(&[]))).finish(scratch.path())
}

#[test]
fn a_worker_that_calibrates_gives_warm_ups_and_values() {
    for version in VERSIONS {
        let file = format!("pyperf-{version}/calibrated.json");
        let reading = read("words", &fixture(&file));
        assert_eq!(reading.diagnostics, [], "{file}");
        let Measurement { warmup, operations, series, .. } = reading.measurement;
        let values = &series[0].values;
        assert_eq!((values.len() - warmup as usize, operations.len()), (3, values.len()), "{file}");
        assert!(warmup >= 2, "{file}: {operations:?}");
        assert!(operations.is_sorted() && operations[0] == 1, "loops only grow: {operations:?}");
        for (secs, loops) in values.iter().zip(&operations).skip(warmup as usize) {
            let batch = secs * *loops as f64;
            assert!((0.0005..0.5).contains(&batch), "{file}: {batch} s in {loops} loops");
        }
    }
}

#[test]
fn inner_loops_are_operations() {
    for version in VERSIONS {
        let reading = read("letters", &fixture(&format!("pyperf-{version}/inner-loops.json")));
        let operations = reading.measurement.operations;
        assert!(
            !operations.is_empty() && operations.iter().all(|count| count % 4 == 0),
            "{version}: {operations:?}"
        );
    }
}

#[test]
fn a_worker_with_fixed_loops_tells_values_apart() {
    for version in VERSIONS {
        let reading = read("words", &fixture(&format!("pyperf-{version}/fixed-loops.json")));
        let Measurement { warmup, operations, series, .. } = reading.measurement;
        assert_eq!((warmup, operations, series[0].values.len()), (2, vec![8; 5], 5), "{version}");
    }
}

#[test]
fn bytes_are_no_time() {
    for version in VERSIONS {
        let reading = read("words", &fixture(&format!("pyperf-{version}/tracemalloc.json")));
        assert_eq!(reading.measurement.main(), None, "{version}");
        assert!(reading.diagnostics[0].message.contains("`byte`"), "{version}: {:?}", reading.diagnostics);
    }
}

#[test]
fn what_makes_no_sense_is_a_doubt() {
    let check = |text: &str, words: &str| {
        let reading = read("a", text.as_bytes());
        assert!(reading.measurement.series.is_empty(), "{text}");
        assert!(reading.diagnostics.iter().any(|doubt| doubt.message.contains(words)), "{text}: {reading:?}");
    };
    check("{\"benchmarks\": [", "line 1 column 17");
    check("[]", "cannot understand");
    check(r#"{"benchmarks": [{"runs": []}], "metadata": {"name": "a"}}"#, "0 processes");
    check(r#"{"benchmarks": [{"runs": [{}]}], "metadata": {"name": "b"}}"#, "none of this benchmark");
    check(
        r#"{"benchmarks": [{"runs": [{"values": [1]}]}], "metadata": {"name": "a", "unit": "parsec"}}"#,
        "`parsec`",
    );
    check(r#"{"benchmarks": [{"runs": [{"values": [NaN]}]}], "metadata": {"name": "a"}}"#, "not numbers");
    let other = fixture("pytest-benchmark-5.1.0/words.json");
    assert_eq!(read("a", &other).diagnostics.len(), 1);
    assert_eq!(read("a", b""), Reading::default());
}

#[test]
fn a_clock_that_stood_still_in_calibration_leaves_no_value() {
    let text = r#"{"benchmarks": [{"runs": [{"warmups": [[1, 0.0], [2, 0.5], [2, 0.5], [2, 0.25], [2, 0.25]]}]}], "metadata": {"name": "a"}}"#;
    let reading = read("a", text.as_bytes());
    assert_eq!((reading.measurement.warmup, reading.measurement.operations), (1, vec![2; 4]));
}

#[test]
fn the_command_is_a_worker_for_one_benchmark() {
    let check = |args: &[&str], expected: &[&str]| {
        let executable = Executable {
            harness: "python".into(),
            package: "bench.py".into(),
            flavour: "pyperf".into(),
            flavour_version: "2.8.1".into(),
            path: "bench.py.json".into(),
            dir: "".into(),
            env: Vec::new(),
        };
        let benchmark = BenchmarkId::new("python", "bench.py", "count words");
        let command = crate::python::Python.command(&TrialRequest {
            root: Path::new("/tree"),
            out: Path::new("/out"),
            executable: &executable,
            benchmark: &benchmark,
            shape: &shape(args),
            scratch: Path::new("/scratch"),
        });
        let found: Vec<&str> = command.args.iter().filter_map(|arg| arg.to_str()).collect();
        assert_eq!(
            found[..6],
            ["/out/launch.py", "/out/bench.py.json", "run", "count words", "--worker", "--worker-task=0"]
        );
        assert_eq!(found[6..], *expected);
    };
    let output = "--output=/scratch/result.json";
    check(&[], &["--calibrate-loops", "--values=3", "--warmups=2", "--min-time=0.002000000", output]);
    check(&["--loops=8"], &["--values=3", "--warmups=2", "--min-time=0.002000000", output, "--loops=8"]);
    check(&["-l8", "-w", "0"], &["--values=3", "--min-time=0.002000000", output, "-l8", "-w", "0"]);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        read("words", &bytes);
    }

    #[test]
    fn any_mutation_of_a_result_is_read(at in 0usize..4000, byte: u8, cut in 0usize..4000) {
        let mut bytes = fixture("pyperf-2.10.0/calibrated.json");
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        read("words", &bytes);
    }
}
