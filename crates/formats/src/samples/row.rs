//! One sample with its complete position.

use benchwright_model::{Measurement, Position, Run, SampleKind, Series, Side, Trial, Version};

use crate::Structure;

/// One value of one iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleRow<'a> {
    pub(super) trial: &'a Trial,
    pub(super) series: &'a Series,
    /// Number of the iteration within its process, from 0.
    pub(super) sample: usize,
    /// Whether it is warm-up.
    pub(super) is_warmup: bool,
    /// Number of operations of the iteration, if the harness reports it.
    pub(super) operations: Option<u64>,
    pub(super) value: f64,
    /// What is known about the benchmark's processes.
    pub(super) structure: Structure,
}

/// The position of a trial of any kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) duet: Option<u32>,
    pub(super) attempt: Option<u32>,
    pub(super) first: Option<bool>,
    pub(super) instance: Option<u32>,
    pub(super) suite_run: Option<u32>,
    pub(super) iteration: Option<u32>,
}

impl From<Position> for Place {
    fn from(position: Position) -> Place {
        match position {
            Position::Duet { index, attempt, first } => {
                Place { duet: Some(index), attempt: Some(attempt), first: Some(first), ..Place::default() }
            }
            Position::Levels { instance, suite_run, iteration } => Place {
                instance: Some(instance),
                suite_run: Some(suite_run),
                iteration: Some(iteration),
                ..Place::default()
            },
        }
    }
}

impl SampleRow<'_> {
    /// The word for the kind of samples. Empty if the record does not state it.
    pub(super) fn sample_kind(&self) -> &'static str {
        let kind = self.trial.outcome.measurement().and_then(|measurement| measurement.sample_kind);
        kind.map_or("", SampleKind::word)
    }
}

/// All samples of the trials of a side, or of both, in the order in which they were measured. Failed trials
/// have none.
pub(super) fn rows<'a>(
    run: &'a Run,
    trials: &'a [Trial],
    side: Option<Side>,
) -> impl Iterator<Item = SampleRow<'a>> {
    let wanted = trials.iter().filter(move |trial| side.is_none_or(|side| trial.side == side));
    let measured = wanted.filter_map(|trial| Some((trial, trial.outcome.measurement()?)));
    measured.flat_map(move |(trial, measurement)| {
        let structure = Structure::of(&run.settings, &trial.benchmark);
        measurement.series.iter().flat_map(move |series| of_series(trial, measurement, series, structure))
    })
}

fn of_series<'a>(
    trial: &'a Trial,
    measurement: &'a Measurement,
    series: &'a Series,
    structure: Structure,
) -> impl Iterator<Item = SampleRow<'a>> {
    let warmup = usize::try_from(measurement.warmup).unwrap_or(usize::MAX);
    series.values.iter().enumerate().map(move |(sample, &value)| SampleRow {
        trial,
        series,
        sample,
        is_warmup: sample < warmup,
        operations: measurement.operations.get(sample).copied(),
        value,
        structure,
    })
}

/// The version a side of the run is.
pub(crate) fn version(run: &Run, side: Side) -> &Version {
    match (side, &run.base) {
        (Side::Base, Some(base)) => base,
        _ => &run.head,
    }
}
