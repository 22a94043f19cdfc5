//! Reads a trial's results after the process has ended.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Nature, Series, Severity};

use super::command::RESULTS;
use super::metrics;
use super::rows::{self, Row};
use crate::{Reader, Reading};

/// More than this is not read: one benchmark's results are some hundred bytes per repetition.
const LONGEST: u64 = 64 << 20;

/// Memory beyond this is an arbitrary number: version 1.9.1 writes such for all repetitions but the last.
const LARGEST_COUNT: f64 = (1_u64 << 40) as f64;

/// Collects the repetitions of one benchmark; aggregates and everything else in the file are passed over.
pub(super) struct ResultReader {
    benchmark: BenchmarkId,
}

impl ResultReader {
    pub(super) fn new(benchmark: &BenchmarkId) -> Self {
        ResultReader { benchmark: benchmark.clone() }
    }

    fn subject(&self) -> String {
        self.benchmark.to_string()
    }

    /// The results in the text of a file.
    fn read(&self, text: &str) -> Reading {
        let (rows, faults) = rows::read(text);
        let mut diagnostics: Vec<Diagnostic> = faults
            .into_iter()
            .map(|fault| {
                let message = format!("not understood: {}", fault.message);
                Diagnostic::warning(RESULTS, message).at(fault.line, fault.column)
            })
            .collect();
        let own: Vec<&Row> = rows.iter().filter(|row| self.is_own(row)).collect();
        let repetitions = first_of_its_name(&own);
        let failures = failures(&repetitions);
        if !failures.is_empty() {
            let failed = failures.into_iter().map(|words| Diagnostic::error(self.subject(), words));
            diagnostics.extend(failed);
            return Reading { measurement: Measurement::default(), diagnostics };
        }
        let mut table = Table::default();
        repetitions.iter().for_each(|row| table.take(row));
        if repetitions.is_empty()
            && let Some(row) = self.centre(&rows)
        {
            table.take(row);
            // The number of the row is that of repetitions, not of operations.
            table.operations.clear();
            diagnostics.push(Diagnostic {
                severity: Severity::Note,
                ..Diagnostic::warning(self.subject(), "reports aggregates only: its centre is used")
            });
        }
        let doubt = |message: String| Diagnostic::warning(self.subject(), message);
        if table.rows == 0 && own.is_empty() && diagnostics.is_empty() {
            diagnostics.push(doubt(format!("none of the {} results is of this benchmark", rows.len())));
        }
        let (measurement, doubts) = table.finish();
        diagnostics.extend(doubts.into_iter().map(doubt));
        Reading { measurement, diagnostics }
    }

    /// The row of the median, or else the mean, of a benchmark that keeps its repetitions to itself.
    fn centre<'a>(&self, rows: &'a [Row]) -> Option<&'a Row> {
        let is_aggregate = |row: &&Row| row.text("run_type").is_none_or(|kind| kind == "aggregate");
        let named = |statistic: &str| {
            let name = format!("{}_{statistic}", self.benchmark.name);
            rows.iter().filter(is_aggregate).find(|row| row.text("name") == Some(&name))
        };
        named("median").or_else(|| named("mean"))
    }

    /// Whether a row is about the benchmark. Versions without `run_name` give repetitions the plain name, too.
    fn is_own(&self, row: &Row) -> bool {
        row.text("run_name").or_else(|| row.text("name")) == Some(&self.benchmark.name)
    }
}

impl Reader for ResultReader {
    fn line(&mut self, _line: &str) -> u32 {
        0
    }

    fn finish(self: Box<Self>, scratch: &Path) -> Reading {
        let told = |message: String| {
            let diagnostics = vec![Diagnostic::warning(self.subject(), message)];
            Reading { measurement: Measurement::default(), diagnostics }
        };
        match contents(&scratch.join(RESULTS)) {
            Ok(text) if text.trim().is_empty() => told("no benchmark of this name ran".into()),
            Ok(text) => self.read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => told(
                "the program wrote no results; perhaps its `main` does not pass its arguments to `benchmark::Initialize`".into(),
            ),
            Err(error) => told(format!("cannot read `{RESULTS}`: {error}")),
        }
    }
}

fn contents(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The repetitions among the rows; of several benchmarks of the same name, those of the first.
fn first_of_its_name<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let is_repetition = |row: &&&Row| row.text("run_type").is_none_or(|kind| kind == "iteration");
    let identity = |row: &Row| {
        let field = |name: &str| row.field(name).and_then(rows::number);
        (field("family_index"), field("per_family_instance_index"))
    };
    let index = |row: &Row| row.field("repetition_index").and_then(rows::number);
    let mut found: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(is_repetition) {
        if let (Some(first), Some(last)) = (found.first(), found.last()) {
            let begins_again = index(row).zip(index(last)).is_some_and(|(now, before)| now <= before);
            if identity(first) != identity(row) || begins_again {
                break;
            }
        }
        found.push(row);
    }
    found
}

/// What benchmarks said when they gave up, each thing once.
fn failures(rows: &[&Row]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for row in rows {
        let (what, message) = if row.is_set("error_occurred") {
            ("failed", row.text("error_message"))
        } else if row.is_set("skipped") {
            ("skips itself", row.text("skip_message").or_else(|| row.text("error_message")))
        } else {
            continue;
        };
        let words = match message.filter(|message| !message.is_empty()) {
            Some(message) => format!("{what}: {message}"),
            None => what.to_owned(),
        };
        if !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

/// The values of all repetitions, by metric.
#[derive(Default)]
struct Table {
    operations: Vec<u64>,
    columns: Vec<(Metric, Vec<f64>)>,
    rows: usize,
    doubts: Vec<String>,
}

impl Table {
    fn take(&mut self, row: &Row) {
        let unit = row.text("time_unit").unwrap_or("ns");
        let Some(per_second) = metrics::per_second(unit) else {
            return self.doubts.push(format!("left out a result in the unknown unit `{unit}`"));
        };
        let Some(real) = row.field("real_time").and_then(rows::number) else {
            return self.doubts.push("left out a result without `real_time`".into());
        };
        self.rows += 1;
        // As a whole number of a size that the library can reach; a broken file may say anything.
        let operations = row.field("iterations").and_then(rows::number).filter(|count| *count >= 1.0);
        self.operations.extend(operations.map(|count| count as u64));
        self.add(Metric::time(), real / per_second);
        if let Some(cpu) = row.field("cpu_time").and_then(rows::number) {
            self.add(metrics::cpu_time(), cpu / per_second);
        }
        for (at, (name, value)) in row.0.iter().enumerate() {
            let is_first = !row.0[..at].iter().any(|(earlier, _)| earlier == name);
            if metrics::is_the_librarys(name) && is_first {
                continue;
            }
            if let Some(number) = rows::number(value) {
                let metric = metrics::of_field(name);
                let is_arbitrary = metric.nature == Nature::Counted && number.abs() > LARGEST_COUNT;
                self.add(metric, if is_arbitrary { f64::NAN } else { number });
            }
        }
    }

    /// Adds a value of this row; a second one of the same metric would shift all later ones and is left out.
    fn add(&mut self, metric: Metric, value: f64) {
        let known = self.columns.iter_mut().find(|(known, _)| known.name == metric.name);
        match known {
            Some((_, values)) if values.len() < self.rows => values.push(value),
            Some(_) => {}
            None => self.columns.push((metric, vec![value])),
        }
    }

    fn finish(mut self) -> (Measurement, Vec<String>) {
        let mut series = Vec::new();
        for (metric, values) in self.columns {
            let name = &metric.name;
            if values.len() != self.rows {
                let found = values.len();
                self.doubts.push(format!("`{name}` left out: {found} values for {} iterations", self.rows));
            } else if !metric.is_time() && values.iter().any(|value| !value.is_finite()) {
                // A time that is no number makes the trial a failed one; any other metric only becomes useless.
                self.doubts.push(format!("`{name}` left out: not a finite number"));
            } else {
                series.push(Series { metric, values, resolution: 0.0 });
            }
        }
        if self.operations.len() != self.rows {
            self.operations.clear();
        }
        (
            Measurement { warmup: 0, operations: self.operations, series, ..Measurement::default() },
            self.doubts,
        )
    }
}

#[cfg(test)]
mod tests;
