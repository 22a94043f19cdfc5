//! Reads a trial's output line by line.

use std::num::NonZeroU64;
use std::path::Path;

use benchwright_formats::benchfmt::{self, ResultLine, Sighting, Value};
use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Nature, Series};

use super::flags::{Flags, Selection};
use crate::{Reader, Reading, TrialShape};

/// How many lines of a failed benchmark's own output are kept.
const WORDS_KEPT: usize = 10;

/// The end of every line with results, if memory is measured.
const LAST_UNIT: &str = "allocs/op";

/// Collects the results of one benchmark and ignores the rest of the output.
#[derive(Debug)]
pub(super) struct TrialReader {
    subject: String,
    base: String,
    printed: String,
    /// The expected number of results, and of operations of each if that was given.
    most: Option<usize>,
    operations_asked: Option<u64>,
    /// The name has been printed, but not the numbers.
    is_waiting: bool,
    operations: Vec<u64>,
    columns: Vec<Column>,
    /// The units of the last line with results.
    last_units: Vec<String>,
    failure: Option<Vec<String>>,
    is_in_failure: bool,
}

/// The values of one unit.
#[derive(Debug)]
struct Column {
    unit: String,
    values: Vec<f64>,
    resolution: f64,
}

impl TrialReader {
    pub(super) fn new(benchmark: &BenchmarkId, shape: &TrialShape) -> Self {
        let flags = Flags::parse(&shape.args);
        let selection = Selection::of(&benchmark.name, &flags);
        let most =
            flags.test_value("count").map_or(Some(shape.iterations.max(1) as usize), |n| n.parse().ok());
        let own_time = flags.test_value("benchtime").is_some();
        TrialReader {
            most,
            operations_asked: shape.operations.filter(|_| !own_time).map(NonZeroU64::get),
            subject: benchmark.to_string(),
            printed: selection.printed_name(),
            base: selection.base,
            is_waiting: false,
            operations: Vec::new(),
            columns: Vec::new(),
            last_units: Vec::new(),
            failure: None,
            is_in_failure: false,
        }
    }

    /// The numbers in `line`, if they belong to this benchmark.
    fn numbers(&mut self, line: &str) -> Option<ResultLine> {
        match benchfmt::sight(line, &self.printed) {
            Sighting::Result(result) => {
                self.is_waiting = false;
                return Some(result);
            }
            Sighting::NameOnly => {
                self.is_waiting = true;
                return None;
            }
            Sighting::Nothing => {}
        }
        if !self.is_waiting {
            return None;
        }
        if benchfmt::any(line).is_some() || line == "PASS" || line == "FAIL" || line.starts_with("--- ") {
            self.is_waiting = false;
            return None;
        }
        let result = benchfmt::tail(line)?;
        self.is_waiting = false;
        Some(result)
    }

    fn take(&mut self, result: ResultLine) {
        self.operations.push(result.operations);
        self.last_units.clear();
        for Value { number, resolution, unit } in result.values {
            // If a unit occurs twice in one line, all later values would be shifted. The first one counts.
            if self.last_units.contains(&unit) {
                continue;
            }
            self.last_units.push(unit.clone());
            match self.columns.iter_mut().find(|column| column.unit == unit) {
                Some(column) => {
                    column.values.push(number);
                    column.resolution = column.resolution.max(resolution);
                }
                None => self.columns.push(Column { unit, values: vec![number], resolution }),
            }
        }
    }

    /// Removes the last line if the process was ended in the middle of it. Go prints memory last, on every
    /// line or on none.
    fn drop_cut_line(&mut self) {
        let is_whole = self.last_units.last().is_none_or(|unit| unit == LAST_UNIT);
        if is_whole || !self.columns.iter().any(|column| column.unit == LAST_UNIT) {
            return;
        }
        self.operations.pop();
        for unit in std::mem::take(&mut self.last_units) {
            if let Some(column) = self.columns.iter_mut().find(|column| column.unit == unit) {
                column.values.pop();
            }
        }
        self.columns.retain(|column| !column.values.is_empty());
    }

    /// Why some of the results cannot be from package `testing`. A benchmark may print lines that look like
    /// results, and the real ones cannot be distinguished from them.
    fn forgery(&self) -> Option<String> {
        let found = self.operations.len();
        let memory = self.columns.iter().find(|column| column.unit == LAST_UNIT);
        let differing = |asked: &u64| self.operations.iter().find(|n| *n != asked).copied();
        let why = if let Some(most) = self.most.filter(|most| found > *most) {
            format!("{found} results where {most} were asked for")
        } else if memory.is_some_and(|column| column.values.len() != found) {
            format!("results with and without `{LAST_UNIT}`")
        } else if let Some((asked, other)) = self.operations_asked.and_then(|n| Some((n, differing(&n)?))) {
            format!("a result of {other} operations where {asked} were asked for")
        } else {
            return None;
        };
        Some(format!("printed {why}: something prints lines that look like results of `go test`"))
    }

    /// Keeps the output of a failed benchmark: `--- FAIL: name`, then indented lines.
    fn note_failure(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("--- FAIL: ") {
            self.is_in_failure = name == self.printed || name == self.base;
            if self.is_in_failure {
                self.failure.get_or_insert_default();
            }
        } else if !line.starts_with([' ', '\t']) {
            self.is_in_failure = false;
        } else if self.is_in_failure
            && let Some(words) = self.failure.as_mut().filter(|words| words.len() < WORDS_KEPT)
        {
            words.push(line.trim().to_owned());
        }
    }
}

impl Reader for TrialReader {
    fn line(&mut self, line: &str) -> u32 {
        let line = line.trim_end_matches('\r');
        self.note_failure(line);
        if let Some(result) = self.numbers(line) {
            self.take(result);
        }
        u32::try_from(self.operations.len()).unwrap_or(u32::MAX)
    }

    fn finish(mut self: Box<Self>, _scratch: &Path) -> Reading {
        self.drop_cut_line();
        let mut diagnostics = Vec::new();
        if let Some(forgery) = self.forgery() {
            diagnostics.push(Diagnostic::error(&self.subject, forgery));
            self.operations.clear();
            self.columns.clear();
        }
        if let Some(words) = &self.failure {
            let message = format!("failed: {}", words.join("; "));
            diagnostics.push(Diagnostic::error(&self.subject, message.trim_end_matches([':', ' '])));
        }
        let mut series = Vec::new();
        for column in self.columns {
            match column.into_series(self.operations.len()) {
                Ok(complete) => series.push(complete),
                Err(reason) => diagnostics.push(Diagnostic::warning(&self.subject, reason)),
            }
        }
        let measurement =
            Measurement { warmup: 0, operations: self.operations, series, ..Measurement::default() };
        Reading { measurement, diagnostics }
    }
}

impl Column {
    fn into_series(self, iterations: usize) -> Result<Series, String> {
        let unit = &self.unit;
        if self.values.len() != iterations {
            let found = self.values.len();
            return Err(format!("`{unit}` left out: {found} values for {iterations} iterations"));
        }
        let scaled = benchfmt::metric(unit);
        let metric = &scaled.metric;
        let resolution = if metric.nature == Nature::Counted { 0.0 } else { self.resolution };
        // A time that is not a number makes the trial fail. Any other metric is only left out.
        if !metric.is_time() && self.values.iter().any(|value| !value.is_finite()) {
            return Err(format!("`{unit}` left out: not a finite number"));
        }
        let mut values = self.values;
        scaled.apply_to(&mut values);
        Ok(Series { metric: scaled.metric, values, resolution })
    }
}

#[cfg(test)]
mod tests;
