use crate::test_reading::check;

#[test]
fn runs_are_processes_with_their_warmups() {
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a"}, "runs": [{"warmups": [[1, 9]]}, {"metadata": {"loops": 4}, "warmups": [[2, 3]], "values": [1, 2]}]}],
            "metadata": {"inner_loops": 10, "python_version": "3.11"}}"#,
        "pyperf\n  python_version = 3.11\n  python||a\n    process warmup 1 operations [20, 40, 40] time [3 1 2]",
    );
}

#[test]
fn complete_runs_of_a_cut_file_survive() {
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a"}, "runs": [{"values": [1, 2]}, {"values": [3, 4]}, {"values": [5"#,
        "pyperf\n  python||a\n    process operations [1, 1] time [1 2]\n    process operations [1, 1] time [3 4]\n  \
         error: file:1:107: ends in the middle; what comes before is read",
    );
}

#[test]
fn what_a_run_says_counts_more_than_what_all_say() {
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a", "loops": 8}, "runs": [{"metadata": {"loops": 4}, "values": [1]}, {"values": [2]}]}],
            "metadata": {"loops": 2, "name": "b"}}"#,
        "pyperf\n  python||a\n    process operations [4] time [1]\n    process operations [8] time [2]",
    );
}

#[test]
fn warmups_that_are_no_times_are_left_out_with_the_others() {
    check(
        r#"{"benchmarks": [{"metadata": {"name": "a", "unit": "byte"}, "runs": [{"warmups": [[1, 9], [1, 0]], "values": [1, 2]}]}]}"#,
        "pyperf\n  python||a\n    process operations [1, 1] B/op [1 2]",
    );
}
