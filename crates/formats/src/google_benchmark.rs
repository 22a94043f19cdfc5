//! Google Benchmark's JSON: rows of one process, one per repetition, with aggregates among them.

use std::collections::{HashMap, HashSet};

use benchwright_model::{BenchmarkId, Direction, Metric, Nature, Unit};

use crate::moment::parse_moment;
use crate::reading::collect::{Collector, Found};
use crate::reading::columns::Columns;
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Kind, Step};
use crate::reading::units;
use crate::reading::units::Scaled;
use crate::{Format, Imported, ImportedSummary};

/// Numbers in a row that are no counters of the user.
const OWN: [&str; 11] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "real_coefficient",
    "cpu_coefficient",
    "complexity_n",
];

/// Names that mean something else here.
const RESERVED: [&str; 9] =
    ["time", "cpu-time", "throughput", "B/op", "B/s", "allocs/op", "items/s", "max-bytes", "operations"];

/// Whether it has the library's context and rows.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_context = ["num_cpus", "library_build_type", "mhz_per_cpu"].iter().any(|name| head.has(2, name));
    let is_row = ["real_time", "run_name", "time_unit"].iter().any(|name| head.has(3, name));
    head.is_object() && (head.has(1, "context") && is_context || head.has(1, "benchmarks") && is_row)
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::GoogleBenchmark);
    let mut rows = Rows::default();
    let read = json.object(|json, name| match name {
        "context" => context(json, &mut collector),
        "benchmarks" => json.records(|json| rows.take(json)).map(|_| ()),
        _ => json.skip(),
    });
    rows.hand_over(&mut collector, &mut json);
    finish_json(json, read.map(|_| ()), vec![collector])
}

fn context(json: &mut Json<'_>, collector: &mut Collector) -> Step<()> {
    json.object(|json, name| {
        match name {
            "date" => {
                let date = json.word()?;
                collector.taken_at = date.as_deref().and_then(parse_moment);
                collector.fact("date", date);
            }
            // Different at every moment, or a list.
            "load_avg" | "caches" => json.skip()?,
            _ => {
                let value = json.word()?;
                collector.fact(name, value);
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Rows by the benchmark's name, in the order of the file.
#[derive(Default)]
struct Rows {
    /// Names of those that failed; each is said once.
    failed: HashSet<String>,
    index: HashMap<String, usize>,
    list: Vec<Benchmark>,
}

struct Benchmark {
    name: String,
    place: Place,
    columns: Columns,
    has_rows: bool,
    aggregates: Vec<Row>,
}

#[derive(Default)]
struct Row {
    name: String,
    run_name: Option<String>,
    run_type: Option<String>,
    aggregate: Option<String>,
    aggregate_unit: Option<String>,
    operations: Option<u64>,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    time_unit: Option<String>,
    failure: Option<String>,
    is_failed: bool,
    is_skipped: bool,
    /// Describes how time grows over arguments; no measurement.
    is_complexity: bool,
    counters: Vec<(String, f64)>,
}

impl Rows {
    fn take(&mut self, json: &mut Json<'_>) -> Step<()> {
        let place = json.place();
        let mut row = Row::default();
        let is_object = json.object(|json, name| row.member(json, name))?;
        if is_object {
            self.add(row, place, json);
        }
        Ok(())
    }

    fn add(&mut self, row: Row, place: Place, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        if row.name.is_empty() {
            return diagnostics.warn(place, "left out a row without a name");
        }
        if row.is_failed || row.is_skipped {
            let reason = row.failure.as_deref().unwrap_or("no reason given");
            match (self.failed.insert(row.name.clone()), row.is_failed) {
                (true, true) => diagnostics.error(place, format!("`{}` failed: {reason}", row.name)),
                (true, false) => diagnostics.warn(place, format!("`{}` was skipped: {reason}", row.name)),
                (false, _) => {}
            }
            return;
        }
        if row.is_complexity {
            return;
        }
        let name = row.benchmark(|name| self.index.contains_key(name));
        let index = *self.index.entry(name.clone()).or_insert_with(|| {
            self.list.push(Benchmark {
                name,
                place,
                columns: Columns::default(),
                has_rows: false,
                aggregates: Vec::new(),
            });
            self.list.len() - 1
        });
        let benchmark = &mut self.list[index];
        if row.aggregate.is_some()
            || row.run_type.as_deref() == Some("aggregate")
            || row.name != benchmark.name
        {
            // Only needed where there is nothing else, and then there are few.
            if !benchmark.has_rows && benchmark.aggregates.len() < 100 {
                benchmark.aggregates.push(row);
            }
            return;
        }
        benchmark.has_rows = true;
        benchmark.aggregates.clear();
        match row.values() {
            Ok(values) => benchmark.columns.row(row.operations, values),
            Err(unit) => {
                diagnostics.warn(place, format!("left out a row in `{unit}`, which is not a unit of time"))
            }
        }
    }

    fn hand_over(self, collector: &mut Collector, json: &mut Json<'_>) {
        let diagnostics = &mut json.input.diagnostics;
        let executable = collector.environment.get("executable").map(String::as_str).unwrap_or_default();
        let program = executable.rsplit(['/', '\\']).next().unwrap_or_default();
        let program = program.strip_suffix(".exe").unwrap_or(program).to_owned();
        for benchmark in self.list {
            let id = BenchmarkId::new("googlebench", program.as_str(), benchmark.name);
            if benchmark.has_rows {
                let (process, left_out) = benchmark.columns.finish();
                for name in left_out {
                    let message = format!("left out `{name}` of `{id}`: not in every repetition");
                    diagnostics.warn(benchmark.place, message);
                }
                collector.add(Found::values(id, vec![process]), benchmark.place, diagnostics);
            } else {
                let summaries = summary(&benchmark.aggregates).into_iter().collect();
                collector.add(Found::summaries(id, summaries), benchmark.place, diagnostics);
            }
        }
    }
}

impl Row {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "name" => self.name = json.text()?.unwrap_or_default(),
            "run_name" => self.run_name = json.text()?,
            "run_type" => self.run_type = json.text()?,
            "aggregate_name" => self.aggregate = json.text()?,
            "aggregate_unit" => self.aggregate_unit = json.text()?,
            "iterations" => self.operations = json.count()?,
            "real_time" => self.real_time = json.number()?,
            "cpu_time" => self.cpu_time = json.number()?,
            "time_unit" => self.time_unit = json.text()?,
            "error_message" | "skip_message" => self.failure = json.word()?,
            "error_occurred" => self.is_failed = json.word()?.is_some_and(|word| word != "false"),
            "skipped" => self.is_skipped = json.word()?.is_some_and(|word| word != "false"),
            "big_o" | "rms" => {
                self.is_complexity = true;
                json.skip()?;
            }
            _ if !OWN.contains(&name) && json.kind()? == Kind::Number => {
                let value = json.number()?;
                self.counters.extend(value.map(|value| (name.to_owned(), value)));
            }
            _ => json.skip()?,
        }
        Ok(())
    }

    /// The name of the benchmark that the row belongs to. Before 1.4.1 aggregates are recognised by their names only.
    fn benchmark(&self, is_known: impl Fn(&str) -> bool) -> String {
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

    fn unit(&self) -> Result<Scaled, String> {
        let unit = self.time_unit.as_deref().unwrap_or("ns");
        units::seconds_in(unit)
            .map(|seconds| Scaled::new(Metric::time(), seconds))
            .ok_or_else(|| unit.to_owned())
    }

    /// All values of the row; the unit if it is none of time.
    fn values(&self) -> Result<Vec<(Metric, f64)>, String> {
        let unit = self.unit()?;
        let mut values = Vec::new();
        values.extend(self.real_time.map(|time| (Metric::time(), unit.apply(time))));
        values.extend(self.cpu_time.map(|time| (cpu_time(), unit.apply(time))));
        values.extend(self.counters.iter().map(|(name, value)| (counter(name), *value)));
        Ok(values)
    }
}

/// CPU time beside the time that decides.
fn cpu_time() -> Metric {
    Metric { name: "cpu-time".into(), ..Metric::time() }
}

/// What a number in a row measures, under the names that the harness `googlebench` gives. The file does not distinguish rates of the user
/// from counts; only a name can.
fn counter(name: &str) -> Metric {
    let counted = |name: &str| Metric {
        name: name.into(),
        unit: Unit::Bytes,
        direction: Direction::LowerIsBetter,
        nature: Nature::Counted,
    };
    match name {
        "bytes_per_second" => Metric::bytes_per_second(),
        "items_per_second" => Metric {
            name: "items/s".into(),
            unit: Unit::Other("items/s".into()),
            direction: Direction::HigherIsBetter,
            nature: Nature::Derived,
        },
        "allocs_per_iter" => Metric::allocations_per_op(),
        "max_bytes_used" => counted("max-bytes"),
        "net_heap_growth" => counted("net-heap-growth"),
        "total_allocated_bytes" => counted("total-allocated-bytes"),
        _ if RESERVED.contains(&name) => Metric::custom(&format!("reported:{name}")),
        _ if name.to_ascii_lowercase().ends_with("per_second") => {
            Metric { direction: Direction::HigherIsBetter, ..Metric::custom(name) }
        }
        _ => Metric::custom(name),
    }
}

/// What aggregates say about the time.
fn summary(rows: &[Row]) -> Option<ImportedSummary> {
    let of = |names: [&str; 2]| {
        let is_wanted = |row: &&Row| match &row.aggregate {
            Some(aggregate) => aggregate == names[0],
            None => row.name.ends_with(names[1]),
        };
        let row = rows.iter().find(is_wanted)?;
        if row.aggregate_unit.as_deref() == Some("percentage") {
            return None;
        }
        Some(row.unit().ok()?.apply(row.real_time?))
    };
    let (mean, median) = (of(["mean", "_mean"]), of(["median", "_median"]));
    let count = rows.iter().find_map(|row| row.operations);
    Some(ImportedSummary {
        mean,
        median,
        standard_deviation: of(["stddev", "_stddev"]),
        least: of(["min", "_min"]),
        greatest: of(["max", "_max"]),
        count,
        ..ImportedSummary::new(Metric::time(), mean.or(median)?)
    })
}

#[cfg(test)]
mod tests;
