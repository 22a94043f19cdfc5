//! Reads a trial's results after the process has ended.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use benchwright_formats::Columns;
use benchwright_formats::google_benchmark::{self, Row};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Severity};

use super::command::RESULTS;
use crate::{Reader, Reading};

/// Larger files are not read: the results of a benchmark have some hundred bytes per repetition.
const LONGEST: u64 = 64 << 20;

/// Collects the repetitions of one benchmark. Aggregates and other entries of the file are ignored.
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

    /// The results in a file.
    fn read(&self, text: &[u8]) -> Reading {
        let (rows, doubts) = google_benchmark::rows(RESULTS, text);
        // The damaged part may belong to another benchmark.
        let mut diagnostics: Vec<Diagnostic> =
            doubts.into_iter().map(|doubt| Diagnostic { severity: Severity::Warning, ..doubt }).collect();
        let own: Vec<&Row> = rows.iter().filter(|row| self.is_own(row)).collect();
        let repetitions = first_of_its_name(&own);
        let failures = failures(&repetitions);
        if !failures.is_empty() {
            let failed = failures.into_iter().map(|words| Diagnostic::error(self.subject(), words));
            diagnostics.extend(failed);
            return Reading { measurement: Measurement::default(), diagnostics };
        }
        let mut table = Table::default();
        repetitions.iter().for_each(|row| table.take(row, row.operations));
        if repetitions.is_empty()
            && let Some(row) = self.centre(&rows)
        {
            // The number in this row is that of repetitions, not of operations.
            table.take(row, None);
            diagnostics.push(Diagnostic {
                severity: Severity::Note,
                ..Diagnostic::warning(self.subject(), "reports aggregates only: its centre is used")
            });
        }
        let doubt = |message: String| Diagnostic::warning(self.subject(), message);
        if table.columns.rows() == 0 && own.is_empty() && diagnostics.is_empty() {
            diagnostics.push(doubt(format!("none of the {} results is of this benchmark", rows.len())));
        }
        let (measurement, doubts) = table.finish();
        diagnostics.extend(doubts.into_iter().map(doubt));
        Reading { measurement, diagnostics }
    }

    /// The row of the median, or otherwise the mean, of a benchmark that does not report its repetitions.
    fn centre<'a>(&self, rows: &'a [Row]) -> Option<&'a Row> {
        let is_aggregate = |row: &&Row| row.run_type.as_ref().is_none_or(|kind| kind == "aggregate");
        let named = |statistic: &str| {
            let name = format!("{}_{statistic}", self.benchmark.name);
            rows.iter().filter(is_aggregate).find(|row| row.name == name)
        };
        named("median").or_else(|| named("mean"))
    }

    /// Whether a row belongs to the benchmark. Versions without `run_name` give repetitions the plain name
    /// too.
    fn is_own(&self, row: &Row) -> bool {
        *row.run_name.as_ref().unwrap_or(&row.name) == self.benchmark.name
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
            Ok(text) if text.trim_ascii().is_empty() => told("no benchmark of this name ran".into()),
            Ok(text) => self.read(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => told(
                "the program wrote no results; perhaps its `main` does not pass its arguments to `benchmark::Initialize`".into(),
            ),
            Err(error) => told(format!("cannot read `{RESULTS}`: {error}")),
        }
    }
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The repetitions among the rows. If several benchmarks have the same name, those of the first.
fn first_of_its_name<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let is_repetition = |row: &&&Row| row.run_type.as_ref().is_none_or(|kind| kind == "iteration");
    let mut found: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(is_repetition) {
        if let (Some(first), Some(last)) = (found.first(), found.last()) {
            let begins_again = row.repetition.zip(last.repetition).is_some_and(|(now, before)| now <= before);
            if first.family != row.family || begins_again {
                break;
            }
        }
        found.push(row);
    }
    found
}

/// The messages of benchmarks that gave up, without duplicates.
fn failures(rows: &[&Row]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for row in rows {
        let what = match (row.is_failed, row.is_skipped) {
            (true, _) => "failed",
            (false, true) => "skips itself",
            (false, false) => continue,
        };
        let words = match row.failure.as_ref().filter(|message| !message.is_empty()) {
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
    columns: Columns,
    doubts: Vec<String>,
}

impl Table {
    fn take(&mut self, row: &Row, operations: Option<u64>) {
        match (row.values(), row.real_time) {
            (Some(values), Some(_)) => self.columns.row(operations, values),
            (Some(_), None) => self.doubts.push("left out a result without `real_time`".into()),
            (None, _) => self.doubts.push(format!("left out a result in the unknown unit `{}`", row.unit())),
        }
    }

    fn finish(mut self) -> (Measurement, Vec<String>) {
        let rows = self.columns.rows();
        let (mut measurement, left_out) = self.columns.finish();
        for (name, found) in left_out {
            self.doubts.push(format!("`{name}` left out: {found} values for {rows} iterations"));
        }
        measurement.series.retain(|series| {
            // A time that is not a number makes the trial fail. Any other metric is only left out.
            let is_usable = series.metric.is_time() || series.values.iter().all(|value| value.is_finite());
            if !is_usable {
                self.doubts.push(format!("`{}` left out: not a finite number", series.metric.name));
            }
            is_usable
        });
        (measurement, self.doubts)
    }
}

#[cfg(test)]
mod tests;
