//! Small files of results as other tools write them, with numbers that tests choose.

use serde_json::{Value, json};

/// Values by process and iteration.
pub(crate) struct Spread(pub(crate) Vec<Vec<f64>>);

impl Spread {
    /// Values around `centre`, the same in every test: processes differ by some tenths of a per cent, iterations by less.
    pub(crate) fn of(centre: f64, processes: usize, iterations: usize) -> Spread {
        let value = |process: usize, iteration: usize| {
            let between = (process * 7 % 11) as f64 / 11.0 - 0.45;
            let within = (iteration * 3 % 7) as f64 / 7.0 - 0.4;
            centre * (1.0 + 0.004 * between + 0.001 * within)
        };
        Spread((0..processes).map(|p| (0..iterations).map(|i| value(p, i)).collect()).collect())
    }
}

/// JMH's JSON with one benchmark.
pub(crate) fn jmh(benchmark: &str, mode: &str, unit: &str, values: &Spread) -> String {
    let all: Vec<f64> = values.0.iter().flatten().copied().collect();
    let score = all.iter().sum::<f64>() / all.len() as f64;
    let document = json!([{
        "jmhVersion": "1.37",
        "benchmark": benchmark,
        "mode": mode,
        "threads": 1,
        "forks": values.0.len(),
        "jdkVersion": "21.0.2",
        "primaryMetric": { "score": score, "scoreUnit": unit, "rawData": values.0 },
        "secondaryMetrics": {},
    }]);
    format!("{document:#}\n")
}

/// What is inside the brackets of a list.
pub(crate) fn inner(list: &str) -> &str {
    list.trim().trim_start_matches('[').trim_end_matches(']').trim()
}

/// What one `go test -bench` prints: all values from one process.
pub(crate) fn benchfmt(name: &str, nanoseconds: &[f64]) -> String {
    let mut text = String::from("goos: linux\ngoarch: amd64\npkg: example.com/p\n");
    for value in nanoseconds {
        text.push_str(&format!("Benchmark{name}-8\t1000\t{value} ns/op\n"));
    }
    text.push_str("PASS\nok  \texample.com/p\t1.234s\n");
    text
}

/// hyperfine's JSON with one command.
pub(crate) fn hyperfine(command: &str, times: &[f64]) -> String {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let result = json!({
        "command": command, "mean": mean, "stddev": 0.1, "median": mean, "user": 0.1, "system": 0.1,
        "min": times[0], "max": times[0], "times": times, "exit_codes": vec![0; times.len()],
    });
    json!({ "results": [result] }).to_string()
}

/// Bencher Metric Format with one benchmark.
pub(crate) fn bencher_metric(name: &str, nanoseconds: f64) -> String {
    json!({ name: { "latency": { "value": nanoseconds } } }).to_string()
}

/// The custom format of github-action-benchmark with one benchmark.
pub(crate) fn action_benchmark(name: &str, nanoseconds: f64) -> String {
    let entry: Value = json!({ "name": name, "unit": "ns/op", "value": nanoseconds, "range": "± 3" });
    json!([entry]).to_string()
}
