//! Finds processes to show, replay or learn from, in any source.

use std::path::Path;

use benchwright_formats::warmup::{self, RecordedProcess, Subject};
use benchwright_model::{Diagnostic, Measurement, Outcome as TrialOutcome, RunKind, Severity};
use benchwright_steady::rules::Configuration;

use super::doubts::Doubts;
use crate::args::{FileLimits, Global};
use crate::commands::show;
use crate::flags::file_limits;
use crate::terminal::Terminal;
use benchwright_session::Problem;
use benchwright_session::{project, recorded};

/// One process.
#[derive(Debug, Clone)]
pub(super) struct Process {
    pub(super) recorded: RecordedProcess,
    /// The configuration of the developers, if known.
    pub(super) configuration: Option<Configuration>,
}

impl Process {
    /// The name of its benchmark.
    pub(super) fn name(&self) -> String {
        let Subject { system, benchmark, params } = &self.recorded.subject;
        let parts = [system, benchmark, params].map(String::as_str);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Time of an iteration if it is not stated, in seconds. It is that of the published recordings.
pub(super) const ITERATION_S: f64 = 0.1;

/// The processes that were found.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Its name.
    pub(super) title: String,
    /// Its processes.
    pub(super) processes: Vec<Process>,
    /// Diagnostics about what was not understood.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Data that was not read, and doubtful data.
    pub(super) doubts: Doubts,
}

/// A directory or table of recorded processes, a file of results, or a stored run. `iteration_s` is used if
/// the source does not state the time of iterations.
pub(super) fn find(global: &Global, name: &str, iteration_s: f64) -> Result<Source, Problem> {
    let directory = global.workspace().directory()?;
    let path = directory.join(name);
    if warmup::is_recorded(&path) {
        return from_tables(name, &path);
    }
    if path.is_dir() {
        // Criterion writes directories. Any other directory is expected to contain recordings.
        return from_results(global, name, &directory, iteration_s).or_else(|_| from_tables(name, &path));
    }
    if name == "-" || path.exists() {
        return from_results(global, name, &directory, iteration_s);
    }
    from_run(global, name, iteration_s)
        .map_err(|problem| problem.hinting(&format!("; `{name}` is not a file or folder")))
}

impl Source {
    /// Reports parts of a file that were not understood. Returns whether data was lost.
    pub(super) fn tell(&self, terminal: Terminal) -> bool {
        self.diagnostics.iter().for_each(|diagnostic| terminal.notice(diagnostic));
        self.diagnostics.iter().any(|one| one.severity == Severity::Error)
    }

    /// The processes of each benchmark by number, with benchmarks in the order of the source. Those without
    /// values are left out.
    pub(super) fn by_benchmark(&self) -> Vec<Vec<&Process>> {
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

fn from_results(global: &Global, name: &str, directory: &Path, iteration_s: f64) -> Result<Source, Problem> {
    let limits = file_limits(global, &FileLimits::default())?;
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

fn from_run(global: &Global, name: &str, iteration_s: f64) -> Result<Source, Problem> {
    let (_, store) = project::open_store(&global.workspace())?;
    let record = show::load(&store, name)?;
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
