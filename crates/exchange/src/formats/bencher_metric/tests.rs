use crate::test_reading::check;

#[test]
fn measures_become_summaries() {
    check(
        r#"{"a": {"latency": {"value": 88, "lower_value": 80, "upper_value": 90}}, "b": 7, "c": {"x": {"value": "no"}}}"#,
        "bencher-metric-format\n  imported||a\n    summary time 8.80000e-8 lower 8.00000e-8 upper 9.00000e-8\n  \
         warning: file:1:78: expected an object, found a number\n  warning: file:1:102: expected a number, found `no`\n  \
         warning: file:1:86: `:c` has no values",
    );
}
