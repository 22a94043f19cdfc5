//! Processes of both versions of a run in benchwright's own files: base is the first set of results, head the
//! last.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{
    BenchmarkId, Direction, Measurement, Metric, Nature, Position, Side, Timestamp, Unit,
};

use crate::reading::collect::{Collector, Found};
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::{Format, ImportedSummary, Structure};

/// The known facts about a version and its measurement.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    pub(super) revision: Option<String>,
    pub(super) taken_at: Option<Timestamp>,
    pub(super) environment: BTreeMap<String, String>,
}

/// The position of a trial, as far as its record states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Standing {
    pub(super) duet: Option<u32>,
    pub(super) attempt: Option<u32>,
    pub(super) instance: Option<u32>,
    pub(super) suite_run: Option<u32>,
    pub(super) iteration: Option<u32>,
}

impl Standing {
    /// Halves of duets become processes of their version.
    pub(super) fn position(self) -> Position {
        match self.duet {
            Some(duet) => {
                Position::Levels { instance: 0, suite_run: self.attempt.unwrap_or(0), iteration: duet }
            }
            None => Position::Levels {
                instance: self.instance.unwrap_or(0),
                suite_run: self.suite_run.unwrap_or(0),
                iteration: self.iteration.unwrap_or(0),
            },
        }
    }
}

/// The processes of one benchmark on one side.
struct Processes {
    side: Side,
    id: BenchmarkId,
    place: Place,
    measurements: Vec<Measurement>,
    positions: Vec<Position>,
}

/// All processes.
#[derive(Default)]
pub(super) struct Sets {
    known: HashMap<(Side, BenchmarkId), usize>,
    processes: Vec<Processes>,
}

impl Sets {
    /// Takes a process that begins at `place`.
    pub(super) fn add(
        &mut self,
        (side, id): (Side, BenchmarkId),
        place: Place,
        position: Position,
        measurement: Measurement,
    ) {
        let index = *self.known.entry((side, id)).or_insert_with_key(|(side, id)| {
            self.processes.push(Processes {
                side: *side,
                id: id.clone(),
                place,
                measurements: Vec::new(),
                positions: Vec::new(),
            });
            self.processes.len() - 1
        });
        self.processes[index].measurements.push(measurement);
        self.processes[index].positions.push(position);
    }

    /// One collector per side.
    pub(super) fn finish(
        self,
        format: Format,
        about: impl Fn(Side) -> About,
        structure: impl Fn(Side, &BenchmarkId) -> Structure,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Collector> {
        let new = |side| {
            let About { revision, taken_at, environment } = about(side);
            let mut collector = Collector::new(format);
            (collector.revision, collector.taken_at, collector.environment) =
                (revision, taken_at, environment);
            collector
        };
        let mut collectors: Vec<(Side, Collector)> = Vec::new();
        for processes in self.processes {
            let side = processes.side;
            let known = collectors.iter().position(|(known, _)| *known == side);
            let index = known.unwrap_or_else(|| {
                collectors.push((side, new(side)));
                collectors.len() - 1
            });
            let (place, structure) = (processes.place, structure(side, &processes.id));
            collectors[index].1.add(found(structure, processes), place, diagnostics);
        }
        if collectors.is_empty() {
            collectors.push((Side::Head, new(Side::Head)));
        }
        collectors.sort_by_key(|(side, _)| *side);
        collectors.into_iter().map(|(_, collector)| collector).collect()
    }
}

/// Keeps what the run knew about its processes.
fn found(structure: Structure, processes: Processes) -> Found {
    let Processes { id, measurements, positions, .. } = processes;
    if structure == Structure::Summary {
        let series = measurements.into_iter().flat_map(|measurement| measurement.series);
        let summaries = series
            .filter_map(|series| Some(ImportedSummary::new(series.metric.clone(), *series.values.first()?)));
        return Found::summaries(id, summaries.collect());
    }
    let is_structure_known = structure == Structure::Known;
    Found { positions, is_structure_known, ..Found::values(id, measurements) }
}

/// A version by the word for its side.
pub(super) fn side(word: &str) -> Side {
    if word == "base" { Side::Base } else { Side::Head }
}

/// A metric from the words for its parts: name, unit, direction, nature.
pub(super) fn metric([name, unit, direction, nature]: [&str; 4]) -> Metric {
    Metric {
        name: name.into(),
        unit: Unit::named(unit),
        direction: Direction::named(direction),
        nature: Nature::named(nature),
    }
}
