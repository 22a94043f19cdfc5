use crate::test_reading::check;

#[test]
fn measures_become_summaries() {
    check(
        r#"{"a": {"latency": {"value": 88, "lower_value": 80, "upper_value": 90}}, "b": 7, "c": {"x": {"value": "no"}}}"#,
        "bencher-metric-format\n  imported||a\n    summary time 8.80000e-8 lower 8.00000e-8 upper 9.00000e-8\n  \
         warning: file:1:78: expected an object, found a number\n  warning: file:1:102: expected a number, found `no`\n  \
         error: file:1:86: `:c` has no values that count",
    );
}

#[test]
fn measures_of_bencher_have_their_own_units() {
    check(
        r#"{"a": {"build-time": {"value": 3}, "file-size": {"value": 100}, "Throughput": {"value": 5}, "L1-Accesses": {"value": 7}}}"#,
        "bencher-metric-format\n  imported||a\n    summary build-time 3\n    summary file-size 100\n    summary throughput 5\n    \
         summary L1-Accesses 7",
    );
}
