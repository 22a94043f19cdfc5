use crate::test_reading::check;

#[test]
fn reports_of_old_versions_are_understood() {
    check(
        r#"{"Title": "x", "Benchmarks": [{"Namespace": "N", "Type": "T", "Method": "M", "Parameters": "n=1", "Measurements": [
            {"IterationMode": "MainWarmup", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 8e9},
            {"IterationMode": "IdleTarget", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 8e9},
            {"IterationMode": "MainTarget", "LaunchIndex": 1, "Operations": 2, "Nanoseconds": 4e9}]}]}"#,
        "benchmark-dot-net\n  dotnet|N|T.M(n=1)\n    process warmup 1 operations [2, 2] time [4 2]",
    );
}
