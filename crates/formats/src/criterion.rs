//! Criterion: `sample.json` below `target/criterion`, or `raw.csv` if an older version wrote only that.
//!
//! A directory contains the last run (`new`) and baselines (`base` and others). Each is a set of results,
//! with the last run first.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use benchwright_model::{BenchmarkId, Diagnostic, Measurement, Metric, Series};

use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::reading::encoding::decode;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::json::{Json, Step};
use crate::reading::number;
use crate::reading::units::{self, Scaled};
use crate::reading::{finish_json, finish_text, lines, object_in_memory};
use crate::separated;
use crate::{Format, Imported, Limits, ReadError};

/// The maximum depth of samples below Criterion's directory.
const DEPTH: usize = 8;

/// Batches of iterations and the time of each: `sample.json`.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Iterations of each batch.
    pub iterations: Vec<f64>,
    /// Nanoseconds of each batch.
    pub times: Vec<f64>,
}

/// Criterion's identity of a benchmark: `benchmark.json`.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    /// Group, function and parameter.
    pub full_name: Option<String>,
    /// The same name cut to a hundred bytes, with a number if several benchmarks have the same full name.
    pub title: Option<String>,
}

/// The content of a `sample.json`, with diagnostics.
pub fn sample(name: &str, text: &[u8]) -> (Sample, Vec<Diagnostic>) {
    object_in_memory(name, text, |json, sample: &mut Sample, member| sample.member(json, member))
}

/// The content of a `benchmark.json`, with diagnostics.
pub fn identity(name: &str, text: &[u8]) -> (Identity, Vec<Diagnostic>) {
    object_in_memory(name, text, |json, identity: &mut Identity, member| identity.member(json, member))
}

/// The directories below `home` that contain a sample, by path. Unreadable ones are skipped.
pub fn folders(home: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let _ = find(home, DEPTH, &mut found);
    found
}

/// The columns of `raw.csv` that matter.
const COLUMNS: [&str; 6] = ["group", "function", "value", "sample_measured_value", "unit", "iteration_count"];

/// Whether it is a single `sample.json` or `raw.csv`.
pub(crate) fn recognise(head: &Head) -> bool {
    is_sample(head) || is_raw(head)
}

fn is_sample(head: &Head) -> bool {
    head.is_object() && head.has(1, "iters") && head.has(1, "times")
}

fn is_raw(head: &Head) -> bool {
    let mut fields = Vec::new();
    separated::split(head.first_line(), ',', &mut fields);
    separated::columns(&fields, COLUMNS).is_some()
}

/// Reads one file without its directory. A sample does not contain its benchmark's name, so the file name is
/// used.
pub(crate) fn read(mut input: Input<'_>) -> Vec<Imported> {
    let head = Head::of(&mut input);
    if is_raw(&head) {
        return read_raw(input);
    }
    let name = input.diagnostics.subject().to_owned();
    let mut json = Json::new(input);
    let mut collector = Collector::new(Format::Criterion);
    let place = json.place();
    let mut sample = Sample::default();
    let read = json.object(|json, name| sample.member(json, name));
    let id = BenchmarkId::new("cargo", "", name);
    add_sample(sample, id, place, &mut collector, &mut json.input.diagnostics);
    finish_json(json, read.map(|_| ()), vec![collector])
}

/// The directory of one result around a file of Criterion: `…/new` for `…/new/sample.json`.
pub(crate) fn folder_of(file: &Path) -> Option<&Path> {
    let is_sample = file.file_name().is_some_and(|name| name == "sample.json");
    file.parent().filter(|folder| is_sample && folder.join("benchmark.json").is_file())
}

/// Reads everything below a folder.
pub(crate) fn read_folder(folder: &Path, limits: Limits) -> Result<Vec<Imported>, ReadError> {
    let mut found = Vec::new();
    find(folder, DEPTH, &mut found)
        .map_err(|source| ReadError::Unreadable { path: folder.into(), source })?;
    if found.is_empty() {
        return Err(ReadError::NoSamples { path: folder.into() });
    }
    let mut diagnostics = Diagnostics::new(&folder.display().to_string(), limits);
    let mut extra: Vec<Diagnostic> = Vec::new();
    let mut baselines: BTreeMap<(u8, String), Collector> = BTreeMap::new();
    for place in found {
        let baseline = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let rank = match baseline.as_str() {
            "new" => 0,
            "base" => 2,
            _ => 1,
        };
        let collector = baselines.entry((rank, baseline)).or_insert_with_key(|(_, baseline)| {
            let mut collector = Collector::new(Format::Criterion);
            collector.fact("baseline", Some(baseline.clone()));
            collector
        });
        read_result(&place, limits, collector, &mut extra);
    }
    let collectors: Vec<Collector> = baselines.into_values().collect();
    let mut list: Vec<Imported> =
        collectors.into_iter().map(|collector| collector.finish(&mut diagnostics)).collect();
    // After a run Criterion stores a copy of it as `base`.
    let is_copy = list.len() > 1 && list.last().is_some_and(|last| last.benchmarks == list[0].benchmarks);
    if is_copy
        && list.last().is_some_and(|last| last.environment.get("baseline").is_some_and(|name| name == "base"))
    {
        list.pop();
    }
    extra.extend(diagnostics.into_list());
    list[0].diagnostics = extra;
    Ok(list)
}

/// Folders with samples, by path.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.join("sample.json").is_file() || folder.join("raw.csv").is_file() {
        found.push(folder.into());
        return Ok(());
    }
    let mut inner: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Links are not followed, because they could form a loop.
        if entry.file_type()?.is_dir() {
            inner.push(entry.path());
        }
    }
    inner.sort();
    for folder in inner.into_iter().filter(|_| depth > 0) {
        // Unreadable directories are skipped.
        let _ = find(&folder, depth - 1, found);
    }
    Ok(())
}

/// Reads one result: first its identity, then its sample.
fn read_result(folder: &Path, limits: Limits, collector: &mut Collector, diagnostics: &mut Vec<Diagnostic>) {
    let name = name_of(folder, limits, diagnostics).unwrap_or_else(|| {
        // `group/function/10/new` without an identity.
        let parent = folder.parent().and_then(Path::file_name);
        parent.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    });
    let id = BenchmarkId::new("cargo", "", name);
    let path = folder.join("sample.json");
    if !path.is_file() {
        let raw = open(&folder.join("raw.csv"), limits, diagnostics);
        return raw.map_or((), |input| read_raw_of(input, id, collector, diagnostics));
    }
    let Some(input) = open(&path, limits, diagnostics) else { return };
    let mut json = Json::new(input);
    let mut sample = Sample::default();
    if let Err(stop) = json.object(|json, name| sample.member(json, name)) {
        json.input.diagnostics.error(stop.place, stop.message);
    }
    let mut own = json.input.diagnostics;
    add_sample(sample, id, Place { line: 1, column: 1 }, collector, &mut own);
    diagnostics.extend(own.into_list());
}

fn open(path: &Path, limits: Limits, diagnostics: &mut Vec<Diagnostic>) -> Option<Input<'static>> {
    let name = path.display().to_string();
    let opened = File::open(path).and_then(|file| decode(Box::new(file)));
    match opened {
        Ok(decoded) => Some(Input::new(&name, decoded.source, limits)),
        Err(error) => {
            diagnostics.push(Diagnostic::error(name, format!("cannot be read: {error}")));
            None
        }
    }
}

/// Criterion's name of the benchmark. A name used twice has the same full name and another title.
fn name_of(folder: &Path, limits: Limits, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    let path = folder.join("benchmark.json");
    if !path.is_file() {
        return None;
    }
    let mut json = Json::new(open(&path, limits, diagnostics)?);
    let mut identity = Identity::default();
    if let Err(stop) = json.object(|json, name| identity.member(json, name)) {
        json.input.diagnostics.error(stop.place, stop.message);
    }
    diagnostics.extend(json.input.diagnostics.into_list());
    // A long title is cut. Then the full name is better.
    identity.title.filter(|title| !title.ends_with("...")).or(identity.full_name)
}

impl Sample {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "iters" => self.iterations = json.numbers()?,
            "times" => self.times = json.numbers()?,
            _ => json.skip()?,
        }
        Ok(())
    }

    /// Iterations and seconds per iteration of each batch that has both values.
    pub fn batches(&self) -> impl Iterator<Item = (f64, f64)> {
        let pairs = self.iterations.iter().zip(&self.times);
        pairs.map(|(iterations, nanoseconds)| (*iterations, nanoseconds / iterations * 1e-9))
    }
}

impl Identity {
    fn member(&mut self, json: &mut Json<'_>, name: &str) -> Step<()> {
        match name {
            "full_id" => self.full_name = json.text()?,
            "title" => self.title = json.text()?,
            _ => json.skip()?,
        }
        Ok(())
    }
}

fn add_sample(
    sample: Sample,
    id: BenchmarkId,
    place: Place,
    collector: &mut Collector,
    diagnostics: &mut Diagnostics,
) {
    if sample.iterations.len() != sample.times.len() {
        let (iterations, times) = (sample.iterations.len(), sample.times.len());
        diagnostics.warn(place, format!("`{id}` has {iterations} counts of iterations for {times} times"));
    }
    let (operations, values) =
        sample.batches().map(|(iterations, seconds)| (iterations.clamp(0.0, 1e18) as u64, seconds)).unzip();
    collector.add(
        Found::values(id, vec![measurement(Metric::time(), values, operations)]),
        place,
        diagnostics,
    );
}

fn measurement(metric: Metric, values: Vec<f64>, operations: Vec<u64>) -> Measurement {
    Measurement {
        warmup: 0,
        operations,
        series: vec![Series { metric, values, resolution: 0.0 }],
        ..Measurement::default()
    }
}

/// Benchmarks of a `raw.csv`, by name.
#[derive(Default)]
struct Raw {
    index: HashMap<String, usize>,
    names: Vec<String>,
    rows: Vec<(Scaled, Vec<f64>, Vec<u64>)>,
}

impl Raw {
    fn line(&mut self, line: &str, columns: &[usize; 6]) -> Result<(), String> {
        let mut fields = Vec::new();
        separated::split(line, ',', &mut fields);
        let field = |column: usize| {
            fields.get(columns[column]).map(|field| field.as_ref()).ok_or("left out a short line")
        };
        let number = |column: usize| {
            number::parse(field(column)?.trim().as_bytes()).ok_or("left out a line without numbers")
        };
        let name: Vec<&str> =
            [field(0)?, field(1)?, field(2)?].into_iter().filter(|part| !part.is_empty()).collect();
        let name = name.join("/");
        let (value, count) = (number(3)?, number(5)?);
        let index = match self.index.get(&name) {
            Some(index) => *index,
            None => {
                self.rows.push((units::main(field(4)?), Vec::new(), Vec::new()));
                self.names.push(name.clone());
                self.index.insert(name, self.rows.len() - 1);
                self.rows.len() - 1
            }
        };
        let (unit, values, operations) = &mut self.rows[index];
        values.push(unit.apply(value / count));
        operations.push(count.clamp(0.0, 1e18) as u64);
        Ok(())
    }

    fn read(input: Input<'_>) -> (Raw, Diagnostics, Step<()>) {
        let mut raw = Raw::default();
        let mut columns = None;
        let (diagnostics, end) = lines(input, |line, number, diagnostics| {
            let Some(columns) = &columns else {
                let mut fields = Vec::new();
                separated::split(line, ',', &mut fields);
                columns = separated::columns(&fields, COLUMNS);
                return;
            };
            if let Err(reason) = raw.line(line, columns) {
                diagnostics.warn(Place { line: number, column: 1 }, reason);
            }
        });
        (raw, diagnostics, end)
    }
}

fn read_raw(input: Input<'_>) -> Vec<Imported> {
    let (raw, mut diagnostics, end) = Raw::read(input);
    let mut collector = Collector::new(Format::Criterion);
    for (name, (unit, values, operations)) in raw.names.into_iter().zip(raw.rows) {
        let found = Found::values(
            BenchmarkId::new("cargo", "", name),
            vec![measurement(unit.metric, values, operations)],
        );
        collector.add(found, Place { line: 1, column: 1 }, &mut diagnostics);
    }
    finish_text(diagnostics, end, vec![collector])
}

fn read_raw_of(
    input: Input<'_>,
    id: BenchmarkId,
    collector: &mut Collector,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (raw, mut own, end) = Raw::read(input);
    if let Err(stop) = end {
        own.error(stop.place, stop.message);
    }
    for (unit, values, operations) in raw.rows {
        let found = Found::values(id.clone(), vec![measurement(unit.metric, values, operations)]);
        collector.add(found, Place { line: 1, column: 1 }, &mut own);
    }
    diagnostics.extend(own.into_list());
}

#[cfg(test)]
mod tests;
