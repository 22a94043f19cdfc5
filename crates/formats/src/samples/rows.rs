//! Rows of samples: one value each, with its complete position.

use std::collections::{BTreeMap, HashMap};

use benchwright_model::{BenchmarkId, Measurement, SampleKind, Series, Side, Timestamp};

use super::sets::{About, Sets, Standing, metric, side};
use crate::reading::collect::Collector;
use crate::reading::diagnostics::{Diagnostics, Place};
use crate::{Format, Structure};

/// Maximum number of metrics. The others are left out.
const MOST_METRICS: usize = 256;

/// Columns without which a row is useless.
pub(super) const NEEDED: [&str; 6] = ["harness", "package", "benchmark", "metric", "sample", "value"];

/// One row. A missing column is empty.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row<'a> {
    pub(super) side: &'a str,
    pub(super) commit: &'a str,
    pub(super) harness: &'a str,
    pub(super) package: &'a str,
    pub(super) benchmark: &'a str,
    /// Name, unit, direction, nature.
    pub(super) metric: [&'a str; 4],
    pub(super) structure: &'a str,
    pub(super) sample_kind: &'a str,
    pub(super) standing: Standing,
    pub(super) sample: u64,
    pub(super) is_warmup: bool,
    pub(super) operations: Option<u64>,
    pub(super) value: f64,
    pub(super) resolution: f64,
    pub(super) started_at: Option<Timestamp>,
}

/// Rows on their way to processes.
#[derive(Default)]
pub(super) struct Rows {
    trials: Vec<Trial>,
    index: HashMap<Key, usize>,
    /// Rows of a process follow each other.
    last: usize,
    sides: BTreeMap<Side, About>,
    structures: HashMap<(Side, BenchmarkId), Structure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    side: Side,
    id: BenchmarkId,
    standing: Standing,
}

struct Trial {
    key: Key,
    place: Place,
    measurement: Measurement,
    /// The smallest number that the next sample of each series may have.
    next: Vec<u64>,
}

impl Rows {
    /// Takes a row at `place`, or returns why it is left out.
    pub(super) fn take(&mut self, row: &Row<'_>, place: Place) -> Result<(), String> {
        let side = side(row.side);
        if !self.trials.get(self.last).is_some_and(|trial| trial.key.is_of(side, row)) {
            self.last = self.find(side, row, place);
        }
        self.trials[self.last].take(row)
    }

    fn find(&mut self, side: Side, row: &Row<'_>, place: Place) -> usize {
        let id = BenchmarkId::new(row.harness, row.package, row.benchmark);
        let about = self.sides.entry(side).or_default();
        if about.revision.is_none() && !row.commit.is_empty() {
            about.revision = Some(row.commit.to_owned());
        }
        // The earliest time in the measurement.
        about.taken_at = match (about.taken_at, row.started_at) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
        let key = Key { side, id, standing: row.standing };
        if let Some(known) = self.index.get(&key) {
            return *known;
        }
        self.structures.entry((side, key.id.clone())).or_insert_with(|| Structure::named(row.structure));
        self.index.insert(key.clone(), self.trials.len());
        let sample_kind = SampleKind::named(row.sample_kind);
        let measurement = Measurement { sample_kind, ..Measurement::default() };
        self.trials.push(Trial { key, place, measurement, next: Vec::new() });
        self.trials.len() - 1
    }

    /// One collector per side.
    pub(super) fn finish(self, format: Format, diagnostics: &mut Diagnostics) -> Vec<Collector> {
        let mut sets = Sets::default();
        for trial in self.trials {
            let position = trial.key.standing.position();
            let Key { side, id, .. } = trial.key;
            sets.add((side, id), trial.place, position, finished(trial.measurement));
        }
        let about = |side| self.sides.get(&side).cloned().unwrap_or_default();
        let structure =
            |side, id: &BenchmarkId| self.structures.get(&(side, id.clone())).copied().unwrap_or_default();
        sets.finish(format, about, structure, diagnostics)
    }
}

impl Key {
    fn is_of(&self, side: Side, row: &Row<'_>) -> bool {
        self.side == side
            && self.standing == row.standing
            && self.id.name == row.benchmark
            && self.id.package == row.package
            && self.id.harness == row.harness
    }
}

impl Trial {
    fn take(&mut self, row: &Row<'_>) -> Result<(), String> {
        let [name, ..] = row.metric;
        let series = &mut self.measurement.series;
        // Usually the last one, because rows of a series follow each other.
        let index = match series.iter().rposition(|series| series.metric.name == name) {
            Some(index) => index,
            None if series.len() >= MOST_METRICS => {
                return Err(format!("left out `{name}`: more than {MOST_METRICS} metrics of one process"));
            }
            None => {
                series.push(Series {
                    metric: metric(row.metric),
                    values: Vec::new(),
                    resolution: row.resolution,
                });
                self.next.push(0);
                series.len() - 1
            }
        };
        if row.sample < self.next[index] {
            return Err(format!(
                "left out a sample that is here a second time, or out of order: {}",
                row.sample
            ));
        }
        self.next[index] = row.sample.saturating_add(1);
        series[index].values.push(row.value);
        if index == 0 {
            self.measurement.operations.extend(row.operations);
            self.measurement.warmup += u32::from(row.is_warmup);
        }
        Ok(())
    }
}

/// Operations are kept only if there is one number per iteration.
fn finished(mut measurement: Measurement) -> Measurement {
    if measurement.series.first().is_none_or(|first| first.values.len() != measurement.operations.len()) {
        measurement.operations.clear();
    }
    measurement
}
