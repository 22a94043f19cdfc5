//! Go's benchmark text: what `go test -bench` prints and benchstat reads.
//!
//! Lines `key: value` say under which circumstances the following results were measured, lines `Unit …` what a unit means. Several
//! results of one name up to the end of a test program (`PASS`, `ok`) come from one process: `-count` repeats inside it.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{BenchmarkId, Direction, Measurement, Metric, Nature, Series};

use crate::collect::{Collector, Found};
use crate::diagnostics::{Diagnostics, Place};
use crate::head::Head;
use crate::input::{Input, Line};
use crate::{Format, Imported};

mod line;
mod names;

use line::{Fields, ResultLine};

/// More units than any benchmark reports; further ones are left out.
const MOST_UNITS: usize = 256;

/// Words before a colon that programs print and that say nothing about the results that follow.
const NO_KEYS: [&str; 7] = ["panic", "testing", "warning", "error", "fatal", "note", "exit"];

/// Whether the beginning has a result, or what `go test` prints before results.
pub(crate) fn recognise(head: &Head) -> bool {
    let is_header = |line: &[u8]| [&b"goos: "[..], b"pkg: "].iter().any(|key| line.starts_with(key));
    head.lines().any(|line| is_header(line) || line::result(line).is_ok_and(|result| result.is_some()))
}

/// Reads everything: one set of results per set of circumstances.
pub(crate) fn read(mut input: Input<'_>) -> Vec<Imported> {
    let mut reader = Reader::default();
    // Not `lines` as other texts: names and numbers are looked at as bytes, for speed.
    let mut diagnostics = std::mem::replace(&mut input.diagnostics, Diagnostics::new(""));
    let mut number = 0_u32;
    loop {
        number = number.saturating_add(1);
        let more = input.with_line(|line| match line {
            Line::Whole(line) => reader.line(line, number, &mut diagnostics),
            Line::TooLong => diagnostics.warn(at(number, 1), "left out a line longer than 1 MiB"),
        });
        if more.is_none() {
            break;
        }
    }
    if let Some(error) = input.take_error() {
        diagnostics.error(at(number, 1), format!("cannot be read further: {error}"));
    }
    reader.finish(diagnostics)
}

fn at(line: u32, column: usize) -> Place {
    Place { line, column: u32::try_from(column).unwrap_or(u32::MAX) }
}

/// Circumstances of results, `pkg` not among them.
type Configuration = BTreeMap<String, String>;

#[derive(Default)]
struct Reader {
    configuration: Configuration,
    package: String,
    units: BTreeMap<String, UnitLine>,
    parts: Vec<Part>,
    part_index: HashMap<Configuration, usize>,
    /// The part that the circumstances belong to; none after a change of them.
    part: Option<usize>,
    /// The package's number within the part; none after a change.
    package_index: Option<usize>,
    /// Counts test programs.
    process: u32,
    /// Whether there was a result since the last end of a test program.
    has_results: bool,
    /// A name without numbers: the benchmark printed something itself. With its place.
    waiting: Option<(Vec<u8>, Place)>,
}

/// What a `Unit` line says.
#[derive(Debug, Clone, Copy, Default)]
struct UnitLine {
    direction: Option<Direction>,
    is_exact: bool,
}

/// Results under the same circumstances.
struct Part {
    configuration: Configuration,
    packages: Vec<Package>,
    index: HashMap<String, usize>,
    /// Whether test programs can be told apart.
    is_structure_known: bool,
}

/// Results of one package.
struct Package {
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
struct Process {
    number: u32,
    operations: Vec<u64>,
    columns: Vec<Column>,
}

struct Column {
    unit: Box<str>,
    values: Vec<f64>,
    resolution: f64,
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        match line.first() {
            Some(b'B') if line::has_name(line) => return self.result(line, number, diagnostics),
            Some(b'a'..=b'z') if self.configure(line) => {}
            Some(b'P' | b'F' | b'o') if is_program_end(line) => self.end_of_program(),
            Some(b'U') if line.starts_with(b"Unit ") => self.unit_line(line, number, diagnostics),
            _ => return self.rest_of_result(line),
        }
        self.waiting = None;
    }

    fn result(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        self.waiting = None;
        match line::result(line) {
            Ok(Some(result)) => self.take(result, number),
            // The name alone is printed before the benchmark runs.
            Ok(None) => self.waiting = Some((line.trim_ascii().to_vec(), at(number, 1))),
            Err(column) => {
                let place = at(number, column + 1);
                let name = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                self.waiting = Some((name.to_vec(), place));
                if let Some(fields) = line::tail(&line[name.len()..]) {
                    let name = name.to_vec();
                    self.waiting = None;
                    self.take(ResultLine { name: &name, fields }, number);
                } else if line::looks_like_numbers(&line[name.len()..]) {
                    diagnostics.warn(place, "left out a result that is not `name count value unit …`");
                }
            }
        }
    }

    /// Numbers on a later line than the name, after what the benchmark printed.
    fn rest_of_result(&mut self, line: &[u8]) {
        if self.waiting.is_none() {
            return;
        }
        if let Some(fields) = line::tail(line)
            && let Some((name, place)) = self.waiting.take()
        {
            self.take(ResultLine { name: &name, fields }, place.line);
        }
    }

    /// Takes a line `key: value`. False if it is none.
    fn configure(&mut self, line: &[u8]) -> bool {
        let Some(colon) = memchr::memchr(b':', line) else { return false };
        let key = &line[..colon];
        let is_key = key.iter().all(|byte| !byte.is_ascii_uppercase() && !byte.is_ascii_whitespace());
        let value = &line[colon + 1..];
        let (Ok(key), true) = (std::str::from_utf8(key), is_key) else { return false };
        if NO_KEYS.contains(&key) || !(value.is_empty() || value.starts_with(b" ") || value.starts_with(b"\t")) {
            return false;
        }
        let value = String::from_utf8_lossy(value.trim_ascii()).into_owned();
        if key == "pkg" {
            self.end_of_program();
            if self.package != value {
                self.package = value;
                self.package_index = None;
            }
            return true;
        }
        if key == "goos" {
            self.end_of_program();
        }
        let is_changed =
            if value.is_empty() { self.configuration.remove(key).is_some() } else { self.set(key, value) };
        if is_changed {
            self.part = None;
            self.package_index = None;
        }
        true
    }

    fn set(&mut self, key: &str, value: String) -> bool {
        match self.configuration.get_mut(key) {
            Some(known) if *known == value => false,
            Some(known) => {
                *known = value;
                true
            }
            None => {
                self.configuration.insert(key.into(), value);
                true
            }
        }
    }

    /// A test program has ended, or another one begins.
    fn end_of_program(&mut self) {
        if self.has_results {
            self.process += 1;
            self.has_results = false;
        }
        if let Some(part) = self.part {
            self.parts[part].is_structure_known = true;
        }
    }

    fn unit_line(&mut self, line: &[u8], number: u32, diagnostics: &mut Diagnostics) {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_ascii_whitespace().skip(1);
        let Some(unit) = words.next() else { return };
        let mut known = self.units.get(unit).copied().unwrap_or_default();
        for word in words {
            match word {
                "better=higher" => known.direction = Some(Direction::HigherIsBetter),
                "better=lower" => known.direction = Some(Direction::LowerIsBetter),
                "assume=exact" => known.is_exact = true,
                "assume=nothing" => known.is_exact = false,
                _ if word.contains('=') => {}
                _ => diagnostics.warn(at(number, 1), format!("`{word}` is no `key=value` about a unit")),
            }
        }
        self.units.insert(unit.into(), known);
    }

    fn take(&mut self, result: ResultLine<'_>, number: u32) {
        self.has_results = true;
        let process = self.process;
        let package = self.package();
        package.benchmark(result.name, number).take(process, &result.fields);
    }

    /// The package that results belong to now.
    fn package(&mut self) -> &mut Package {
        let part = match self.part {
            Some(part) => part,
            None => self.find_part(),
        };
        self.part = Some(part);
        let part = &mut self.parts[part];
        let index = match self.package_index {
            Some(index) => index,
            None => part.find_package(&self.package),
        };
        self.package_index = Some(index);
        &mut part.packages[index]
    }

    fn find_part(&mut self) -> usize {
        if let Some(&known) = self.part_index.get(&self.configuration) {
            return known;
        }
        let part = Part {
            configuration: self.configuration.clone(),
            packages: Vec::new(),
            index: HashMap::new(),
            is_structure_known: self.configuration.contains_key("goos") || !self.package.is_empty(),
        };
        self.parts.push(part);
        self.part_index.insert(self.configuration.clone(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    fn finish(self, mut diagnostics: Diagnostics) -> Vec<Imported> {
        let mut list: Vec<Imported> = Vec::new();
        for part in self.parts {
            list.push(part.finish(&self.units, &mut diagnostics));
        }
        if list.is_empty() {
            diagnostics.warn_all("has no results of benchmarks");
            list.push(Format::Benchfmt.nothing(Vec::new()));
        }
        list[0].diagnostics = diagnostics.into_list();
        list
    }
}

/// Lines that `go test` prints when a test program is over.
fn is_program_end(line: &[u8]) -> bool {
    line == b"PASS" || line == b"FAIL" || [&b"ok  \t"[..], b"FAIL\t", b"ok "].iter().any(|word| line.starts_with(word))
}

impl Package {
    fn new(name: &str) -> Self {
        Package { name: name.into(), index: HashMap::new(), benchmarks: Vec::new(), last: 0 }
    }

    fn benchmark(&mut self, name: &[u8], line: u32) -> &mut Benchmark {
        if self.benchmarks.get(self.last).is_none_or(|last| *last.name != *name) {
            self.last = match self.index.get(name) {
                Some(&index) => index,
                None => {
                    self.index.insert(name.into(), self.benchmarks.len());
                    self.benchmarks.push(Benchmark { name: name.into(), line, processes: Vec::new() });
                    self.benchmarks.len() - 1
                }
            };
        }
        &mut self.benchmarks[self.last]
    }
}

impl Benchmark {
    fn take(&mut self, process: u32, fields: &Fields<'_>) {
        if self.processes.last().is_none_or(|last| last.number != process) {
            self.processes.push(Process { number: process, operations: Vec::new(), columns: Vec::new() });
        }
        if let Some(last) = self.processes.last_mut() {
            last.take(fields);
        }
    }
}

impl Process {
    fn take(&mut self, fields: &Fields<'_>) {
        self.operations.push(fields.operations);
        for (index, value) in fields.values().iter().enumerate() {
            // A unit twice in one line would shift all later values; the first one counts.
            if fields.values()[..index].iter().any(|earlier| earlier.unit == value.unit) {
                continue;
            }
            let is_same = |column: &Column| *column.unit == *value.unit;
            let found = self.columns.get(index).filter(|column| is_same(column)).map(|_| index);
            let found = found.or_else(|| self.columns.iter().position(is_same));
            match found {
                Some(found) => {
                    let column = &mut self.columns[found];
                    column.values.push(value.number);
                    column.resolution = column.resolution.max(value.resolution());
                }
                None if self.columns.len() >= MOST_UNITS => {}
                None => self.columns.push(Column {
                    unit: value.unit.into(),
                    values: vec![value.number],
                    resolution: value.resolution(),
                }),
            }
        }
    }
}

impl Part {
    fn find_package(&mut self, name: &str) -> usize {
        if let Some(&known) = self.index.get(name) {
            return known;
        }
        self.packages.push(Package::new(name));
        self.index.insert(name.into(), self.packages.len() - 1);
        self.packages.len() - 1
    }

    fn finish(self, units: &BTreeMap<String, UnitLine>, diagnostics: &mut Diagnostics) -> Imported {
        let mut collector = Collector::new(Format::Benchfmt);
        collector.revision = self.configuration.get("commit").cloned();
        collector.environment = self.configuration;
        for package in self.packages {
            let names = names::Names::of(package.benchmarks.iter().map(|benchmark| &*benchmark.name));
            if let Some(processors) = names.processors() {
                collector.fact("gomaxprocs", Some(processors.to_string()));
            }
            for benchmark in package.benchmarks {
                let name = String::from_utf8_lossy(names.plain(&benchmark.name)).into_owned();
                let id = BenchmarkId::new("go", package.name.as_str(), name);
                let mut left_out = Vec::new();
                let processes =
                    benchmark.processes.into_iter().map(|process| process.finish(units, &mut left_out)).collect();
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

impl Process {
    fn finish(self, units: &BTreeMap<String, UnitLine>, left_out: &mut Vec<(String, usize, usize)>) -> Measurement {
        let iterations = self.operations.len();
        let has_time = self.columns.iter().any(|column| matches!(&*column.unit, "ns/op" | "sec/op"));
        let mut series = Vec::new();
        for column in self.columns {
            if column.values.len() == iterations {
                series.push(column.finish(units, has_time));
            } else {
                left_out.push((column.unit.into(), column.values.len(), iterations));
            }
        }
        Measurement { warmup: 0, operations: self.operations, series }
    }
}

impl Column {
    fn finish(self, units: &BTreeMap<String, UnitLine>, has_time: bool) -> Series {
        let mut values = self.values;
        let unit = &*self.unit;
        let (mut metric, resolution) = match unit {
            "ns/op" => {
                values.iter_mut().for_each(|value| *value /= 1e9);
                (Metric::time(), self.resolution)
            }
            "sec/op" => (Metric::time(), self.resolution),
            "MB/s" => {
                values.iter_mut().for_each(|value| *value *= 1e6);
                (Metric::bytes_per_second(), self.resolution)
            }
            "B/op" => (Metric::bytes_per_op(), 0.0),
            "allocs/op" => (Metric::allocations_per_op(), 0.0),
            // What our own export calls operations per second.
            "ops/s" if !has_time => (Metric::throughput(), self.resolution),
            // These names mean something else here.
            "time" | "B/s" | "throughput" => (Metric::custom(&format!("reported:{unit}")), self.resolution),
            _ => (Metric::custom(unit), self.resolution),
        };
        let said = units.get(unit).copied().unwrap_or_default();
        if let Some(direction) = said.direction {
            metric.direction = direction;
        }
        if said.is_exact {
            metric.nature = Nature::Counted;
        }
        Series { metric, values, resolution }
    }
}

#[cfg(test)]
mod tests;
