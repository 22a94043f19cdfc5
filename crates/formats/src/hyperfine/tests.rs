use crate::test_reading::check;

#[test]
fn runs_that_failed_do_not_count() {
    check(
        r#"{"results": [{"command": "sleep", "times": [0.5, 0.25], "user": 0.1, "exit_codes": [0, null]}]}"#,
        "hyperfine\n  command||sleep\n    process operations [1] time [0.5]\n  \
         warning: file:1:14: 1 of 2 runs of `:sleep` failed; their times are left out",
    );
    check(
        r#"{"results": [{"command": "sleep", "times": [0.5], "mean": 0.5, "exit_codes": [1]}]}"#,
        "hyperfine\n  error: file:1:14: all 1 runs of `:sleep` failed\n  warning: file: has no results of benchmarks",
    );
}

#[test]
fn every_run_is_a_process() {
    check(
        r#"{"results": [{"command": "sleep", "times": [0.5, 0.25], "memory_usage_byte": [1000, 2000], "exit_codes": [0, 0],
            "parameters": {"n": "3"}}]}"#,
        "hyperfine\n  command||sleep(n=3)\n    process operations [1] time [0.5] max-rss [1000]\n    \
         process operations [1] time [0.25] max-rss [2000]",
    );
}

#[test]
fn without_times_there_is_a_summary() {
    check(
        r#"{"results": [{"command": "sleep 1", "mean": 1.0, "stddev": null, "median": 1.5, "user": 0.5, "min": 0.5, "max": 2}]}"#,
        "hyperfine\n  command||sleep 1\n    summary user-time 0.5 mean 0.5\n    \
         summary time 1 mean 1 median 1.5 least 0.5 greatest 2",
    );
}

#[test]
fn memory_that_some_runs_lack_is_left_out() {
    check(
        r#"{"results": [{"command": "sleep 3", "times": [0.5, 0.25], "memory_usage_byte": [1000], "exit_codes": [0, 0], "parameters": {"n": "3"}}]}"#,
        "hyperfine\n  command||sleep 3\n    process operations [1] time [0.5]\n    process operations [1] time [0.25]",
    );
}
