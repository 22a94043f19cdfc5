//! Google Benchmark's JSON: rows of one process, one per repetition, and aggregates.

use std::collections::{HashMap, HashSet};

use benchwright_model::{BenchmarkId, Metric};

use crate::moment::parse_moment;
use crate::reading::collect::{Collector, Found};
use crate::reading::columns::Columns;
use crate::reading::diagnostics::Place;
use crate::reading::finish_json;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::{Format, Imported, ImportedSummary};

mod metric;
mod row;

pub use row::{Row, rows};

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
            // These change all the time, or are lists.
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
    /// Names of benchmarks that failed. Each is reported once.
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

impl Rows {
    fn take(&mut self, json: &mut Json<'_>) -> Step<()> {
        let place = json.place();
        if let Some(row) = Row::read(json)? {
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
            // Only needed if there is nothing else, and then there are few.
            if !benchmark.has_rows && benchmark.aggregates.len() < 100 {
                benchmark.aggregates.push(row);
            }
            return;
        }
        benchmark.has_rows = true;
        benchmark.aggregates.clear();
        match row.values() {
            Some(values) => benchmark.columns.row(row.operations, values),
            None => {
                let unit = row.unit();
                diagnostics.warn(place, format!("left out a row in `{unit}`, which is not a unit of time"));
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
                for (name, _) in left_out {
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

/// The summary of the time in aggregates.
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
        row.seconds(row.real_time?)
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
