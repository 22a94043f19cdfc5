//! CSV of `pa`, which its converter makes from JMH's results: one line per value of an iteration, with its
//! frequency.

use std::borrow::Cow;
use std::collections::HashMap;

use benchwright_model::{BenchmarkId, Measurement, Position, Series};

use crate::jmh;
use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::number;
use crate::reading::units::{self, Scaled};
use crate::reading::{finish_text, lines};
use crate::separated;
use crate::{Format, Imported};

/// The columns. Files of the converter have no header line.
const COLUMNS: [&str; 12] = [
    "project",
    "commit",
    "benchmark",
    "params",
    "instance",
    "trial",
    "fork",
    "iteration",
    "mode",
    "unit",
    "value_count",
    "value",
];

/// Whether the first line has the twelve columns.
pub(crate) fn recognise(head: &Head) -> bool {
    let line = head.lines().find(|line| !line.starts_with(b"#") && !line.is_empty()).unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else { return false };
    let mut fields = Vec::new();
    separated::split(line, ';', &mut fields);
    is_header(&fields) || Row::of(&fields).is_ok()
}

fn is_header(fields: &[Cow<'_, str>]) -> bool {
    separated::columns(fields, COLUMNS)
        .is_some_and(|columns| columns.iter().enumerate().all(|(i, at)| i == *at))
}

/// Reads everything: one set per commit.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut commits = Commits::default();
    let (mut diagnostics, end) = lines(input, |line, number, diagnostics| {
        let place = Place { line: number, column: 1 };
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        let mut fields = Vec::new();
        separated::split(line, ';', &mut fields);
        match Row::of(&fields) {
            Ok(row) => commits.take(&row, place),
            Err(_) if is_header(&fields) => {}
            Err(reason) => diagnostics.warn(place, reason),
        }
    });
    let mut collectors: Vec<Collector> =
        commits.list.into_iter().map(|commit| commit.hand_over(&mut diagnostics)).collect();
    if collectors.is_empty() {
        collectors.push(Collector::new(Format::Pa));
    }
    finish_text(diagnostics, end, collectors)
}

/// One line.
struct Row<'a> {
    project: &'a str,
    commit: &'a str,
    benchmark: &'a str,
    parameters: &'a str,
    instance: &'a str,
    trial: u32,
    fork: u32,
    iteration: u32,
    mode: &'a str,
    unit: &'a str,
    count: f64,
    value: f64,
}

impl<'a> Row<'a> {
    fn of(fields: &'a [Cow<'a, str>]) -> Result<Row<'a>, String> {
        let [
            project,
            commit,
            benchmark,
            parameters,
            instance,
            trial,
            fork,
            iteration,
            mode,
            unit,
            count,
            value,
        ] = fields
        else {
            return Err(format!("left out a line with {} fields, 12 are needed", fields.len()));
        };
        let float = |text: &str| {
            let value = number::parse(text.trim().as_bytes());
            value.ok_or_else(|| {
                format!("left out a line: `{}` is not a number", crate::reading::json::shorten(text))
            })
        };
        let whole = |text: &str| {
            let value = float(text)?;
            let is_whole = (0.0..4e9).contains(&value) && value.fract() == 0.0;
            is_whole.then_some(value as u32).ok_or_else(|| format!("left out a line: no position `{text}`"))
        };
        if benchmark.is_empty() {
            return Err("left out a line without the name of its benchmark".into());
        }
        Ok(Row {
            project,
            commit,
            benchmark,
            parameters,
            instance,
            trial: whole(trial)?,
            fork: whole(fork)?,
            iteration: whole(iteration)?,
            mode,
            unit,
            count: float(count)?,
            value: float(value)?,
        })
    }
}

#[derive(Default)]
struct Commits {
    list: Vec<Commit>,
    index: HashMap<(String, String), usize>,
}

struct Commit {
    project: String,
    commit: String,
    benchmarks: Vec<Benchmark>,
    /// By benchmark, parameters, mode and unit.
    index: HashMap<[String; 4], usize>,
    instances: HashMap<String, u32>,
}

struct Benchmark {
    id: BenchmarkId,
    mode: String,
    unit: Scaled,
    place: Place,
    processes: Vec<Process>,
    index: HashMap<[u32; 3], usize>,
}

/// Sums of each iteration.
struct Process {
    levels: [u32; 3],
    iterations: Vec<(u32, f64, f64)>,
}

impl Commits {
    fn take(&mut self, row: &Row<'_>, place: Place) {
        let key = (row.project.to_owned(), row.commit.to_owned());
        let index = *self.index.entry(key).or_insert_with(|| {
            self.list.push(Commit {
                project: row.project.into(),
                commit: row.commit.into(),
                benchmarks: Vec::new(),
                index: HashMap::new(),
                instances: HashMap::new(),
            });
            self.list.len() - 1
        });
        self.list[index].take(row, place);
    }
}

impl Commit {
    fn take(&mut self, row: &Row<'_>, place: Place) {
        let next = u32::try_from(self.instances.len()).unwrap_or(u32::MAX);
        let instance = *self.instances.entry(row.instance.to_owned()).or_insert(next);
        let key = [row.benchmark, row.parameters, row.mode, row.unit].map(str::to_owned);
        let index = *self.index.entry(key).or_insert_with(|| {
            self.benchmarks.push(Benchmark {
                id: identity(row),
                mode: row.mode.into(),
                unit: units::main(row.unit),
                place,
                processes: Vec::new(),
                index: HashMap::new(),
            });
            self.benchmarks.len() - 1
        });
        self.benchmarks[index].take([instance, row.trial, row.fork], row);
    }

    fn hand_over(self, diagnostics: &mut Diagnostics) -> Collector {
        let mut collector = Collector::new(Format::Pa);
        collector.revision = Some(self.commit).filter(|commit| !commit.is_empty());
        collector.fact("project", Some(self.project));
        for benchmark in self.benchmarks {
            benchmark.hand_over(&mut collector, diagnostics);
        }
        collector
    }
}

impl Benchmark {
    fn take(&mut self, levels: [u32; 3], row: &Row<'_>) {
        let index = *self.index.entry(levels).or_insert_with(|| {
            self.processes.push(Process { levels, iterations: Vec::new() });
            self.processes.len() - 1
        });
        let iterations = &mut self.processes[index].iterations;
        let weight = if row.count > 0.0 { row.count } else { 1.0 };
        match iterations.last_mut() {
            Some((number, sum, count)) if *number == row.iteration => {
                *sum += row.value * weight;
                *count += weight;
            }
            _ => iterations.push((row.iteration, row.value * weight, weight)),
        }
    }

    fn hand_over(self, collector: &mut Collector, diagnostics: &mut Diagnostics) {
        let position = |process: &Process| {
            let [instance, suite_run, iteration] = process.levels;
            Position::Levels { instance, suite_run, iteration }
        };
        let positions = self.processes.iter().map(position).collect();
        let unit = self.unit;
        let processes = self.processes.into_iter().map(|process| process.finish(&unit)).collect();
        let found = Found { positions, variant: self.mode.into(), ..Found::values(self.id, processes) };
        collector.add(found, self.place, diagnostics);
    }
}

impl Process {
    fn finish(self, unit: &Scaled) -> Measurement {
        let values = self.iterations.iter().map(|(_, sum, count)| unit.apply(sum / count)).collect();
        let operations = self.iterations.iter().map(|(_, _, count)| count.clamp(0.0, 1e18) as u64).collect();
        let series = Series { metric: unit.metric.clone(), values, resolution: 0.0 };
        Measurement { warmup: 0, operations, series: vec![series], ..Measurement::default() }
    }
}

/// The identity, from the names of JMH or of Go.
fn identity(row: &Row<'_>) -> BenchmarkId {
    if row.benchmark.starts_with("Benchmark") {
        return BenchmarkId::new("go", "", row.benchmark);
    }
    let pairs = row.parameters.split([',', '&']).filter_map(|pair| pair.split_once('='));
    let parameters: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect();
    jmh::identity(row.benchmark, &parameters)
}

#[cfg(test)]
mod tests;
