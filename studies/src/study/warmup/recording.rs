//! Reads the recorded benchmarks for evaluation.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use benchwright_formats::warmup::{
    DeveloperConfiguration, Subject, read_configurations, read_series, read_stops, series_files,
};
use benchwright_steady::classify::training::Example;
use benchwright_steady::iteration_wall;

use super::stops::{Stop, Stops};

/// All benchmarks of a folder, sorted by name.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) benchmarks: Vec<Benchmark>,
    /// The index of each benchmark.
    places: BTreeMap<Subject, usize>,
}

/// One benchmark.
#[derive(Debug)]
pub(super) struct Benchmark {
    pub(super) subject: Subject,
    /// The developers' configuration.
    pub(super) configuration: Option<DeveloperConfiguration>,
    /// Its processes by number.
    pub(super) processes: BTreeMap<u32, Process>,
}

/// One process.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) values: Vec<f64>,
    /// Seconds up to the end of each iteration.
    pub(super) walls: Vec<f64>,
    /// The last iteration before the steady state, according to the authors. `None` if the process never
    /// became steady.
    pub(super) steady_from: Option<usize>,
}

impl Process {
    /// Seconds up to the end of an iteration. 0 before the first one.
    pub(super) fn wall(&self, iteration: i64) -> f64 {
        usize::try_from(iteration).ok().and_then(|at| self.walls.get(at)).copied().unwrap_or(0.0)
    }

    /// The process as an example for training.
    pub(super) fn example(&self) -> Example<'_> {
        let steady_from = self.steady_from.and_then(|from| u32::try_from(from).ok());
        Example { values: &self.values, steady_from }
    }
}

impl Recording {
    /// Reads a folder. Benchmarks without a steady process are left out, because there is nothing to compare
    /// with.
    pub(super) fn read(folder: &Path) -> Result<Recording> {
        let configurations = read_configurations(folder)?;
        let mut benchmarks: BTreeMap<Subject, BTreeMap<u32, Process>> = BTreeMap::new();
        for file in series_files(folder)? {
            for recorded in read_series(&file)? {
                let name = &recorded.subject.benchmark;
                let label = recorded.label.with_context(|| format!("find the label of `{name}`"))?;
                let mut elapsed = 0.0;
                let wall = |value: &f64| {
                    elapsed += iteration_wall(*value, recorded.iteration_s);
                    elapsed
                };
                let walls = recorded.values.iter().map(wall).collect();
                let steady_from = label.steady_from.map(|from| from as usize);
                let process = Process { walls, values: recorded.values, steady_from };
                benchmarks.entry(recorded.subject).or_default().insert(recorded.fork, process);
            }
        }
        benchmarks.retain(|_, processes| processes.values().any(|process| process.steady_from.is_some()));
        if benchmarks.is_empty() {
            bail!("find labelled processes in `{}`", folder.display());
        }
        let places = benchmarks.keys().cloned().zip(0..).collect();
        let benchmarks = benchmarks.into_iter().map(|(subject, processes)| {
            let configuration = configurations.get(&subject).copied();
            Benchmark { subject, configuration, processes }
        });
        Ok(Recording { benchmarks: benchmarks.collect(), places })
    }

    /// The index of a benchmark.
    pub(super) fn place(&self, subject: &Subject) -> Option<usize> {
        self.places.get(subject).copied()
    }

    /// The decisions of the authors' configuration with this name.
    pub(super) fn published_stops(&self, folder: &Path, name: &str) -> Result<Stops> {
        let mut stops: Stops = vec![BTreeMap::new(); self.benchmarks.len()];
        for ((subject, fork), (warmup, last)) in read_stops(folder, name)? {
            let Some(place) = self.place(&subject) else { continue };
            let Some(process) = self.benchmarks[place].processes.get(&fork) else { continue };
            // The data has -1, -1 if the end was never reached. Some configurations go on after the end of
            // the recording.
            let end = process.values.len() as i64 - 1;
            if last > warmup {
                stops[place].insert(fork, Stop { warmup: warmup.min(end - 1), last: last.min(end) });
            }
        }
        Ok(stops)
    }

    /// Only the stops of processes that the developers would have started.
    pub(super) fn as_configured(&self, stops: &Stops) -> Stops {
        let forks = |benchmark: &Benchmark| benchmark.configuration.map_or(u32::MAX, |given| given.forks);
        let kept = self.benchmarks.iter().zip(stops).map(|(benchmark, stops)| {
            stops
                .iter()
                .filter(|(fork, _)| **fork < forks(benchmark))
                .map(|(fork, stop)| (*fork, *stop))
                .collect()
        });
        kept.collect()
    }
}
