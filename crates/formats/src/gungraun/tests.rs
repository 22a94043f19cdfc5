use crate::test_reading::check;

#[test]
fn counts_are_found_in_all_versions_of_the_schema() {
    let check_counts = |inner: &str| {
        let text = format!(
            "{{\"module_path\": \"b::g::f\", \"benchmark_exe\": \"x\", \"package_dir\": \"/p/q\", \"id\": \"c\", {inner}}}"
        );
        check(&text, "gungraun\n  cargo|q/b|g::f c\n    process operations [1] Ir [7]");
    };
    check_counts(
        r#""callgrind_summary": {"summaries": [{"events": {"Ir": {"new": 7, "old": 5, "diff_pct": 1.0, "factor": 2.0}}}]}"#,
    );
    check_counts(
        r#""callgrind_summary": {"callgrind_run": {"segments": [], "total": {"summary": {"Ir": {"diffs": null, "metrics": {"Both": [7, 5]}}}}}}"#,
    );
    check_counts(
        r#""callgrind_summary": {"callgrind_run": {"total": {"summary": {"Ir": {"metrics": {"Left": 7}}}}}}"#,
    );
    check_counts(
        r#""profiles": [{"tool": "Callgrind", "summaries": {"parts": [{"x": 1}], "total": {"regressions": [], "summary": {"Callgrind": {"Ir": {"metrics": {"Both": [{"Int": 7}, {"Int": 5}]}}}}}}}]"#,
    );
    check_counts(
        r#""profiles": [{"data": {"parts": [], "total": {"metrics": {"Ir": {"change": {"factor": "1"}, "values": {"new": 7, "old": 5}}}}}, "tool": "Callgrind"}]"#,
    );
}

#[test]
fn lines_between_summaries_are_passed_over() {
    let one = |id: &str| {
        format!(
            "{{\"module_path\": \"b::f\", \"benchmark_exe\": \"x\", \"package_dir\": \"q\", \"id\": \"{id}\", \"callgrind_summary\": \
             {{\"callgrind_run\": {{\"total\": {{\"summary\": {{\"Ir\": {{\"metrics\": {{\"Left\": 7}}}}}}}}}}}}}}"
        )
    };
    check(
        &format!("{}\nhello there\n{}\n", one("a"), one("b")),
        "gungraun\n  cargo|q/b|f a\n    process operations [1] Ir [7]\n  cargo|q/b|f b\n    process operations [1] Ir [7]\n  \
         warning: file:2:1: left out a line that is not a summary",
    );
}

#[test]
fn of_several_summaries_the_first_counts() {
    check(
        r#"{"module_path": "b::f", "benchmark_exe": "x", "package_dir": "q", "callgrind_summary": {"summaries": [
            {"events": {"Ir": {"new": 7, "old": 5}}}, {"events": {"Dr": {"new": 3, "old": 5}}}]}}"#,
        "gungraun\n  cargo|q/b|f\n    process operations [1] Ir [7]",
    );
}
