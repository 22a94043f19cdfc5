//! Finds processes to show, replay or learn from, in any source.

use std::path::Path;

use benchwright_formats::Limits;
use benchwright_formats::warmup::{self, RecordedProcess, Subject};
use benchwright_model::{Diagnostic, Measurement, Outcome as TrialOutcome, RunKind};
use benchwright_steady::rules::Configuration;

use super::doubts::Doubts;
use crate::problem::Problem;
use crate::request::Workspace;
use crate::{project, recorded};

/// One process.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its values.
    pub recorded: RecordedProcess,
    /// What the developers configured, where that is known.
    pub configuration: Option<Configuration>,
}

impl Process {
    /// The name of its benchmark.
    pub fn name(&self) -> String {
        let Subject { system, benchmark, params } = &self.recorded.subject;
        let parts = [system, benchmark, params].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Time of an iteration if it is not stated, in seconds: that of the published recordings.
pub const ITERATION_S: f64 = 0.1;

/// The processes that were found.
#[derive(Debug, Default)]
pub struct Source {
    /// Its name.
    pub title: String,
    /// Its processes.
    pub processes: Vec<Process>,
    /// What was not understood.
    pub diagnostics: Vec<Diagnostic>,
    /// What was not read, and what is odd about the rest.
    pub doubts: Doubts,
}

/// A folder or table of recorded processes, a file of results, or a stored run. `iteration_s` is used where the source does not say.
pub fn find(workspace: &Workspace, name: &str, iteration_s: f64, limits: Limits) -> Result<Source, Problem> {
    let directory = workspace.directory()?;
    let from_results = || from_results(name, &directory, iteration_s, limits);
    let path = directory.join(name);
    if warmup::is_recorded(&path) {
        return from_tables(name, &path);
    }
    if path.is_dir() {
        // Criterion writes folders; whoever names another one means recordings.
        return from_results().or_else(|_| from_tables(name, &path));
    }
    if name == "-" || path.exists() {
        return from_results();
    }
    from_run(workspace, name, iteration_s)
        .map_err(|problem| problem.hinting(&format!("; `{name}` is not a file or folder")))
}

impl Source {
    /// The processes of each benchmark by number, benchmarks in the order of the source. Those without values are left out.
    pub fn by_benchmark(&self) -> Vec<Vec<&Process>> {
        let mut places = std::collections::BTreeMap::new();
        let mut groups: Vec<Vec<&Process>> = Vec::new();
        for process in self.processes.iter().filter(|process| !process.recorded.values.is_empty()) {
            let place = *places.entry(&process.recorded.subject).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[place].push(process);
        }
        groups.iter_mut().for_each(|group| group.sort_by_key(|process| process.recorded.fork));
        groups
    }

    /// Adds the main series of a process, if it has one.
    fn add(&mut self, benchmark: String, number: usize, measurement: &Measurement, iteration_s: f64) {
        let Some(series) = measurement.main() else { return };
        // Rules use times. Rates are converted, as while measuring.
        let time = |value: &f64| if series.metric.is_time() { *value } else { value.recip() };
        let values: Vec<f64> = series.values.iter().map(time).collect();
        self.processes.push(Process {
            recorded: RecordedProcess {
                subject: Subject { system: String::new(), benchmark, params: String::new() },
                fork: u32::try_from(number).unwrap_or(u32::MAX),
                iteration_s: nominal(measurement, &values).unwrap_or(iteration_s),
                values,
                label: None,
            },
            configuration: None,
        });
    }
}

fn from_tables(name: &str, path: &Path) -> Result<Source, Problem> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let mut source = Source { title: name.to_owned(), ..Source::default() };
    let configurations = source.doubts.configurations(folder);
    for file in warmup::series_files(path)? {
        let processes = source.doubts.read(&file).into_iter().map(|recorded| Process {
            configuration: configurations.get(&recorded.subject).copied(),
            recorded,
        });
        source.processes.extend(processes);
    }
    Ok(source)
}

fn from_results(name: &str, directory: &Path, iteration_s: f64, limits: Limits) -> Result<Source, Problem> {
    let mut source = Source { title: name.to_owned(), ..Source::default() };
    for set in recorded::read(name, directory, limits)? {
        source.diagnostics.extend(set.diagnostics);
        for benchmark in set.benchmarks {
            for (number, measurement) in benchmark.side.processes.iter().enumerate() {
                source.add(benchmark.id.to_string(), number, measurement, iteration_s);
            }
        }
    }
    Ok(source)
}

fn from_run(workspace: &Workspace, name: &str, iteration_s: f64) -> Result<Source, Problem> {
    let (_, store) = project::open_store(workspace)?;
    let record = store.load(&store.find(name)?)?;
    let is_comparison = record.run.kind == RunKind::Compare;
    let mut source = Source { title: format!("run {}", record.run.id), ..Source::default() };
    let mut counts = std::collections::BTreeMap::new();
    for trial in &record.trials {
        let TrialOutcome::Measured(measurement) = &trial.outcome else { continue };
        let side = if is_comparison { format!(" ({})", trial.side.name()) } else { String::new() };
        let benchmark = format!("{}{side}", trial.benchmark);
        let number: &mut usize = counts.entry(benchmark.clone()).or_default();
        source.add(benchmark, *number, measurement, iteration_s);
        *number += 1;
    }
    Ok(source)
}

/// The median time of an iteration, if the harness reports the number of operations of each.
fn nominal(measurement: &Measurement, values: &[f64]) -> Option<f64> {
    if measurement.operations.len() != values.len() {
        return None;
    }
    let mut walls: Vec<f64> = values
        .iter()
        .zip(&measurement.operations)
        .map(|(value, operations)| value * *operations as f64)
        .collect();
    walls.sort_by(f64::total_cmp);
    walls.get(walls.len() / 2).copied().filter(|wall| wall.is_finite() && *wall > 0.0)
}
