use std::fs;

use super::*;
use crate::Harness;

/// The versions whose reports were captured.
const VERSIONS: [&str; 4] = ["3.4.1", "4.0.0", "5.1.0", "5.3.1"];

fn fixture(path: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/python").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("fixture `{}`: {error}", path.display()))
}

/// The shape for which the reports were captured.
fn shape() -> TrialShape {
    TrialShape { warmup_time: Duration::from_millis(2), ..TrialShape::fixed(4, Duration::from_millis(2)) }
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    fs::write(scratch.path().join(result_file::NAME), bytes).expect("a file");
    let benchmark = BenchmarkId::new("python", "tests/test_counting.py", name);
    Box::new(RoundReader::new(&benchmark, &shape())).finish(scratch.path())
}

#[test]
fn rounds_of_every_version_are_read() {
    for version in VERSIONS {
        let file = format!("pytest-benchmark-{version}/words.json");
        let reading = read("test_words", &fixture(&file));
        assert_eq!(reading.diagnostics, [], "{file}");
        let Measurement { warmup, operations, series, .. } = reading.measurement;
        let [time] = series.as_slice() else { panic!("{file}: {series:?}") };
        assert!(time.metric.is_time());
        let measured = time.values.len() - warmup as usize;
        assert_eq!((measured, operations.len()), (4, time.values.len()), "{file}: {time:?}");
        // A round was requested to take two milliseconds: seconds per call times calls.
        for (secs, calls) in time.values.iter().zip(&operations) {
            let round = secs * *calls as f64;
            assert!(*calls > 1 && (0.0005..0.2).contains(&round), "{file}: {round} s in {calls} calls");
        }
    }
}

#[test]
fn a_pedantic_test_keeps_its_own_rounds() {
    for version in VERSIONS {
        let reading = read(
            "TestLetters::test_pedantic",
            &fixture(&format!("pytest-benchmark-{version}/pedantic.json")),
        );
        let Measurement { warmup, operations, series, .. } = reading.measurement;
        assert_eq!((warmup, operations, series[0].values.len()), (0, vec![3; 20], 20), "{version}");
    }
}

#[test]
fn a_test_that_did_not_measure_has_no_result_and_no_doubt() {
    for version in VERSIONS {
        let skipped = read("test_skipped", &fixture(&format!("pytest-benchmark-{version}/skipped.json")));
        assert_eq!(skipped, Reading::default(), "{version}");
        // A test that fails after measuring has values. Its exit status shows that they do not count.
        let failing = read("test_failing", &fixture(&format!("pytest-benchmark-{version}/failing.json")));
        assert_eq!(failing.measurement.series.len(), 1, "{version}");
    }
}

#[test]
fn one_of_several_results_is_chosen_by_its_id() {
    let report = fixture("pytest-benchmark-5.1.0/whole-file.json");
    let reading = read("test_most_common[10]", &report);
    assert_eq!(reading.measurement.series.len(), 1, "{:?}", reading.diagnostics);
    let absent = read("test_absent", &report);
    assert_eq!((absent.measurement.series.len(), absent.diagnostics.len()), (0, 1));
}

#[test]
fn what_makes_no_sense_is_a_doubt() {
    let check = |text: &str, words: &str| {
        let reading = read("test_a", text.as_bytes());
        assert!(reading.measurement.series.is_empty(), "{text}");
        assert!(reading.diagnostics.iter().any(|doubt| doubt.message.contains(words)), "{text}: {reading:?}");
    };
    check("{\"benchmarks\": [", "line 1 column 17");
    check("{\"results\": []}", "no list of benchmarks");
    check(r#"{"benchmarks": [{"fullname": "a::test_a", "stats": {"mean": 1.0}}]}"#, "no rounds");
    check(r#"{"benchmarks": [{"fullname": "a::test_a", "stats": {"data": [NaN, null]}}]}"#, "not a number");
    let pyperf = fixture("pyperf-2.10.0/calibrated.json");
    assert_eq!(read("test_a", &pyperf).diagnostics.len(), 1);
}

#[test]
fn values_that_are_no_numbers_are_left_out_and_the_rest_is_read() {
    let text = r#"{"benchmarks": [{"fullname": "a::test_a", "extra_info": {"x": Infinity},
                   "stats": {"data": [1.0, NaN, 2.0], "iterations": 2}}]}"#;
    let reading = read("test_a", text.as_bytes());
    assert_eq!(reading.measurement.series[0].values, [1.0, 2.0]);
    assert_eq!((reading.measurement.operations, reading.diagnostics.len()), (vec![2, 2], 1));
}

/// The command line of a trial of this shape.
fn command(shape: &TrialShape) -> crate::TrialCommand {
    let executable = Executable {
        harness: "python".into(),
        package: "py/tests/test_a.py".into(),
        flavour: "pytest-benchmark".into(),
        flavour_version: "5.1.0".into(),
        path: "tests@test_a.py.json".into(),
        dir: "py".into(),
        env: Vec::new(),
    };
    let benchmark = BenchmarkId::new("python", "py/tests/test_a.py", "-test_b[x y]");
    crate::python::Python.command(&TrialRequest {
        root: Path::new("/tree"),
        out: Path::new("/out"),
        executable: &executable,
        benchmark: &benchmark,
        shape,
        scratch: Path::new("/scratch"),
    })
}

#[test]
fn the_command_names_one_test_and_the_shape() {
    let command = command(&TrialShape { args: vec!["--benchmark-disable-gc".into()], ..shape() });
    let args: Vec<&str> = command.args.iter().filter_map(|arg| arg.to_str()).collect();
    let expected = [
        "/out/launch.py",
        "/out/tests@test_a.py.json",
        "run",
        "-test_b[x y]",
        "tests/test_a.py",
        "--rootdir=/tree/py",
        "-q",
        "-rs",
        "--tb=short",
        "--color=no",
        "-o",
        "cache_dir=/scratch/cache",
        "--benchmark-storage=file:///scratch/storage",
        "--benchmark-json=/scratch/result.json",
        "--benchmark-min-rounds=4",
        "--benchmark-min-time=0.002000000",
        "--benchmark-max-time=0.010000000",
        "--benchmark-disable-gc",
    ];
    assert_eq!(args, expected);
    assert_eq!(command.program.as_deref(), Some("/out/venv/bin/python".as_ref()));
    let expected = [("PYTHONPYCACHEPREFIX", "/out/pycache"), ("PYTHONDONTWRITEBYTECODE", "")];
    assert_eq!(command.env, expected.map(|(name, value)| (name.to_owned(), value.into())));
}

#[test]
fn a_rule_sees_what_the_plug_in_would_warm_up_by_itself() {
    let has_warmup_off = |stop| {
        let command = command(&TrialShape { stop, ..shape() });
        command.args.iter().any(|arg| arg == "--benchmark-warmup=off")
    };
    assert!(has_warmup_off(crate::stop::tests::live(Duration::from_secs(30))));
    assert!(!has_warmup_off(crate::Stop::Fixed));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>) {
        read("test_words", &bytes);
    }

    #[test]
    fn any_mutation_of_a_report_is_read(at in 0usize..4000, byte: u8, cut in 0usize..4000) {
        let mut bytes = fixture("pytest-benchmark-5.1.0/words.json");
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        read("test_words", &bytes);
    }
}
