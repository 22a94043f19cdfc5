//! CSV of the µOpTime data sets: Go benchmarks by instance, suite run, iteration and second; JMH benchmarks
//! by fork and iteration.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use benchwright_model::{BenchmarkId, Measurement, Metric, Position, Series};

use crate::jmh;
use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::number;
use crate::reading::{finish_text, lines};
use crate::separated;
use crate::{Format, Imported};

/// Whether the first line has the columns of the data sets.
pub(crate) fn recognise(head: &Head) -> bool {
    Shape::of(head.first_line()).is_some()
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut table = Table::default();
    let mut shape = None;
    let (mut diagnostics, end) = lines(input, |line, number, diagnostics| {
        let place = Place { line: number, column: 1 };
        match shape {
            None => shape = Shape::of(line),
            Some(_) if line.is_empty() => {}
            Some(shape) => {
                if let Err(reason) = table.row(line, shape, place) {
                    diagnostics.warn(place, reason);
                }
            }
        }
    });
    table.fold_strays(&mut diagnostics);
    let mut collector = Collector::new(Format::Uoptime);
    for benchmark in table.benchmarks.into_iter().filter(|benchmark| !benchmark.processes.is_empty()) {
        benchmark.hand_over(&mut collector, &mut diagnostics);
    }
    finish_text(diagnostics, end, vec![collector])
}

/// The positions of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Columns of operations, time and name, then of instance, suite run, iteration and second.
    Go([usize; 3], [usize; 4]),
    /// The same, then of fork and iteration.
    Java([usize; 3], [usize; 2]),
}

impl Shape {
    fn of(header: &str) -> Option<Shape> {
        let mut fields = Vec::new();
        separated::split(header, ',', &mut fields);
        let common = separated::columns(&fields, ["n", "ns_per_op", "b_name"])?;
        let go = separated::columns(&fields, ["ir_pos", "sr_pos", "it_pos", "bed_pos"]);
        let java = || separated::columns(&fields, ["fork_pos", "it_pos"]);
        go.map(|levels| Shape::Go(common, levels))
            .or_else(|| java().map(|levels| Shape::Java(common, levels)))
    }
}

/// Levels above the values of a process: instance, suite run, iteration.
type Levels = [u32; 3];

#[derive(Default)]
struct Table {
    benchmarks: Vec<Benchmark>,
    /// By name, and by how often its positions have occurred before.
    index: HashMap<(String, u32), usize>,
    /// How often a position has occurred, and the last value's number within it.
    seen: HashMap<(String, Levels), (u32, u32)>,
}

struct Benchmark {
    id: BenchmarkId,
    /// As the file writes it.
    name: String,
    place: Place,
    /// From 0. Other blocks have the same name and other parameters.
    block: u32,
    processes: Vec<Process>,
    index: HashMap<Levels, usize>,
}

#[derive(Default)]
struct Process {
    levels: Levels,
    operations: Vec<u64>,
    values: Vec<f64>,
    /// Positions of the values within the process.
    places: Vec<u32>,
    resolution: f64,
}

impl Table {
    fn row(&mut self, line: &str, shape: Shape, place: Place) -> Result<(), String> {
        let mut fields = Vec::new();
        separated::split(line, ',', &mut fields);
        let (common, levels, inner, is_go) = match shape {
            Shape::Go(common, at) => {
                let levels =
                    [position(&fields, at[0])?, position(&fields, at[1])?, position(&fields, at[2])?];
                (common, levels, position(&fields, at[3])?, true)
            }
            Shape::Java(common, at) => {
                (common, [0, 0, position(&fields, at[0])?], position(&fields, at[1])?, false)
            }
        };
        let operations = value(&fields, common[0])?;
        let time = value(&fields, common[1])?;
        let name = field(&fields, common[2])?;
        // If benchmarks with different parameters share a name, the same positions occur again, one block
        // after the other.
        let key = (name.to_owned(), levels);
        let block = match self.seen.get(&key) {
            Some((block, last)) if inner <= *last => block + 1,
            Some((block, _)) => *block,
            None => 0,
        };
        self.seen.insert(key, (block, inner));
        let index = *self.index.entry((name.to_owned(), block)).or_insert_with(|| {
            self.benchmarks.push(Benchmark {
                id: identity(name, block, is_go),
                name: if block == 0 { name.to_owned() } else { format!("{name}#{}", block + 1) },
                place,
                block,
                processes: Vec::new(),
                index: HashMap::new(),
            });
            self.benchmarks.len() - 1
        });
        let process = self.benchmarks[index].process(levels);
        process.operations.push(operations.clamp(0.0, 1e18) as u64);
        process.values.push(time / 1e9);
        process.places.push(inner);
        if is_go {
            let resolution = number::resolution(fields[common[1]].trim().as_bytes(), time);
            process.resolution = process.resolution.max(resolution);
        }
        Ok(())
    }

    /// Returns lines that occurred twice, and the lines after them, to their benchmark, because they are not
    /// a block of another one. If two values have the same position, the first counts.
    fn fold_strays(&mut self, diagnostics: &mut Diagnostics) {
        let further = self.index.iter().filter(|((_, block), _)| *block > 0);
        let mut pairs: Vec<(usize, usize)> = further
            .filter_map(|((name, _), own)| Some((*own, *self.index.get(&(name.clone(), 0))?)))
            .collect();
        pairs.sort_unstable();
        let is_stray =
            |(own, first): &(usize, usize)| self.benchmarks[*own].is_stray(&self.benchmarks[*first]);
        // If there is a complete further block, a smaller one is another benchmark that is incomplete.
        let shared: HashSet<usize> =
            pairs.iter().filter(|pair| !is_stray(pair)).map(|(_, first)| *first).collect();
        for (own, first) in pairs {
            if shared.contains(&first) {
                continue;
            }
            let strays = std::mem::take(&mut self.benchmarks[own].processes);
            let place = self.benchmarks[own].place;
            let benchmark = &mut self.benchmarks[first];
            let twice: usize =
                strays.into_iter().map(|stray| benchmark.process(stray.levels).take_in(stray)).sum();
            let id = &benchmark.id;
            diagnostics
                .warn(place, format!("left out {twice} values of `{id}` whose position is taken by others"));
        }
    }
}

fn field<'a>(fields: &'a [Cow<'_, str>], at: usize) -> Result<&'a str, String> {
    fields.get(at).map(|field| field.trim()).ok_or_else(|| "left out a line with too few fields".into())
}

fn value(fields: &[Cow<'_, str>], at: usize) -> Result<f64, String> {
    let text = field(fields, at)?;
    number::parse(text.as_bytes())
        .ok_or_else(|| format!("left out a line: `{}` is not a number", crate::reading::json::shorten(text)))
}

/// A position, which the files count from 1.
fn position(fields: &[Cow<'_, str>], at: usize) -> Result<u32, String> {
    let value = value(fields, at)?;
    if (1.0..1e9).contains(&value) {
        Ok(value as u32 - 1)
    } else {
        Err(format!("left out a line: no position {value}"))
    }
}

/// The identity for `project#class.method#p=v`, `class.method`, or the name of a Go benchmark.
fn identity(name: &str, block: u32, is_go: bool) -> BenchmarkId {
    let mut id = if is_go {
        BenchmarkId::new("go", "", name)
    } else {
        let mut parts = name.split('#');
        let first = parts.next().unwrap_or_default();
        let method = parts.next().unwrap_or(first);
        let parameters = parts.next().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        let parameters: Vec<(String, String)> =
            parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        jmh::identity(method, &parameters)
    };
    if block > 0 {
        id.name.push_str(&format!("#{}", block + 1));
    }
    id
}

impl Benchmark {
    fn process(&mut self, levels: Levels) -> &mut Process {
        let index = *self.index.entry(levels).or_insert_with(|| {
            self.processes.push(Process { levels, ..Process::default() });
            self.processes.len() - 1
        });
        &mut self.processes[index]
    }

    fn values(&self) -> usize {
        self.processes.iter().map(|process| process.values.len()).sum()
    }

    /// Whether this further block is the result of a duplicate line: far smaller than the first block, or
    /// continuing where it ends, with one position per process in common.
    fn is_stray(&self, first: &Benchmark) -> bool {
        let is_taken = |process: &Process, place: &u32| {
            let other = first.index.get(&process.levels).map(|index| &first.processes[*index]);
            other.is_some_and(|other| other.places.contains(place))
        };
        let of_process = |process: &Process| process.places.iter().filter(|at| is_taken(process, at)).count();
        let taken: usize = self.processes.iter().map(of_process).sum();
        2 * self.values() < first.values() || taken <= self.processes.len()
    }

    fn hand_over(self, collector: &mut Collector, diagnostics: &mut Diagnostics) {
        if self.block == 1 {
            let id = &self.id;
            let message = format!(
                "several benchmarks share a name, one block of lines each; the second is called `{id}`"
            );
            diagnostics.warn(self.place, message);
        }
        let positions = self.processes.iter().map(|process| {
            let [instance, suite_run, iteration] = process.levels;
            Position::Levels { instance, suite_run, iteration }
        });
        let positions = positions.collect();
        let inner_positions = self.processes.iter().map(|process| process.places.clone()).collect();
        let processes = self.processes.into_iter().map(Process::finish).collect();
        let written_name = self.name;
        let found = Found { positions, inner_positions, written_name, ..Found::values(self.id, processes) };
        collector.add(found, self.place, diagnostics);
    }
}

impl Process {
    /// Takes the values at positions that are free here. Returns how many were not.
    fn take_in(&mut self, stray: Process) -> usize {
        let mut twice = 0;
        for ((place, value), operations) in stray.places.into_iter().zip(stray.values).zip(stray.operations) {
            match self.places.binary_search(&place) {
                Ok(_) => twice += 1,
                Err(at) => {
                    self.places.insert(at, place);
                    self.values.insert(at, value);
                    self.operations.insert(at, operations);
                }
            }
        }
        twice
    }

    fn finish(self) -> Measurement {
        let series = Series { metric: Metric::time(), values: self.values, resolution: self.resolution };
        Measurement { warmup: 0, operations: self.operations, series: vec![series], ..Measurement::default() }
    }
}

#[cfg(test)]
mod tests;
