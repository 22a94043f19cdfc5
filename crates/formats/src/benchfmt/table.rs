//! Results by configuration, package, benchmark, process and unit.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use benchwright_model::{BenchmarkId, Direction, Measurement, Metric, Nature, Series};

use super::names::Names;
use super::{Configuration, at, metric};
use crate::reading::NOT_UTF_8;
use crate::reading::collect::{Collector, Found};
use crate::reading::columns;
use crate::reading::diagnostics::Diagnostics;
use crate::reading::index::Index;
use crate::reading::number::Printed;
use crate::{Format, Imported, Scaled};

/// The content of a `Unit` line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnitLine {
    pub(super) direction: Option<Direction>,
    pub(super) is_exact: bool,
}

/// The content of all `Unit` lines.
pub(super) type Units = BTreeMap<String, UnitLine>;

/// Results with the same configuration.
pub(super) struct Part {
    pub(super) configuration: Configuration,
    pub(super) packages: Vec<Package>,
    pub(super) index: HashMap<String, usize>,
    /// Whether test programs can be distinguished.
    pub(super) is_structure_known: bool,
}

/// Results of one package.
pub(super) struct Package {
    name: String,
    index: Index,
    benchmarks: Vec<Benchmark>,
    /// The package used last, because results of one name usually follow each other.
    last: usize,
    /// Units by their position in the last lines, because most benchmarks have the same units as the previous
    /// one.
    units: Vec<Rc<[u8]>>,
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
    unit: Rc<[u8]>,
    values: Vec<f64>,
    /// The smallest number of units of the last digit of a printed value.
    least_digits: f64,
    /// The same before the last value, which may be removed again.
    digits_before: f64,
}

impl Part {
    pub(super) fn find_package(&mut self, name: &str) -> usize {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        self.packages.push(Package {
            name: name.into(),
            index: Index::default(),
            benchmarks: Vec::new(),
            last: 0,
            units: Vec::new(),
        });
        self.index.insert(name.into(), self.packages.len() - 1);
        self.packages.len() - 1
    }

    /// Whether some result ends with this unit. `None` if there are no results.
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
            // The collector has an index of its own, and an index of many names takes memory.
            package.index = Index::default();
            // Removes names of lines that turned out not to be results.
            package
                .benchmarks
                .retain(|benchmark| benchmark.processes.iter().any(|process| !process.operations.is_empty()));
            let names = Names::of(package.benchmarks.iter().map(|benchmark| &*benchmark.name));
            if let Some(processors) = names.processors() {
                collector.fact("gomaxprocs", Some(processors.to_string()));
            }
            for benchmark in package.benchmarks {
                let place = at(benchmark.line, 1);
                benchmark.check_text(diagnostics);
                let mut left_out = Vec::new();
                let (name, variants) = benchmark.finish(names, units, &mut left_out);
                let id = BenchmarkId::new("go", package.name.as_str(), name);
                if let Some((unit, found, wanted)) = left_out.first() {
                    let message = format!("left out `{unit}` of `{id}`: {found} values for {wanted} results");
                    diagnostics.warn(place, message);
                }
                let is_structure_known = self.is_structure_known;
                let mut add = |id: BenchmarkId, processes| {
                    let found = Found { is_structure_known, ..Found::values(id, processes) };
                    collector.add(found, place, diagnostics);
                };
                match variants {
                    Variants::One(processes) => add(id, processes),
                    Variants::Several(list) => {
                        list.into_iter().for_each(|processes| add(id.clone(), processes));
                    }
                }
            }
        }
        collector.finish(diagnostics)
    }
}

/// Whether a column with this unit is a main one.
fn is_main(unit: &[u8]) -> bool {
    matches!(unit, b"ns/op" | b"sec/op" | b"ops/s")
}

fn main_name(measurement: &Measurement) -> Option<&str> {
    measurement.main().map(|series| series.metric.name.as_str())
}

impl Benchmark {
    /// Adds a diagnostic if its name or a unit is not UTF-8.
    fn check_text(&self, diagnostics: &mut Diagnostics) {
        let units = self.processes.iter().flat_map(Process::units);
        let mut texts = std::iter::once(&*self.name).chain(units);
        if let Some(error) = texts.find_map(|text| std::str::from_utf8(text).err()) {
            diagnostics.warn(at(self.line, error.valid_up_to() + 1), NOT_UTF_8);
        }
    }

    /// Its name and its processes.
    fn finish(
        self,
        names: Names,
        units: &Units,
        left_out: &mut Vec<(String, usize, usize)>,
    ) -> (String, Variants) {
        let mut variants = Variants::One(Vec::with_capacity(self.processes.len()));
        for process in self.processes.into_iter().filter(|process| !process.operations.is_empty()) {
            process.finish(units, left_out, &mut variants);
        }
        let length = names.plain(&self.name).len();
        let mut name = self.name.into_vec();
        name.truncate(length);
        let name = String::from_utf8(name)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        (name, variants)
    }
}

/// Processes. There are several lists if different metrics were measured under one name.
enum Variants {
    One(Vec<Measurement>),
    Several(Vec<Vec<Measurement>>),
}

impl Variants {
    fn push(&mut self, measurement: Measurement) {
        let main = main_name(&measurement);
        let is_alike = |list: &[Measurement]| list.first().is_none_or(|first| main_name(first) == main);
        match self {
            Variants::One(list) if is_alike(list.as_slice()) => list.push(measurement),
            Variants::One(list) => *self = Variants::Several(vec![std::mem::take(list), vec![measurement]]),
            Variants::Several(lists) => match lists.iter_mut().find(|list| is_alike(list.as_slice())) {
                Some(list) => list.push(measurement),
                None => lists.push(vec![measurement]),
            },
        }
    }
}

impl Package {
    /// Number of its benchmarks.
    pub(super) fn len(&self) -> usize {
        self.benchmarks.len()
    }

    /// The columns of a benchmark in a process, and units that it may share.
    pub(super) fn process(
        &mut self,
        name: &[u8],
        number: u32,
        line: u32,
    ) -> (&mut Process, &mut Vec<Rc<[u8]>>) {
        // Most benchmarks have as many results as the previous one.
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
            let columns = Vec::with_capacity(self.units.len());
            processes.push(Process { number, operations, columns });
        }
        let last = processes.len() - 1;
        (&mut processes[last], &mut self.units)
    }

    /// The columns that were last added to.
    pub(super) fn last_process(&mut self) -> Option<&mut Process> {
        self.benchmarks.get_mut(self.last)?.processes.last_mut()
    }

    fn find(&mut self, name: &[u8], line: u32) -> usize {
        let index = self.benchmarks.len();
        match self.index.find(name, |at| *self.benchmarks[at].name == *name) {
            Ok(known) => return known,
            Err(vacancy) => self.index.add(vacancy, index),
        }
        self.benchmarks.push(Benchmark { name: name.into(), line, processes: Vec::with_capacity(1) });
        index
    }
}

impl Process {
    /// Begins the numbers of the next result.
    pub(super) fn begin(&mut self, operations: u64) {
        self.operations.push(operations);
    }

    /// Takes the values of the current result, one for every column: all digits as one number, and the
    /// divisor for it. Both are exact, as in [`crate::reading::number`].
    #[inline]
    pub(super) fn row(&mut self, values: impl Iterator<Item = (u64, u64)>) {
        for (column, (digits, scale)) in self.columns.iter_mut().zip(values) {
            let digits = digits.cast_signed() as f64;
            column.values.push(digits / scale.cast_signed() as f64);
            if digits > 0.0 && digits < column.least_digits {
                column.least_digits = digits;
            }
        }
    }

    /// Whether every result has a value of every unit.
    pub(super) fn is_even(&self) -> bool {
        self.columns.iter().all(|column| column.values.len() == self.operations.len())
    }

    /// The units of the columns.
    pub(super) fn units(&self) -> impl Iterator<Item = &[u8]> {
        self.columns.iter().map(|column| &*column.unit)
    }

    /// Takes the value at `index` of the current result.
    pub(super) fn value(&mut self, index: usize, printed: Printed, unit: &[u8], shared: &mut Vec<Rc<[u8]>>) {
        let rows = self.operations.len();
        let is_same = |column: &Column| *column.unit == *unit;
        let found = match self.columns.get(index) {
            Some(column) if is_same(column) => Some(index),
            _ => self.columns.iter().position(is_same),
        };
        let Some(found) = found else {
            if self.columns.len() <= columns::MOST {
                let mut values = Vec::with_capacity(self.operations.capacity());
                values.push(printed.value);
                let unit = share(unit, index, shared);
                let least_digits = printed.digits;
                self.columns.push(Column { unit, values, least_digits, digits_before: f64::INFINITY });
            }
            return;
        };
        let column = &mut self.columns[found];
        // If a unit occurs twice in one line, all later values would be shifted. The first one counts.
        if column.values.len() < rows {
            column.values.push(printed.value);
            column.digits_before = column.least_digits;
            // NaN is ignored.
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
            column.least_digits = column.digits_before;
        });
        self.columns.retain(|column| !column.values.is_empty());
    }

    fn finish(self, units: &Units, left_out: &mut Vec<(String, usize, usize)>, variants: &mut Variants) {
        let iterations = self.operations.len();
        let is_part = |column: &&Column| column.values.len() < iterations && is_main(&column.unit);
        let parts: usize = self.columns.iter().filter(is_part).map(|column| column.values.len()).sum();
        // Every line has either a time or a throughput, so there are two benchmarks, for which operations are
        // not stored.
        let is_split = parts == iterations && iterations > 0;
        let has_time = self.columns.iter().any(|column| matches!(&*column.unit, b"ns/op" | b"sec/op"));
        let mut series = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            if column.values.len() == iterations {
                series.push(column.finish(units, has_time));
            } else if is_split && is_main(&column.unit) {
                let series = vec![column.finish(units, false)];
                variants.push(Measurement { series, ..Measurement::default() });
            } else {
                let unit = String::from_utf8_lossy(&column.unit).into_owned();
                left_out.push((unit, column.values.len(), iterations));
            }
        }
        if !is_split {
            variants.push(Measurement {
                warmup: 0,
                operations: self.operations,
                series,
                ..Measurement::default()
            });
        }
    }
}

/// The unit at a place of a line.
fn share(unit: &[u8], index: usize, shared: &mut Vec<Rc<[u8]>>) -> Rc<[u8]> {
    match shared.get_mut(index) {
        Some(known) if **known == *unit => {}
        Some(known) => *known = unit.into(),
        // A line's units come one after the other. A unit that was left out leaves no gap.
        None => shared.push(unit.into()),
    }
    shared.get(index).map_or_else(|| unit.into(), Rc::clone)
}

impl Column {
    fn finish(self, units: &Units, has_time: bool) -> Series {
        let mut values = self.values;
        let unit = String::from_utf8_lossy(&self.unit);
        let resolution = if self.least_digits.is_finite() { 1.0 / self.least_digits } else { 0.0 };
        let scaled = match unit.as_ref() {
            "sec/op" => Scaled::new(Metric::time(), 1.0),
            // The name that benchwright's own export uses for operations per second.
            "ops/s" if !has_time => Scaled::new(Metric::throughput(), 1.0),
            other => metric(other),
        };
        scaled.apply_to(&mut values);
        let mut metric = scaled.metric;
        let resolution = if metric.nature == Nature::Counted { 0.0 } else { resolution };
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
