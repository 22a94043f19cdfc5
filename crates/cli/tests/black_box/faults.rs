//! Files that tell of failures, and repositories that are not to be trusted: an error never looks like "nothing got slower".

use std::os::unix::fs::symlink;

use crate::sandbox::{Answer, Sandbox};

/// Compares two files; head's is the second.
fn compared(sandbox: &Sandbox, base: &str, head: &str, more: &str) -> Answer {
    sandbox.write("old.txt", base);
    sandbox.write("new.txt", head);
    sandbox.say(&format!("compare old.txt new.txt {more}"))
}

/// Compares a good file with one that tells of a failure, in every format of output that can say it.
#[track_caller]
fn check(good: &str, bad: &str, reason: &str) {
    let sandbox = Sandbox::empty();
    let answer = compared(&sandbox, good, bad, "").exits(1);
    assert!(answer.stdout.contains(reason), "{}", answer.describe());
    assert!(!answer.stdout.contains("removed"), "{}", answer.describe());
    for format in ["json", "markdown", "html", "csv", "junit"] {
        let answer = compared(&sandbox, good, bad, &format!("--format {format}")).exits(1);
        assert!(answer.stderr.contains(reason), "{format}: {}", answer.describe());
    }
    let junit = compared(&sandbox, good, bad, "--format junit").stdout;
    let total = junit.lines().nth(1).unwrap_or_default();
    assert!(junit.contains("<error ") && !total.contains("errors=\"0\""), "{junit}");
    // The same fault in base.
    let answer = compared(&sandbox, bad, good, "").exits(1);
    assert!(!answer.stdout.contains("added"), "{}", answer.describe());
}

const GO: &str = "goos: linux\npkg: p\nBenchmarkA-2 \t 10\t 5.0 ns/op\nBenchmarkB-2 \t 10\t 5.0 ns/op\nPASS\nok  \tp\t1s\n";

#[test]
fn a_go_test_that_failed_is_an_error() {
    let begin = "goos: linux\npkg: p\nBenchmarkA-2 \t 10\t 5.0 ns/op\n";
    let with = |rest: &str| format!("{begin}{rest}");
    let dead = "panic: oh no\n\ngoroutine 8 [running]:\nexit status 2\nFAIL\tp\t0.1s\n";
    check(GO, &with(dead), "a test program died: panic: oh no");
    check(GO, &with(&format!("BenchmarkB-2 \t{dead}")), "a test program died: panic: oh no");
    check(
        GO,
        &with("--- FAIL: BenchmarkB\n    b_test.go:5: boom\nFAIL\nexit status 1\nFAIL\tp\t0.1s\n"),
        "`BenchmarkB` failed",
    );
    check(GO, &with("exit status 3\nFAIL\tp\t0.1s\n"), "a test program failed");
    check(GO, &with("PASS\nok  \tp\t1s\nFAIL\tq [build failed]\n"), "q [build failed]");
    check(GO, &with("BenchmarkB-2 \t"), "ends before the result of `BenchmarkB-2`");
    check(
        GO,
        &with("PASS\nok  \tp\t1s\npkg: q\nBenchmarkC-2 \t 10\t 5.0 ns/op\n"),
        "ends before the last test program does",
    );
    check(GO, &with("BenchmarkB-2 \t 10\t 5.0 n"), "ends in the middle of a line");
}

#[test]
fn failures_in_other_formats_are_errors() {
    let google = |rest: &str| {
        format!(
            r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{{"name": "A", "run_name": "A", "run_type": "iteration", "iterations": 1, "real_time": 2, "cpu_time": 2, "time_unit": "ns"}}{rest}]}}"#
        )
    };
    let other = r#", {"name": "B", "run_name": "B", "run_type": "iteration", "iterations": 1, "real_time": 2, "cpu_time": 2, "time_unit": "ns"}"#;
    let failed = r#", {"name": "B", "run_name": "B", "run_type": "iteration", "error_occurred": true, "error_message": "no disk"}"#;
    check(&google(other), &google(failed), "`B` failed: no disk");
    check(&google(other), &google(other)[..260], "ends");
    let hyperfine = |b: &str| {
        format!(
            r#"{{"results": [{{"command": "a", "mean": 1, "times": [1, 1], "exit_codes": [0, 0]}}, {{"command": "b", {b}}}]}}"#
        )
    };
    check(
        &hyperfine(r#""mean": 1, "times": [1, 1], "exit_codes": [0, 0]"#),
        &hyperfine(r#""mean": 0.1, "times": [0.1, 0.1], "exit_codes": [1, 1]"#),
        "all 2 runs of `:b` failed",
    );
    let pytest = |b: &str| {
        format!(
            r#"{{"machine_info": {{}}, "benchmarks": [{{"name": "a", "fullname": "f.py::a", "stats": {{"data": [1, 1], "mean": 1}}}}, {{"name": "b", "fullname": "f.py::b", {b}}}]}}"#
        )
    };
    check(
        &pytest(r#""stats": {"data": [1, 1], "mean": 1}"#),
        &pytest(r#""failed": true, "stats": null"#),
        "f.py:b` failed",
    );
    let jmh = |b: &str| {
        format!(
            r#"[{{"jmhVersion": "1.37", "benchmark": "p.C.a", "mode": "avgt", "primaryMetric": {{"score": 1, "scoreUnit": "ns/op", "rawData": [[1, 1]]}}}}, {{"jmhVersion": "1.37", "benchmark": "p.C.b", "mode": "avgt", "primaryMetric": {b}}}]"#
        )
    };
    check(
        &jmh(r#"{"score": 1, "scoreUnit": "ns/op", "rawData": [[1, 1]]}"#),
        &jmh(r#"{"score": "NaN", "scoreUnit": "ns/op", "rawData": [[]]}"#),
        "p:C.b` has no values that count",
    );
}

#[test]
fn values_that_cannot_be_are_left_out_in_every_format() {
    let pyperf = |values: &str| {
        format!(
            r#"{{"benchmarks": [{{"metadata": {{"name": "a"}}, "runs": [{{"warmups": [[1, 2.0]], "values": [1.0]}}]}}, {{"metadata": {{"name": "b"}}, "runs": [{{"warmups": [[1, 2.0]], "values": {values}}}]}}], "version": "1.0"}}"#
        )
    };
    check(&pyperf("[1.0]"), &pyperf("[-1.0]"), "b` has no values that count");
    let bencher =
        |b: &str| format!(r#"{{"a": {{"latency": {{"value": 1}}}}, "b": {{"latency": {{"value": {b}}}}}}}"#);
    let action = |b: &str| {
        format!(
            r#"[{{"name": "a", "unit": "ns/op", "value": 1}}, {{"name": "b", "unit": "ns/op", "value": {b}}}]"#
        )
    };
    for value in ["-2", "0"] {
        check(&bencher("1"), &bencher(value), "b` has no values that count");
        check(&action("1"), &action(value), "b` has no values that count");
    }
}

#[test]
fn runs_of_a_command_that_failed_do_not_count() {
    let sandbox = Sandbox::empty();
    let file = |times: &str, codes: &str| {
        format!(r#"{{"results": [{{"command": "a", "times": {times}, "exit_codes": {codes}}}]}}"#)
    };
    let good = file("[1, 1.01, 1.02, 1.01, 1, 1.02]", "[0, 0, 0, 0, 0, 0]");
    let some = file("[1, 0.1, 1.02, 0.1, 1, 1.02]", "[0, 1, 0, null, 0, 0]");
    let answer = compared(&sandbox, &good, &some, "--format json").exits(0);
    assert!(!answer.stdout.contains("\"verdict\": \"faster\""), "{}", answer.describe());
    assert!(answer.stdout.contains("2 of 6 runs of `:a` failed; their times are left out"));
}

#[test]
fn what_leaves_nothing_to_compare_is_told_with_its_reason() {
    let hyperfine = |code: u8| {
        format!(
            r#"{{"results": [{{"command": "a", "mean": 1, "times": [1, 1], "exit_codes": [{code}, {code}]}}]}}"#
        )
    };
    let sandbox = Sandbox::empty();
    for more in ["", "--format json", "--format junit"] {
        let answer = compared(&sandbox, &hyperfine(0), &hyperfine(1), more).exits(1);
        answer.tells(&["no benchmark is on both sides", "all 2 runs of `:a` failed"]);
    }
}

#[test]
fn a_repository_does_not_say_where_results_go() {
    let sandbox = Sandbox::new();
    let elsewhere = tempfile::tempdir().expect("a directory");
    symlink(elsewhere.path(), sandbox.results()).expect("a link");
    for arguments in ["compare base head", "run", "list", "show", "export latest"] {
        sandbox.say(arguments).exits(2).tells(&["it is a symbolic link", "remove it"]);
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("a directory").count(), 0);
    let mut command = sandbox.command(&["list"]);
    command.env("BENCHWRIGHT_CACHE", "below/here");
    crate::sandbox::finished(&mut command).exits(1).tells(&["it is not an absolute path"]);
    assert!(!sandbox.results().with_file_name("below").exists());
}
