//! Reads a trial's output line by line.

use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Series};

use super::protocol::{self, Fact, Sample};
use crate::{Reader, Reading};

/// More doubts than this are counted, not kept.
const DOUBTS_KEPT: usize = 10;

/// Most values of one trial; a benchmark that tells more is not one of ours.
const MOST_SAMPLES: usize = 1_000_000;

/// Collects the samples of one benchmark.
#[derive(Debug)]
pub(super) struct TrialReader {
    benchmark: BenchmarkId,
    warmup: u32,
    operations: Vec<u64>,
    seconds: Vec<f64>,
    /// Metrics beside time, in the order in which they appeared.
    others: Vec<(String, Vec<f64>)>,
    lines: u32,
    doubts: Vec<Diagnostic>,
    left_out: usize,
}

impl TrialReader {
    pub(super) fn new(benchmark: &BenchmarkId) -> Self {
        TrialReader {
            benchmark: benchmark.clone(),
            warmup: 0,
            operations: Vec::new(),
            seconds: Vec::new(),
            others: Vec::new(),
            lines: 0,
            doubts: Vec::new(),
            left_out: 0,
        }
    }

    fn take(&mut self, sample: Sample) {
        if sample.benchmark != self.benchmark.name {
            let message = format!("left out a sample of another benchmark, `{}`", sample.benchmark);
            return self.doubt(Diagnostic::warning(self.benchmark.to_string(), message));
        }
        if self.seconds.len() >= MOST_SAMPLES {
            return self.doubt(Diagnostic::warning(self.benchmark.to_string(), "left out a sample too many"));
        }
        if !(sample.operations >= 1.0 && sample.operations.is_finite()) {
            let message = format!("left out a sample of {} operations", sample.operations);
            return self.doubt(Diagnostic::warning(self.benchmark.to_string(), message));
        }
        for (name, value) in sample.metrics {
            match self.others.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value),
                None => self.others.push((name, vec![value])),
            }
        }
        // Only leading ones can be left out by whoever computes with them.
        if sample.warmup && self.seconds.len() == self.warmup as usize {
            self.warmup += 1;
        }
        self.operations.push(sample.operations as u64);
        self.seconds.push(sample.seconds);
    }

    fn doubt(&mut self, doubt: Diagnostic) {
        match self.doubts.len() < DOUBTS_KEPT {
            true => self.doubts.push(doubt),
            false => self.left_out += 1,
        }
    }
}

impl Reader for TrialReader {
    fn line(&mut self, line: &str) -> u32 {
        self.lines = self.lines.saturating_add(1);
        match protocol::fact(line) {
            None | Some(Ok(Fact::Benchmark(_))) => {}
            Some(Ok(Fact::Sample(sample))) => self.take(sample),
            Some(Ok(Fact::Error(message))) => {
                self.doubt(Diagnostic::error(self.benchmark.to_string(), format!("failed: {message}")));
            }
            Some(Err(why)) => {
                let doubt = Diagnostic::warning(self.benchmark.to_string(), why.message);
                self.doubt(doubt.at(self.lines, why.column));
            }
        }
        u32::try_from(self.seconds.len()).unwrap_or(u32::MAX)
    }

    fn finish(mut self: Box<Self>, _scratch: &Path) -> Reading {
        let mut series = Vec::new();
        let count = self.seconds.len();
        let subject = self.benchmark.to_string();
        if count > 0 {
            series.push(Series { metric: Metric::time(), values: self.seconds, resolution: 0.0 });
        }
        for (name, values) in self.others {
            // These names mean something else here.
            let metric = match name.as_str() {
                "time" | "throughput" => Metric::custom(&format!("reported:{name}")),
                name => Metric::custom(name),
            };
            if values.len() == count {
                series.push(Series { metric, values, resolution: 0.0 });
            } else {
                let message = format!("`{name}` left out: {} values for {count} iterations", values.len());
                self.doubts.push(Diagnostic::warning(&subject, message));
            }
        }
        if self.left_out > 0 {
            let message = format!("{} more lines were not understood", self.left_out);
            self.doubts.push(Diagnostic::warning(&subject, message));
        }
        let measurement = Measurement { warmup: self.warmup, operations: self.operations, series };
        Reading { measurement, diagnostics: self.doubts }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[&str]) -> Reading {
        let mut reader = Box::new(TrialReader::new(&BenchmarkId::new("javascript", "p/a.js", "a")));
        let mut count = 0;
        for line in lines {
            count = reader.line(line);
        }
        let reading = reader.finish(Path::new(""));
        assert_eq!(count as usize, reading.measurement.operations.len());
        reading
    }

    fn sample(seconds: f64, rest: &str) -> String {
        format!(r#"##benchwright {{"sample":{{"benchmark":"a","seconds":{seconds},"operations":10{rest}}}}}"#)
    }

    #[test]
    fn samples_become_iterations_and_leading_warm_up_is_counted() {
        let warm = r#","warmup":true"#;
        let lines =
            [sample(3.0, warm), "noise".into(), sample(2.0, warm), sample(1.0, ""), sample(1.5, warm)];
        let reading = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(reading.measurement.warmup, 2);
        assert_eq!(reading.measurement.operations, [10, 10, 10, 10]);
        assert_eq!(reading.measurement.series[0].values, [3.0, 2.0, 1.0, 1.5]);
        assert!(reading.measurement.series[0].metric.is_time());
        assert_eq!(reading.diagnostics, []);
    }

    #[test]
    fn further_metrics_are_kept_where_every_sample_has_them() {
        let with = |metrics: &str| sample(1.0, &format!(r#","metrics":{{{metrics}}}"#));
        let lines = [with(r#""B/row":1,"time":2,"odd":3"#), with(r#""B/row":4,"time":5"#)];
        let reading = read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        let names: Vec<&str> =
            reading.measurement.series.iter().map(|series| series.metric.name.as_str()).collect();
        assert_eq!(names, ["time", "B/row", "reported:time"]);
        assert!(reading.diagnostics[0].message.contains("`odd` left out"), "{:?}", reading.diagnostics);
    }

    #[test]
    fn errors_and_nonsense_are_told() {
        let reading = read(&[
            r#"##benchwright {"error":{"benchmark":"a","message":"Error: boom"}}"#,
            "##benchwright {",
            r#"##benchwright {"sample":{"benchmark":"b","seconds":1}}"#,
            r#"##benchwright {"sample":{"benchmark":"a","seconds":1,"operations":0}}"#,
        ]);
        assert_eq!(reading.measurement, Measurement::default());
        let told: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "error: p/a.js:a: failed: Error: boom");
        assert!(told[1].starts_with("warning: p/a.js:a:2:"), "{told:?}");
        assert!(told[2].contains("another benchmark") && told[3].contains("0 operations"), "{told:?}");
    }

    #[test]
    fn doubts_do_not_pile_up() {
        let lines = vec!["##benchwright nonsense"; 1000];
        let reading = read(&lines);
        assert_eq!(reading.diagnostics.len(), DOUBTS_KEPT + 1);
        assert!(reading.diagnostics[DOUBTS_KEPT].message.starts_with("990 more"));
    }

    proptest! {
        #[test]
        fn any_lines_can_be_read(lines in proptest::collection::vec("(##benchwright )?\\PC{0,80}", 0..20)) {
            read(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
