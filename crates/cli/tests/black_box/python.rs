//! The same with a real Python package.

use std::fs;
use std::path::Path;

use benchwright_model::{Position, WarmupEnd};

use crate::document::{compared, map};
use crate::sandbox::Sandbox;

/// The files of examples/python that this test needs; the rest would only take time.
const FILES: [&str; 5] = [
    "pyproject.toml",
    "requirements.txt",
    "src/tally/__init__.py",
    "tests/conftest.py",
    "benchmarks/bench_counting.py",
];

const TESTS: &str = "import tally\n\n\ndef test_words(benchmark, text):\n    benchmark(tally.words, text)\n\n\n\
                     class TestLetters:\n    def test_count(self, benchmark, text):\n        benchmark(tally.letters, text)\n";

/// A file of examples/python.
fn example(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python");
    fs::read_to_string(folder.join(path)).expect("a file of the example")
}

/// A repository with a version whose function `letters` does thirty times the work of the one before.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    let mut files: Vec<(&str, String)> = FILES.map(|path| (path, example(path))).to_vec();
    files.push(("tests/test_counting.py", TESTS.to_owned()));
    sandbox.commit(&files, "base");
    let slow = example("src/tally/__init__.py")
        .replace("for letter in text.lower():", "for letter in text.lower() * 30:");
    sandbox.commit(&[("src/tally/__init__.py", slow)], "head");
    sandbox
}

#[test]
fn a_python_package_is_listed_compared_and_measured() {
    let Some(_) = benchwright_testkit::tool("python3") else { return };
    let sandbox = sandbox();
    let listed =
        ["tests/test_counting.py", "TestLetters::test_count", "benchmarks/bench_counting.py", "most common"];
    sandbox.say("list base").exits(0).prints(&listed);

    // Every trial starts an interpreter, so only one benchmark and few duets: the factor is thirty.
    let short = "--iteration-time 2ms --iterations 2 --warmup-time 0ms --max-duets 8";
    let (document, _) = compared(&sandbox, &format!("base head --filter TestLetters {short}"), 3);
    assert_eq!(document.verdicts(), map(&[("TestLetters::test_count", "slower")]), "{:#}", document.0);

    let levels =
        "run --rev base --levels run=1,iteration=2,second=3 --iteration-time 2ms --filter :words$ --seed 7";
    sandbox.say(levels).exits(0);
    let trials = sandbox.stored("latest").trials;
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        assert!(matches!(trial.position, Position::Levels { .. }));
        let measurement = trial.outcome.measurement().expect("values");
        let values = measurement.series("time").map_or(0, |series| series.values.len());
        assert_eq!(values - measurement.warmup as usize, 3, "{measurement:?}");
        assert!(measurement.warmup > 0, "calibration is warm-up: {measurement:?}");
    }
}

/// Values come when the process has ended: the rule finds warm-up then, and how long the next process is follows from that.
#[test]
fn pypy_measures_until_a_rule_finds_it_warm() {
    let Some(_) = benchwright_testkit::tool("pypy3") else { return };
    let sandbox = Sandbox::empty();
    let mut files: Vec<(&str, String)> = ["pyproject.toml", "src/tally/__init__.py", "tests/conftest.py"]
        .map(|path| (path, example(path)))
        .to_vec();
    // PyPy is behind CPython, and the example's pins with it.
    files.push(("requirements.txt", "pytest-benchmark\n".to_owned()));
    files.push(("tests/test_counting.py", TESTS.to_owned()));
    files.push(("benchwright.toml", "[python]\nbuild-args = [\"--python\", \"pypy3\"]\n".to_owned()));
    sandbox.commit(&files, "base");
    let quick = "--iteration-time 5ms --max-warmup 1s --seed 7";
    let answer = sandbox.say(&format!("run --rev base --filter TestLetters {quick}")).exits(0);
    answer.prints(&["TestLetters::test_count", "stopped"]).tells(&["stop rule `steady`"]);

    let record = sandbox.stored("latest");
    let facts = &record.run.environment.facts;
    assert!(facts["python"].contains("PyPy"), "{facts:?}");
    for trial in &record.trials {
        let stopped = trial.stopped.as_ref().expect("a rule looked at it");
        let measurement = trial.outcome.measurement().expect("values");
        let count = measurement.main().map_or(0, |series| series.values.len());
        assert_eq!(stopped.rule, "steady");
        assert!(count >= 20, "{count} rounds: {stopped:?}");
        // On a busy machine values need not agree before the process ends; then nothing is called warm-up.
        let is_warm = measurement.warmup > 0 || stopped.end == WarmupEnd::Unsteady;
        assert!(is_warm && (measurement.warmup as usize) < count, "{stopped:?}");
    }
    assert!((2..=5).contains(&record.trials.len()), "as many as the rule asks for: {}", record.trials.len());
}
