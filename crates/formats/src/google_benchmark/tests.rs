use crate::test_reading::check;

#[test]
fn repetitions_are_iterations_of_one_process_and_aggregates_are_left_out() {
    check(
        r#"{"context": {"num_cpus": 4, "executable": "./build/sort.exe"}, "benchmarks": [
            {"name": "BM/1", "run_name": "BM/1", "run_type": "iteration", "iterations": 10, "real_time": 2, "cpu_time": 1, "time_unit": "us", "x": 5},
            {"name": "BM/1", "run_name": "BM/1", "run_type": "iteration", "iterations": 20, "real_time": 3, "cpu_time": 1, "time_unit": "us", "x": 6},
            {"name": "BM/1_mean", "run_name": "BM/1", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 2.5, "time_unit": "us"}
        ]}"#,
        "google-benchmark\n  executable = ./build/sort.exe\n  num_cpus = 4\n  googlebench|sort|BM/1\n    \
         process operations [10, 20] time [2.00000e-6 3.00000e-6] cpu-time [1.00000e-6 1.00000e-6] x [5 6]",
    );
}

#[test]
fn versions_without_run_types_are_understood() {
    check(
        r#"{"context": {"num_cpus": 4}, "benchmarks": [
            {"name": "BM_mean", "iterations": 10, "real_time": 2, "time_unit": "ns"},
            {"name": "BM_mean_mean", "iterations": 10, "real_time": 9, "time_unit": "ns"},
            {"name": "BM_mean_stddev", "iterations": 10, "real_time": 9, "time_unit": "ns"}
        ]}"#,
        "google-benchmark\n  num_cpus = 4\n  googlebench||BM_mean\n    process operations [10] time [2.00000e-9]",
    );
}

#[test]
fn a_unit_never_seen_is_said() {
    check(
        r#"{"context": {"num_cpus": 4}, "benchmarks": [
{"name": "BM", "real_time": 2, "time_unit": "parsec"}, {"name": "BM", "real_time": NaN, "time_unit": "s"}, {"name": "BM", "real_time": 1, "time_unit": "s"}]}"#,
        "google-benchmark\n  num_cpus = 4\n  googlebench||BM\n    process time [1]\n  \
         warning: file:2:1: left out a row in `parsec`, which is not a unit of time\n  \
         warning: file:2:1: left out 1 values of `:BM` that are not positive numbers",
    );
}

#[test]
fn aggregates_alone_are_a_summary_of_times() {
    // A statistic in percent is not a time, and the run name of an aggregate may have its suffix.
    check(
        r#"{"context": {"num_cpus": 4}, "benchmarks": [
            {"name": "BM_mean", "run_name": "BM_mean", "run_type": "aggregate", "aggregate_name": "mean", "aggregate_unit": "time", "real_time": 3, "time_unit": "s", "iterations": 5},
            {"name": "BM_max", "run_name": "BM", "run_type": "aggregate", "aggregate_name": "max", "aggregate_unit": "percentage", "real_time": 7, "time_unit": "s"}
        ]}"#,
        "google-benchmark\n  num_cpus = 4\n  googlebench||BM\n    summary time 3 mean 3 count 5",
    );
}

#[test]
fn counters_cannot_take_the_names_of_metrics() {
    check(
        r#"{"context": {"num_cpus": 4}, "benchmarks": [
            {"name": "BM", "real_time": 2, "time_unit": "s", "time": 7, "throughput": 8, "bytes_per_second": 9}]}"#,
        "google-benchmark\n  num_cpus = 4\n  googlebench||BM\n    process time [2] reported:time [7] reported:throughput [8] B/s [9]",
    );
}

#[test]
fn what_did_not_fail_is_kept_and_what_failed_is_said_once() {
    check(
        r#"{"context": {"num_cpus": 4}, "benchmarks": [
{"name": "good", "error_occurred": false, "real_time": 2, "time_unit": "s"},
{"name": "bad", "error_occurred": true, "error_message": "no", "real_time": 0, "time_unit": "s"},
{"name": "bad", "error_occurred": true, "error_message": "no", "real_time": 0, "time_unit": "s"}]}"#,
        "google-benchmark\n  num_cpus = 4\n  googlebench||good\n    process time [2]\n  \
         error: file:3:1: `bad` failed: no",
    );
}
