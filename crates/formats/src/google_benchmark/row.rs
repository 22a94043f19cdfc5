//! One row of the list `benchmarks`: a repetition of a benchmark, or an aggregate of several.

use benchwright_model::{Diagnostic, Metric, Nature};

use super::metric::{cpu_time, of_counter};
use crate::reading::in_memory;
use crate::reading::json::{Json, Kind, Step};
use crate::reading::units::{self, Scaled};

/// The name of the list.
const LIST: &[u8] = b"\"benchmarks\"";

/// Maximum number of counters of a row. The others are ignored.
const MOST_COUNTERS: usize = 1_000;

/// Larger memory values are invalid: version 1.9.1 writes arbitrary ones for all repetitions but the last.
const LARGEST_COUNT: f64 = (1_u64 << 40) as f64;

/// Fields of the library that are not used.
const UNUSED: [&str; 7] = [
    "repetitions",
    "threads",
    "thread_index",
    "label",
    "real_coefficient",
    "cpu_coefficient",
    "complexity_n",
];

/// One row. Missing fields are empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The benchmark's name. Aggregates have a suffix.
    pub name: String,
    /// The benchmark's name without suffix. In some versions that of an aggregate has one too.
    pub run_name: Option<String>,
    /// `iteration` or `aggregate`.
    pub run_type: Option<String>,
    /// The statistic that an aggregate is.
    pub aggregate: Option<String>,
    /// `time` or `percentage`.
    pub(super) aggregate_unit: Option<String>,
    /// Indices of the family, and of the benchmark in it.
    pub family: (Option<u64>, Option<u64>),
    /// Number of the repetition.
    pub repetition: Option<u64>,
    /// Number of operations of the repetition, at least 1.
    pub operations: Option<u64>,
    /// Time of the clock, in `time_unit`.
    pub real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    /// The message of the benchmark when it gave up or skipped itself.
    pub failure: Option<String>,
    /// Whether it gave up.
    pub is_failed: bool,
    /// Whether it skipped itself.
    pub is_skipped: bool,
    /// Whether the row describes how time grows with arguments. It is not a measurement.
    pub(super) is_complexity: bool,
    /// Counters of the user, and those that the library adds on request.
    counters: Vec<(String, f64)>,
    /// Which of the [`UNUSED`] fields have occurred.
    unused: u8,
}

/// All rows of a file, with diagnostics. A damaged row does not affect the others, because the library may
/// have been killed in the middle of one.
pub fn rows(name: &str, text: &[u8]) -> (Vec<Row>, Vec<Diagnostic>) {
    let (list, diagnostics) = in_memory(name, text, |json, rows: &mut Vec<Row>| {
        // The description of the machine before the list may be damaged and is not needed.
        let Some(start) = list_start(text) else {
            json.input.diagnostics.error_all("has no list of benchmarks");
            return Ok(());
        };
        json.input.advance(start);
        json.records(|json| {
            rows.extend(Row::read(json)?);
            Ok(())
        })
        .map(|_| ())
    });
    (list, diagnostics)
}

/// The position where the list of rows begins.
fn list_start(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, LIST).find_map(|start| {
        let rest = text[start + LIST.len()..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        rest.starts_with(b"[").then(|| text.len() - rest.len())
    })
}

impl Row {
    /// Reads the next value. `None` if it is not an object.
    pub(super) fn read(json: &mut Json<'_>) -> Step<Option<Row>> {
        let mut row = Row::default();
        let is_object = json.object(|json, name| row.member(json, name))?;
        Ok(is_object.then_some(row))
    }

    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "name" if self.name.is_empty() => self.name = json.text()?.unwrap_or_default(),
            "run_name" => self.run_name = json.text()?,
            "run_type" => self.run_type = json.text()?,
            "aggregate_name" => self.aggregate = json.text()?,
            "aggregate_unit" => self.aggregate_unit = json.text()?,
            "time_unit" => self.time_unit = json.text()?,
            // A counter may have the same name as a field of the library. The library's fields come first.
            "iterations" if self.operations.is_none() => {
                self.operations = json.count()?.filter(|count| *count >= 1);
            }
            "real_time" if self.real_time.is_none() => self.real_time = json.number()?,
            "cpu_time" if self.cpu_time.is_none() => self.cpu_time = json.number()?,
            "family_index" if self.family.0.is_none() => self.family.0 = json.count()?,
            "per_family_instance_index" if self.family.1.is_none() => self.family.1 = json.count()?,
            "repetition_index" if self.repetition.is_none() => self.repetition = json.count()?,
            "error_message" | "skip_message" => self.failure = json.word()?,
            "error_occurred" => self.is_failed = json.word()?.is_some_and(|word| word != "false"),
            "skipped" => self.is_skipped = json.word()?.is_some_and(|word| word != "false"),
            "big_o" | "rms" => {
                self.is_complexity = true;
                json.skip()?;
            }
            _ if self.is_unused(name) || json.kind()? != Kind::Number => json.skip()?,
            _ => {
                let value = json.number()?.filter(|_| self.counters.len() < MOST_COUNTERS);
                self.counters.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        Ok(())
    }

    /// Whether it is the first field of that name and is not used.
    fn is_unused(&mut self, name: &str) -> bool {
        let Some(at) = UNUSED.iter().position(|known| *known == name) else { return false };
        let is_first = self.unused & 1 << at == 0;
        self.unused |= 1 << at;
        is_first
    }

    /// The name of the benchmark that the row belongs to. Before 1.4.1 aggregates are recognised by their
    /// names only.
    pub(super) fn benchmark(&self, is_known: impl Fn(&str) -> bool) -> String {
        if let Some(name) = &self.run_name {
            // In some versions aggregates have no run name of their own.
            return self
                .aggregate
                .as_ref()
                .and_then(|suffix| name.strip_suffix(suffix)?.strip_suffix('_'))
                .unwrap_or(name)
                .to_owned();
        }
        let suffixes = ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"];
        let plain = suffixes.iter().find_map(|suffix| self.name.strip_suffix(suffix));
        let is_aggregate = self.run_type.as_deref() == Some("aggregate");
        let is_statistic = self.run_type.is_none() && plain.is_some_and(is_known);
        match plain {
            Some(plain) if is_aggregate || is_statistic => plain.to_owned(),
            _ => self.name.clone(),
        }
    }

    /// The unit of its times.
    pub fn unit(&self) -> &str {
        self.time_unit.as_deref().unwrap_or("ns")
    }

    /// A time of the row in seconds. `None` if its unit is not a unit of time.
    pub(super) fn seconds(&self, time: f64) -> Option<f64> {
        units::seconds_in(self.unit()).map(|seconds| Scaled::new(Metric::time(), seconds).apply(time))
    }

    /// All values of the row. `None` if its unit is not a unit of time. An impossible count becomes NaN.
    pub fn values(&self) -> Option<Vec<(Metric, f64)>> {
        let unit = Scaled::new(Metric::time(), units::seconds_in(self.unit())?);
        let mut values = Vec::with_capacity(2 + self.counters.len());
        values.extend(self.real_time.map(|time| (Metric::time(), unit.apply(time))));
        values.extend(self.cpu_time.map(|time| (cpu_time(), unit.apply(time))));
        for (name, value) in &self.counters {
            let metric = of_counter(name);
            let is_arbitrary = metric.nature == Nature::Counted && value.abs() > LARGEST_COUNT;
            values.push((metric, if is_arbitrary { f64::NAN } else { *value }));
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(rows: &[Row]) -> Vec<&str> {
        rows.iter().map(|row| row.name.as_str()).collect()
    }

    fn file(rows: &[&str]) -> String {
        let rows: Vec<String> = rows.iter().map(|row| format!("    {{\n      {row}\n    }}")).collect();
        format!(
            "{{\n  \"context\": {{\"caches\": []}},\n  \"benchmarks\": [\n{}\n  ]\n}}\n",
            rows.join(",\n")
        )
    }

    fn read(text: &str) -> (Vec<Row>, Vec<Diagnostic>) {
        rows("results.json", text.as_bytes())
    }

    #[test]
    fn rows_are_read_with_numbers_that_json_does_not_know() {
        let text = file(&[
            "\"name\": \"a NaN\", \"x\": NaN, \"y\": -Infinity, \"z\": 1.5e+00, \"w\": -nan, \"v\": inf",
            "\"name\": \"b\"",
        ]);
        let (rows, diagnostics) = read(&text);
        assert_eq!(diagnostics, []);
        assert_eq!(names(&rows), ["a NaN", "b"]);
        let finite = rows[0].counters.iter().filter(|(_, value)| value.is_finite());
        assert_eq!(finite.collect::<Vec<_>>(), [&("z".to_owned(), 1.5)]);
        assert_eq!(rows[0].counters.len(), 5);
    }

    #[test]
    fn a_broken_row_costs_only_itself_and_has_a_position() {
        let text = file(&["\"name\": \"a\"", "\"name\": \"unescaped \" quote\"", "\"name\": \"c\""]);
        for text in [text.replace('\n', "\r\n"), text] {
            let (rows, diagnostics) = read(&text);
            assert_eq!(names(&rows), ["a", "c"]);
            let place = diagnostics[0].position.map(|place| (place.line, place.column));
            assert_eq!((diagnostics.len(), place), (1, Some((8, 28))), "{diagnostics:?}");
        }
    }

    #[test]
    fn the_rows_before_a_cut_are_kept() {
        let text = file(&["\"name\": \"a\"", "\"name\": \"b\""]);
        for cut in ["\"b\"", ",\n    {"] {
            let (rows, diagnostics) = read(&text[..text.find(cut).expect("a place")]);
            assert_eq!((names(&rows), diagnostics.len()), (vec!["a"], 1));
        }
    }

    #[test]
    fn damage_before_the_list_costs_nothing() {
        let text =
            file(&["\"name\": \"a\""]).replace("{\"caches\"", "{\"executable\": \"C:\\q\", \"x\" \"caches\"");
        let (rows, diagnostics) = read(&text);
        assert_eq!((names(&rows), diagnostics), (vec!["a"], vec![]));
    }

    #[test]
    fn other_files_have_no_rows() {
        for text in ["", "{}", "[1, 2]", "benchmarks: [", "{\"benchmarks\": 3}", "\u{0}"] {
            let (rows, diagnostics) = read(text);
            assert_eq!((rows.len(), diagnostics.len()), (0, 1), "{text}");
        }
        assert_eq!(read("{\"benchmarks\": []}"), (Vec::new(), Vec::new()));
        let garbage = format!("{{\"benchmarks\": [{}", "\n    {x".repeat(1_000));
        assert!((1..=101).contains(&read(&garbage).1.len()));
    }

    #[test]
    fn the_first_of_two_fields_of_a_name_is_the_librarys() {
        let text = file(&["\"name\": \"a\", \"iterations\": 7, \"threads\": 1, \"error_occurred\": true, \
                           \"iterations\": 9, \"threads\": 2"]);
        let row = &read(&text).0[0];
        assert_eq!(row.operations, Some(7));
        assert!(row.is_failed && !row.is_skipped);
        assert_eq!(row.counters, [("iterations".to_owned(), 9.0), ("threads".to_owned(), 2.0)]);
    }
}
