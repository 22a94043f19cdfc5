//! Collects the samples of one benchmark.

use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic, Direction, Measurement, Metric, Nature, Series, Unit};

use super::{Message, Sample, VERSION, parse};
use crate::{Reader, Reading};

/// Limits on the samples, metrics and remarks that are kept: the output of a program must not decide how much
/// memory is used.
const MOST_SAMPLES: usize = 100_000;
const MOST_METRICS: usize = 64;
const MOST_REMARKS: usize = 20;

/// Reads a trial's output line by line.
#[derive(Debug)]
pub(crate) struct SampleReader {
    subject: String,
    name: String,
    /// Number of lines so far.
    lines: u32,
    seconds: Vec<f64>,
    /// Operations of each sample, if every sample states them.
    operations: Option<Vec<u64>>,
    warmup: u32,
    columns: Vec<Column>,
    /// Errors reported by the program.
    errors: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// Numbers of remarks and samples beyond the limits, and of samples of other benchmarks.
    more_remarks: u32,
    more_samples: u32,
    of_others: u32,
    /// Whether a rule decides when the process ends.
    is_watched: bool,
}

/// The values of one further metric.
#[derive(Debug)]
struct Column {
    name: String,
    values: Vec<f64>,
}

impl SampleReader {
    /// A reader of the samples of `benchmark`.
    pub(crate) fn new(benchmark: &BenchmarkId) -> Self {
        SampleReader {
            subject: benchmark.to_string(),
            name: benchmark.name.clone(),
            lines: 0,
            seconds: Vec::new(),
            operations: Some(Vec::new()),
            warmup: 0,
            columns: Vec::new(),
            errors: Vec::new(),
            diagnostics: Vec::new(),
            more_remarks: 0,
            more_samples: 0,
            of_others: 0,
            is_watched: false,
        }
    }

    /// The same for a process that may be ended after any sample.
    pub(crate) fn watched(self, is_watched: bool) -> Self {
        SampleReader { is_watched, ..self }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Sample(sample) if sample.benchmark == self.name => self.sample(sample),
            Message::Sample(_) => self.of_others = self.of_others.saturating_add(1),
            Message::Error { benchmark, message } if benchmark.is_empty() || benchmark == self.name => {
                if self.errors.len() < MOST_REMARKS {
                    self.errors.push(message);
                }
            }
            Message::Protocol(version) if version > VERSION => {
                let message = format!("the program uses version {version} of the protocol");
                let hint = format!("this benchwright supports version {VERSION}; a newer one may do more");
                self.remark(Diagnostic::warning(&self.subject, message).hint(hint));
            }
            Message::Protocol(_) | Message::Benchmark(_) | Message::Error { .. } => {}
        }
    }

    fn sample(&mut self, sample: Sample) {
        let is_late = sample.warmup && self.warmup as usize != self.seconds.len();
        if is_late {
            let message = "a warm-up after a measured iteration is left out";
            return self.remark(self.here(1, message));
        }
        if self.seconds.len() >= MOST_SAMPLES {
            self.more_samples = self.more_samples.saturating_add(1);
            return;
        }
        self.warmup += u32::from(sample.warmup);
        self.seconds.push(sample.seconds);
        match (&mut self.operations, sample.operations) {
            (Some(known), Some(operations)) => known.push(operations),
            (operations, _) => *operations = None,
        }
        for (name, value) in sample.metrics {
            match self.columns.iter().position(|column| column.name == name) {
                Some(i) => self.columns[i].values.push(value),
                None if self.columns.len() < MOST_METRICS => {
                    self.columns.push(Column { name, values: vec![value] });
                }
                None => self.remark(self.here(1, &format!("more than {MOST_METRICS} metrics"))),
            }
        }
    }

    /// A warning about the line that is being read.
    fn here(&self, column: u32, message: &str) -> Diagnostic {
        let subject = format!("{}, standard output", self.subject);
        Diagnostic::warning(subject, message).at(self.lines, column)
    }

    fn remark(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MOST_REMARKS {
            self.diagnostics.push(diagnostic);
        } else {
            self.more_remarks = self.more_remarks.saturating_add(1);
        }
    }

    /// Adds diagnostics for everything that was only counted.
    fn sum_up(&mut self) {
        let counted = [
            (self.more_remarks, "further lines were not understood"),
            (self.more_samples, "further samples were left out"),
            (self.of_others, "samples of other benchmarks were left out"),
        ];
        for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
            self.diagnostics.push(Diagnostic::warning(&self.subject, format!("{count} {what}")));
        }
    }
}

impl Reader for SampleReader {
    fn line(&mut self, line: &str) -> u32 {
        self.lines = self.lines.saturating_add(1);
        match parse(line.trim_end_matches('\r')) {
            Some(Ok(message)) => self.take(message),
            Some(Err(error)) => self.remark(self.here(error.column, &error.message)),
            None => {}
        }
        u32::try_from(self.seconds.len()).unwrap_or(u32::MAX)
    }

    /// Samples that the program marks as warm-up have a time too.
    fn latest(&self) -> Option<f64> {
        self.seconds.last().copied().filter(|_| self.is_watched)
    }

    fn is_full(&self) -> bool {
        self.is_watched && self.more_samples > 0
    }

    fn finish(mut self: Box<Self>, _scratch: &Path) -> Reading {
        self.sum_up();
        let SampleReader { subject, seconds, operations, warmup, columns, errors, mut diagnostics, .. } =
            *self;
        let is_all_warmup = !seconds.is_empty() && warmup as usize == seconds.len();
        if is_all_warmup {
            diagnostics.push(Diagnostic::error(&subject, "every iteration is warm-up"));
        }
        let is_failed = !errors.is_empty();
        diagnostics.extend(errors.into_iter().map(|message| Diagnostic::error(&subject, message)));
        // Samples that a benchmark measured before it failed do not count.
        if is_failed || is_all_warmup || seconds.is_empty() {
            return Reading { measurement: Measurement::default(), diagnostics };
        }
        let iterations = seconds.len();
        let mut series = vec![Series { metric: Metric::time(), values: seconds, resolution: 0.0 }];
        for Column { name, values } in columns {
            let found = values.len();
            if found == iterations {
                series.push(Series { metric: metric(&name), values, resolution: 0.0 });
            } else {
                let message = format!("`{name}` left out: {found} values for {iterations} iterations");
                diagnostics.push(Diagnostic::warning(&subject, message));
            }
        }
        let measurement = Measurement {
            warmup,
            operations: operations.unwrap_or_default(),
            series,
            ..Measurement::default()
        };
        Reading { measurement, diagnostics }
    }
}

/// The metric for a name: one of benchwright's own names, or else a unit of the author.
fn metric(name: &str) -> Metric {
    let cost = |unit| Metric {
        name: name.into(),
        unit,
        direction: Direction::LowerIsBetter,
        nature: Nature::Measured,
    };
    match name {
        "B/op" => Metric::bytes_per_op(),
        "allocs/op" => Metric::allocations_per_op(),
        "B/s" => Metric::bytes_per_second(),
        "cpu-time" | "user-time" | "system-time" => cost(Unit::Seconds),
        "max-rss" => cost(Unit::Bytes),
        // These names are reserved for the deciding metrics, which are reported in another way.
        "time" | "throughput" => Metric::custom(&format!("reported:{name}")),
        _ => Metric::custom(name),
    }
}
