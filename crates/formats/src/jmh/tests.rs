use benchwright_model::BenchmarkId;

use super::*;
use crate::test_reading::check;

fn result(mode: &str, unit: &str, data: &str) -> String {
    format!(
        "{{\"jmhVersion\": \"1.37\", \"benchmark\": \"org.acme.Sort.run\", \"mode\": \"{mode}\", \"primaryMetric\": \
         {{\"scoreUnit\": \"{unit}\", {data}}}}}"
    )
}

#[test]
fn forks_are_processes_and_scores_are_normalised() {
    check(
        &format!("[{}]", result("avgt", "ms/op", "\"rawData\": [[1.5, 2], [3]]")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process time [0.0015 0.002]\n    process time [0.003]",
    );
    check(
        &format!("[{}]", result("thrpt", "ops/us", "\"rawData\": [[1.5]]")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process throughput [1500000]",
    );
}

#[test]
fn histograms_become_the_mean_of_each_iteration() {
    // (10 * 3 + 14 * 1) / 4 = 11
    check(
        &format!("[{}]", result("sample", "s/op", "\"rawDataHistogram\": [[[[10, 3], [14, 1]], [[5, 2]]]]")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process operations [4, 2] time [11 5]",
    );
}

#[test]
fn modes_of_one_benchmark_are_kept_apart() {
    let time = result("avgt", "s/op", "\"rawData\": [[1]]");
    let rate = result("thrpt", "ops/s", "\"rawData\": [[2]]");
    check(
        &format!("[{time}, {rate}]"),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run/avgt\n    process time [1]\n  jmh|org.acme|Sort.run/thrpt\n    \
         process throughput [2]\n  \
         note: file: `org.acme:Sort.run` measures different things under one name, kept apart as `avgt`, `thrpt`",
    );
}

#[test]
fn the_same_benchmark_twice_is_said() {
    let one = result("avgt", "s/op", "\"rawData\": [[1]]");
    check(
        &format!("[{one},\n{one}]"),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process time [1]\n    process time [1]\n  \
         warning: file:2:1: `org.acme:Sort.run` is here a second time; its values are added",
    );
}

#[test]
fn mixed_versions_are_said() {
    let old = result("avgt", "s/op", "\"rawData\": [[1]]");
    let new = old.replace("1.37", "1.21").replace("Sort", "Copy");
    check(
        &format!("[{old},\n{new}]"),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process time [1]\n  jmh|org.acme|Copy.run\n    process time [1]\n  \
         warning: file:2:1: `org.acme:Copy.run` has jmh `1.21`, others `1.37`",
    );
}

#[test]
fn units_never_seen_are_kept() {
    check(
        &format!("[{}]", result("avgt", "fortnights/op", "\"rawData\": [[1, \"NaN\"]]")),
        "jmh-json\n  jmh = 1.37\n  warning: file:1:2: left out 1 values of `org.acme:Sort.run` that are not positive numbers\n  \
         error: file:1:2: `org.acme:Sort.run` has no values that count\n  warning: file: has no results of benchmarks",
    );
    check(
        &format!("[{}]", result("avgt", "fortnights/op", "\"rawData\": [[1, 2]]")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process fortnights/op [1 2]",
    );
}

#[test]
fn a_score_alone_is_one_value() {
    check(
        &format!("[{}]", result("avgt", "s/op", "\"score\": 3")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process time [3]",
    );
}

#[test]
fn identities_are_those_of_the_harness() {
    let check = |benchmark: &str, parameters: &[(&str, &str)], package: &str, name: &str| {
        let parameters: Vec<(String, String)> =
            parameters.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        assert_eq!(identity(benchmark, &parameters), BenchmarkId::new("jmh", package, name));
    };
    check("org.acme.Sort.run", &[], "org.acme", "Sort.run");
    check("org.acme.Outer.Inner.run", &[], "org.acme", "Outer.Inner.run");
    check("org.acme.sort.run", &[], "org.acme", "sort.run");
    check("Sort.run", &[], "", "Sort.run");
    check("a.B.c", &[("path", "a/b c=%d"), ("n", "1")], "a", "B.c/path=a%2Fb%20c=%25d/n=1");
    check("", &[], "", "");
}

#[test]
fn wrong_kinds_inside_a_result_cost_only_themselves() {
    let text = "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"a.B.c\", \"mode\": \"avgt\", \"params\": [], \"primaryMetric\":\n\
                {\"scoreUnit\": \"s/op\", \"rawData\": [[1, {}, 2], \"x\", [3]]}}, 7, {\"mode\": \"avgt\"}]";
    check(
        text,
        "jmh-json\n  jmh = 1.37\n  jmh|a|B.c\n    process time [1 2]\n    process time [3]\n  \
         warning: file:1:73: expected an object, found an array\n  warning: file:2:39: expected a number, found an object\n  \
         warning: file:2:47: expected an array, found a text\n  warning: file:1:2: left out 1 values of `a:B.c` that are not positive numbers\n  \
         warning: file:2:60: expected an object, found a number\n  \
         warning: file:2:63: left out a result without the name of its benchmark",
    );
}

#[test]
fn numbers_of_threads_are_kept_apart() {
    let one = result("avgt", "s/op", "\"rawData\": [[1]]");
    let four = one.replace("\"mode\"", "\"threads\": 4, \"mode\"");
    check(
        &format!("[{one}, {four}]"),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run/avgt\n    process time [1]\n  \
         jmh|org.acme|Sort.run/avgt,threads=4\n    process time [1]\n  \
         note: file: `org.acme:Sort.run` measures different things under one name, kept apart as `avgt`, `avgt,threads=4`",
    );
}

#[test]
fn a_sample_without_its_count_was_seen_once() {
    check(
        &format!("[{}]", result("sample", "s/op", "\"rawDataHistogram\": [[[[10], [14, 3]]]]")),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process operations [4] time [13]",
    );
}

#[test]
fn what_is_measured_is_known_without_its_unit() {
    let direction = |mode: &str| main_metric(mode, "fortnights").metric.direction;
    assert_eq!(direction("thrpt"), Direction::HigherIsBetter);
    assert_eq!((direction("avgt"), direction("ss")), (Direction::LowerIsBetter, Direction::LowerIsBetter));
}

#[test]
fn allocations_are_whole_bytes() {
    let metrics = "\"secondaryMetrics\": {\"gc.alloc.rate.norm\": {\"scoreUnit\": \"B/op\", \"rawData\": [[24.0001, 31.9]]}}";
    let text =
        result("avgt", "s/op", "\"rawData\": [[1, 2]]").replace("\"mode\"", &format!("{metrics}, \"mode\""));
    check(
        &format!("[{text}]"),
        "jmh-json\n  jmh = 1.37\n  jmh|org.acme|Sort.run\n    process time [1 2] B/op [24 32]",
    );
}
