//! Makes suites from the Go benchmarks of µOpTime's data set 1.

use std::path::Path;

use anyhow::Result;
use benchwright_analysis::reduce::LevelSeries;
use benchwright_analysis::reduce::for_compare::Costs;

use super::contender::{Subject, Suite};
use super::draw::{Pool, Process, Sides};
use crate::study::recorded::{self, RecordedBenchmark};

/// All versions of one project, oldest first.
pub(super) struct Versions {
    /// The project.
    pub(super) project: String,
    /// The benchmarks of each version.
    pub(super) versions: Vec<Vec<RecordedBenchmark>>,
}

/// Reads all versions. Returns remarks on what is left out too.
pub(super) fn versions(data: &Path) -> Result<(Vec<Versions>, Vec<String>)> {
    let (mut projects, mut remarks): (Vec<Versions>, Vec<String>) = Default::default();
    for file in recorded::version_files(&data.join("uoptime/go"), true)? {
        let (benchmarks, said) = recorded::read(&file.path)?;
        remarks.extend(said.into_iter().map(|text| format!("{}: {text}", file.name())));
        match projects.last_mut() {
            Some(last) if last.project == file.project => last.versions.push(benchmarks),
            _ => projects.push(Versions { project: file.project.clone(), versions: vec![benchmarks] }),
        }
    }
    Ok((projects, remarks))
}

/// Makes one suite per project and version. Plans are chosen on the version before, and judged on this one.
pub(super) fn suites(projects: &[Versions]) -> Vec<Suite> {
    let mut suites = Vec::new();
    for project in projects {
        for (step, pair) in project.versions.windows(2).enumerate() {
            let subjects = pair[1].iter().filter_map(|judged| {
                let planned = pair[0].iter().find(|planned| planned.name == judged.name)?;
                Some(subject(&project.project, planned, judged))
            });
            let name = format!("{} {}", project.project, step + 2);
            suites.push(Suite {
                name,
                places: INSTANCES,
                most_processes: MOST,
                subjects: subjects.collect(),
            });
        }
    }
    suites
}

/// Number of instances on which both sides are measured.
const INSTANCES: u32 = 3;
/// Maximum number of processes per side: seven iterations on each of three instances.
const MOST: u32 = 21;

fn subject(project: &str, planned: &RecordedBenchmark, judged: &RecordedBenchmark) -> Subject {
    Subject {
        name: format!("{project} {}", judged.name),
        planning: planned.series.clone(),
        pool: pool(&judged.series),
        judged: judged.series.clone(),
        // Each second is a separate process here. The cost of starting it is not recorded, and it is the same
        // for all.
        costs: Costs::of_iterations(1.0),
    }
}

/// An iteration, identified by its suite run and number, with the values of its seconds.
type Cell = (Vec<u32>, Process);

/// The iterations of each instance, with one value per second. Their order within the instance does not
/// matter, because sides are drawn from them at random.
fn pool(series: &LevelSeries) -> Pool {
    let mut places: Vec<(u32, Vec<Cell>)> = Vec::new();
    for (position, value) in series.points() {
        if places.last().is_none_or(|last| last.0 != position[0]) {
            places.push((position[0], Vec::new()));
        }
        let Some((_, cells)) = places.last_mut() else { continue };
        match cells.last_mut() {
            Some((cell, values)) if cell[..] == position[1..3] => values.push(*value),
            _ => cells.push((position[1..3].to_vec(), vec![*value])),
        }
    }
    let cells = |(_, cells): (u32, Vec<Cell>)| cells.into_iter().map(|(_, values)| values).collect();
    Pool { places: places.into_iter().map(cells).collect(), sides: Sides::Divided }
}

/// All processes by instance, in the order in which a plan takes them from a recorded version: one from each
/// suite run in turn.
pub(super) fn in_turn(series: &LevelSeries) -> Vec<Vec<Process>> {
    let mut cells: Vec<([u32; 3], Process)> = Vec::new();
    for (position, value) in series.points() {
        // Instance, iteration, suite run: the first iterations of all suite runs come before the second ones.
        let place = [position[0], position[2], position[1]];
        match cells.iter_mut().find(|(cell, _)| *cell == place) {
            Some((_, values)) => values.push(*value),
            None => cells.push((place, vec![*value])),
        }
    }
    cells.sort_by_key(|(place, _)| *place);
    let chunks = cells.chunk_by(|left, right| left.0[0] == right.0[0]);
    chunks.map(|cells| cells.iter().map(|(_, values)| values.clone()).collect()).collect()
}
