//! Processes to look at, wherever they come from.

use std::path::Path;

use benchwright_exchange::warmup;
use benchwright_model::{Diagnostic, Measurement, Outcome as TrialOutcome, RunKind, Unit};
use benchwright_steady::rules::Configuration;

use super::doubts::Doubts;
use super::stops::configured;
use crate::args::Global;
use crate::commands::show;
use crate::problem::Problem;
use crate::{project, recorded};

/// One process.
#[derive(Debug, Clone)]
pub(super) struct Process {
    /// Its benchmark.
    pub(super) benchmark: String,
    /// Which of the benchmark's processes, from 0.
    pub(super) number: u32,
    /// One value per iteration.
    pub(super) values: Vec<f64>,
    /// Their unit.
    pub(super) unit: Unit,
    /// Nominal time of an iteration in seconds.
    pub(super) iteration_s: f64,
    /// What the developers configured, where that is known.
    pub(super) configuration: Option<Configuration>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Its name.
    pub(super) title: String,
    /// Its processes.
    pub(super) processes: Vec<Process>,
    /// What was not understood.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Tables and rows that were not read.
    pub(super) doubts: Doubts,
}

/// A folder or table of recorded processes, a file of results, or a stored run. `iteration_s` is used where the source does not say.
pub(super) fn find(global: &Global, name: &str, iteration_s: f64) -> Result<Source, Problem> {
    let directory = project::directory(global)?;
    let path = directory.join(name);
    if warmup::is_recorded(&path) {
        return from_tables(name, &path);
    }
    if name == "-" || path.exists() {
        return from_results(name, &directory, iteration_s);
    }
    from_run(global, name, iteration_s)
}

fn from_tables(name: &str, path: &Path) -> Result<Source, Problem> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let mut source = Source { title: name.to_owned(), ..Source::default() };
    let configurations = source.doubts.configurations(folder);
    for file in warmup::series_files(path)? {
        for process in source.doubts.read(&file) {
            let subject = &process.subject;
            let params =
                if subject.params.is_empty() { String::new() } else { format!(" {}", subject.params) };
            source.processes.push(Process {
                benchmark: format!("{} {}{params}", subject.system, subject.benchmark),
                number: process.fork,
                unit: Unit::Seconds,
                iteration_s: process.iteration_s,
                configuration: configurations.get(subject).copied().map(configured),
                values: process.values,
            });
        }
    }
    Ok(source)
}

fn from_results(name: &str, directory: &Path, iteration_s: f64) -> Result<Source, Problem> {
    let mut source = Source { title: name.to_owned(), ..Source::default() };
    for set in recorded::read(name, directory)? {
        source.diagnostics.extend(set.diagnostics);
        for benchmark in set.benchmarks {
            let measurements = benchmark.side.processes.iter().enumerate();
            source.processes.extend(measurements.filter_map(|(number, measurement)| {
                process(benchmark.id.to_string(), number, measurement, iteration_s)
            }));
        }
    }
    Ok(source)
}

fn from_run(global: &Global, name: &str, iteration_s: f64) -> Result<Source, Problem> {
    let (_, store) = project::open_store(global)?;
    let record = show::load(&store, name)?;
    let is_comparison = record.run.kind == RunKind::Compare;
    let mut source = Source { title: format!("run {}", record.run.id), ..Source::default() };
    let mut counts = std::collections::BTreeMap::new();
    for trial in &record.trials {
        let TrialOutcome::Measured(measurement) = &trial.outcome else { continue };
        let side = if is_comparison { format!(" ({})", trial.side.name()) } else { String::new() };
        let benchmark = format!("{}{side}", trial.benchmark);
        let number: &mut usize = counts.entry(benchmark.clone()).or_default();
        source.processes.extend(process(benchmark, *number, measurement, iteration_s));
        *number += 1;
    }
    Ok(source)
}

/// The main series of a process; none without values.
fn process(benchmark: String, number: usize, measurement: &Measurement, iteration_s: f64) -> Option<Process> {
    let series = measurement.main()?;
    Some(Process {
        benchmark,
        number: u32::try_from(number).unwrap_or(u32::MAX),
        values: series.values.clone(),
        unit: series.metric.unit.clone(),
        iteration_s: nominal(measurement, &series.values).unwrap_or(iteration_s),
        configuration: None,
    })
}

/// The median time of an iteration, where the harness says how many operations each had.
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
