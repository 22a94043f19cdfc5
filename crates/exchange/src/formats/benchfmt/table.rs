//! Results by circumstances, package, benchmark, process and unit.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{BenchmarkId, Direction, Measurement, Metric, Nature, Series};

use super::names::Names;
use super::{Configuration, at};
use crate::collect::{Collector, Found};
use crate::diagnostics::Diagnostics;
use crate::number::Printed;
use crate::{Format, Imported};

/// More units than any benchmark reports; further ones are left out.
const MOST_UNITS: usize = 256;

/// What a `Unit` line says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnitLine {
    pub(super) direction: Option<Direction>,
    pub(super) is_exact: bool,
}

/// What all `Unit` lines say.
pub(super) type Units = BTreeMap<String, UnitLine>;

/// Results under the same circumstances.
pub(super) struct Part {
    pub(super) configuration: Configuration,
    pub(super) packages: Vec<Package>,
    pub(super) index: HashMap<String, usize>,
    /// Whether test programs can be told apart.
    pub(super) is_structure_known: bool,
}

/// Results of one package.
pub(super) struct Package {
    name: String,
    index: HashMap<Box<[u8]>, usize>,
    benchmarks: Vec<Benchmark>,
    /// The last one added to: results of one name mostly follow each other.
    last: usize,
}

struct Benchmark {
    name: Box<[u8]>,
    line: u32,
    processes: Vec<Process>,
}

/// Columns of one process.
pub(super) struct Process {
    number: u32,
    operations: Vec<u64>,
    columns: Vec<Column>,
}

struct Column {
    unit: Box<[u8]>,
    values: Vec<f64>,
    /// The least number of units of the last digit that a value was printed with.
    least_digits: f64,
}

impl Part {
    pub(super) fn find_package(&mut self, name: &str) -> usize {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        self.packages.push(Package {
            name: name.into(),
            index: HashMap::new(),
            benchmarks: Vec::new(),
            last: 0,
        });
        self.index.insert(name.into(), self.packages.len() - 1);
        self.packages.len() - 1
    }

    /// Whether some result ends with this unit; none if there are no results.
    pub(super) fn has_last_unit(&self, unit: &[u8]) -> Option<bool> {
        let benchmarks = self.packages.iter().flat_map(|package| &package.benchmarks);
        let mut ends = benchmarks
            .flat_map(|benchmark| &benchmark.processes)
            .filter_map(|process| process.columns.last());
        let first = ends.next()?;
        Some(*first.unit == *unit || ends.any(|column| *column.unit == *unit))
    }

    pub(super) fn finish(self, units: &Units, diagnostics: &mut Diagnostics) -> Imported {
        let mut collector = Collector::new(Format::Benchfmt);
        collector.revision = self.configuration.get("commit").cloned();
        collector.environment = self.configuration;
        for mut package in self.packages {
            // Of a line that turned out to be no result the name is left.
            package
                .benchmarks
                .retain(|benchmark| benchmark.processes.iter().any(|process| !process.operations.is_empty()));
            let names = Names::of(package.benchmarks.iter().map(|benchmark| &*benchmark.name));
            if let Some(processors) = names.processors() {
                collector.fact("gomaxprocs", Some(processors.to_string()));
            }
            for benchmark in package.benchmarks {
                let name = String::from_utf8_lossy(names.plain(&benchmark.name)).into_owned();
                let id = BenchmarkId::new("go", package.name.as_str(), name);
                let mut left_out = Vec::new();
                let processes =
                    benchmark.processes.into_iter().filter(|process| !process.operations.is_empty());
                let processes = processes.map(|process| process.finish(units, &mut left_out)).collect();
                let place = at(benchmark.line, 1);
                if let Some((unit, found, wanted)) = left_out.first() {
                    let message = format!("left out `{unit}` of `{id}`: {found} values for {wanted} results");
                    diagnostics.warn(place, message);
                }
                let found =
                    Found { is_structure_known: self.is_structure_known, ..Found::values(id, processes) };
                collector.add(found, place, diagnostics);
            }
        }
        collector.finish(diagnostics)
    }
}

impl Package {
    /// The columns of a benchmark in a process.
    pub(super) fn process(&mut self, name: &[u8], number: u32, line: u32) -> &mut Process {
        // Most benchmarks have as many results as the one before.
        let expected = match self.benchmarks.get(self.last) {
            Some(last) if *last.name == *name => {
                last.processes.last().map_or(0, |process| process.operations.len())
            }
            Some(last) => {
                let expected = last.processes.last().map_or(0, |process| process.operations.len());
                self.last = self.find(name, line);
                expected
            }
            None => {
                self.last = self.find(name, line);
                0
            }
        };
        let processes = &mut self.benchmarks[self.last].processes;
        if processes.last().is_none_or(|last| last.number != number) {
            let operations = Vec::with_capacity(expected.min(1024));
            processes.push(Process { number, operations, columns: Vec::new() });
        }
        let last = processes.len() - 1;
        &mut processes[last]
    }

    fn find(&mut self, name: &[u8], line: u32) -> usize {
        if let Some(&index) = self.index.get(name) {
            return index;
        }
        self.index.insert(name.into(), self.benchmarks.len());
        self.benchmarks.push(Benchmark { name: name.into(), line, processes: Vec::new() });
        self.benchmarks.len() - 1
    }
}

impl Process {
    /// Begins the numbers of the next result.
    pub(super) fn begin(&mut self, operations: u64) {
        self.operations.push(operations);
    }

    /// Takes the value at `index` of the result that was begun.
    pub(super) fn value(&mut self, index: usize, printed: Printed, unit: &[u8]) {
        let rows = self.operations.len();
        let is_same = |column: &Column| *column.unit == *unit;
        let found = match self.columns.get(index) {
            Some(column) if is_same(column) => Some(index),
            _ => self.columns.iter().position(is_same),
        };
        let Some(found) = found else {
            if self.columns.len() < MOST_UNITS {
                let mut values = Vec::with_capacity(self.operations.capacity());
                values.push(printed.value);
                self.columns.push(Column { unit: unit.into(), values, least_digits: printed.digits });
            }
            return;
        };
        let column = &mut self.columns[found];
        // A unit twice in one line would shift all later values; the first one counts.
        if column.values.len() < rows {
            column.values.push(printed.value);
            // Not-a-number stays out of this.
            if printed.digits < column.least_digits {
                column.least_digits = printed.digits;
            }
        }
    }

    /// Takes back the result that was begun.
    pub(super) fn take_back(&mut self) {
        let rows = self.operations.len();
        self.operations.pop();
        self.columns.iter_mut().filter(|column| column.values.len() == rows).for_each(|column| {
            column.values.pop();
        });
        self.columns.retain(|column| !column.values.is_empty());
    }

    fn finish(self, units: &Units, left_out: &mut Vec<(String, usize, usize)>) -> Measurement {
        let iterations = self.operations.len();
        let has_time = self.columns.iter().any(|column| matches!(&*column.unit, b"ns/op" | b"sec/op"));
        let mut series = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            if column.values.len() == iterations {
                series.push(column.finish(units, has_time));
            } else {
                let unit = String::from_utf8_lossy(&column.unit).into_owned();
                left_out.push((unit, column.values.len(), iterations));
            }
        }
        Measurement { warmup: 0, operations: self.operations, series }
    }
}

impl Column {
    fn finish(self, units: &Units, has_time: bool) -> Series {
        let mut values = self.values;
        let unit = String::from_utf8_lossy(&self.unit);
        let resolution = if self.least_digits.is_finite() { 1.0 / self.least_digits } else { 0.0 };
        let (mut metric, resolution) = match unit.as_ref() {
            "ns/op" => {
                values.iter_mut().for_each(|value| *value /= 1e9);
                (Metric::time(), resolution)
            }
            "sec/op" => (Metric::time(), resolution),
            "MB/s" => {
                values.iter_mut().for_each(|value| *value *= 1e6);
                (Metric::bytes_per_second(), resolution)
            }
            "B/op" => (Metric::bytes_per_op(), 0.0),
            "allocs/op" => (Metric::allocations_per_op(), 0.0),
            // What our own export calls operations per second.
            "ops/s" if !has_time => (Metric::throughput(), resolution),
            // These names mean something else here.
            "time" | "B/s" | "throughput" => (Metric::custom(&format!("reported:{unit}")), resolution),
            _ => (Metric::custom(&unit), resolution),
        };
        let said = units.get(unit.as_ref()).copied().unwrap_or_default();
        if let Some(direction) = said.direction {
            metric.direction = direction;
        }
        if said.is_exact {
            metric.nature = Nature::Counted;
        }
        Series { metric, values, resolution }
    }
}
