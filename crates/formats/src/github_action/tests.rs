use crate::test_reading::check;

#[test]
fn ranges_are_intervals() {
    check(
        r#"[{"name": "a", "unit": "ns/iter", "value": 100, "range": "± 10"}, {"name": "b", "unit": "ops/sec", "value": 200, "range": "±1%"},
            {"name": "c", "unit": "s", "value": 3, "range": "wide"}, {"unit": "s", "value": 3}]"#,
        "github-action-benchmark\n  imported||a\n    summary time 1.00000e-7 lower 9.00000e-8 upper 1.10000e-7\n  imported||b\n    \
         summary throughput 200 lower 198 upper 202\n  imported||c\n    summary time 3\n  \
         warning: file:2:70: left out a result without name or value",
    );
}

#[test]
fn identities_are_those_of_the_harnesses() {
    let check = |tool: &str, name: &str, harness: &str, package: &str, expected: &str| {
        assert_eq!(
            super::identity(tool, name),
            benchwright_model::BenchmarkId::new(harness, package, expected)
        );
    };
    check("go", "BenchmarkX/a (example.com/p)", "go", "example.com/p", "BenchmarkX/a");
    check("jmh", "org.acme.Sort.run", "jmh", "org.acme", "Sort.run");
    check("pytest", "tests/test_a.py::test_x[1]", "python", "tests/test_a.py", "test_x[1]");
    check("benchmarkdotnet", "A.B.Query.Count(N: 1.5)", "dotnet", "A.B", "Query.Count(N: 1.5)");
    check("benchmarkdotnet", "Query.Count", "dotnet", "", "Query.Count");
    check("benchmarkdotnet", "Count", "dotnet", "", "Count");
    check("customSmallerIsBetter", "x", "imported", "", "x");
}

#[test]
fn units_of_go_end_at_a_tab_and_of_two_values_the_first_counts() {
    check(
        r#"[{"name": "a", "unit": "ns/op\t 5 B/op", "value": 100}, {"name": "a - ns/op", "unit": "ns/op", "value": 100}, {"name": "a", "unit": "ns/op", "value": 101}]"#,
        "github-action-benchmark\n  imported||a\n    summary time 1.00000e-7\n  warning: file:1:2: `a` has `time` twice; the first counts",
    );
}

#[test]
fn a_history_without_dates_has_those_of_its_commits() {
    let text = r#"{"lastUpdate": 1, "repoUrl": "", "entries": {"s": [{"commit": {"id": "abc", "timestamp": "2023-11-14T22:13:20Z"},
        "tool": "customBiggerIsBetter", "benches": [{"name": "x", "unit": "s", "value": 3}]}]}}"#;
    let list = crate::read("file", text.as_bytes()).unwrap();
    assert_eq!(list[0].taken_at.map(|moment| moment.0), Some(1_700_000_000_000_000));
    let metric = &list[0].benchmarks[0].summaries[0].metric;
    assert_eq!((metric.name.as_str(), metric.direction), ("s", benchwright_model::Direction::HigherIsBetter));
}
