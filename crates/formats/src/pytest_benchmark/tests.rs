use crate::test_reading::check;

#[test]
fn names_are_split_into_file_and_test() {
    check(
        r#"{"machine_info": {"node": "n"}, "commit_info": {"id": "abc"}, "benchmarks": [
            {"name": "test_a[1]", "fullname": "tests/test_x.py::TestA::test_a[1]", "stats": {"data": [1, 2], "iterations": 3}},
            {"name": "test_b", "fullname": null, "stats": {"mean": 1, "rounds": 4}}, {"stats": {}}]}"#,
        "pytest-benchmark at abc\n  node = n\n  python|tests/test_x.py|TestA::test_a[1]\n    process operations [3, 3] time [1 2]\n  \
         python||test_b\n    summary time 1 mean 1 count 4\n  warning: file:3:86: left out a result without the name of its test",
    );
}

#[test]
fn a_directory_without_versions_has_no_commit() {
    check(
        r#"{"machine_info": {}, "commit_info": {"id": "unversioned", "branch": "x"}, "benchmarks": [{"name": "t", "stats": {"data": [1]}}]}"#,
        "pytest-benchmark\n  branch = x\n  python||t\n    process time [1]",
    );
}
