//! The columns of rows of samples in CSV and Parquet.

use benchwright_model::Run;

use super::row::{Place, SampleRow, version};

/// One column: its name, and its content for a row.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) content: Content,
}

/// The content of a column.
pub(super) enum Content {
    Text(for<'a> fn(&'a Run, &SampleRow<'a>) -> &'a str),
    Whole(fn(&SampleRow<'_>) -> i64),
    MaybeWhole(fn(&SampleRow<'_>) -> Option<i64>),
    /// Microseconds since 1970 UTC.
    MaybeMoment(fn(&SampleRow<'_>) -> Option<i64>),
    Flag(fn(&SampleRow<'_>) -> bool),
    MaybeFlag(fn(&SampleRow<'_>) -> Option<bool>),
    Float(fn(&SampleRow<'_>) -> f64),
}

/// The columns. `duet`, `attempt` and `first` are empty in runs of one version; `instance`, `suite_run` and
/// `iteration` in comparisons; `instance_id` and `cold` if a trial ran on the machine of the run;
/// `sample_kind` if it was not stated.
pub(super) static COLUMNS: [Column; 28] = {
    const fn column(name: &'static str, content: Content) -> Column {
        Column { name, content }
    }
    const fn place(name: &'static str, get: fn(&SampleRow<'_>) -> Option<i64>) -> Column {
        column(name, Content::MaybeWhole(get))
    }
    [
        column("run", Content::Text(|run, _| &run.id.0)),
        column("version", Content::Text(|run, row| &version(run, row.trial.side).label)),
        column("side", Content::Text(|_, row| row.trial.side.name())),
        column("harness", Content::Text(|_, row| &row.trial.benchmark.harness)),
        column("package", Content::Text(|_, row| &row.trial.benchmark.package)),
        column("benchmark", Content::Text(|_, row| &row.trial.benchmark.name)),
        column("metric", Content::Text(|_, row| &row.series.metric.name)),
        column("unit", Content::Text(|_, row| row.series.metric.unit.word())),
        column("better", Content::Text(|_, row| row.series.metric.direction.word())),
        column("phase", Content::Text(|_, row| row.trial.phase.word())),
        place("duet", |row| Place::from(row.trial.position).duet.map(i64::from)),
        place("attempt", |row| Place::from(row.trial.position).attempt.map(i64::from)),
        column("first", Content::MaybeFlag(|row| Place::from(row.trial.position).first)),
        place("instance", |row| Place::from(row.trial.position).instance.map(i64::from)),
        place("suite_run", |row| Place::from(row.trial.position).suite_run.map(i64::from)),
        place("iteration", |row| Place::from(row.trial.position).iteration.map(i64::from)),
        column("sample", Content::Whole(|row| row.sample as i64)),
        column("warmup", Content::Flag(|row| row.is_warmup)),
        place("operations", |row| row.operations.and_then(|n| i64::try_from(n).ok())),
        column("value", Content::Float(|row| row.value)),
        column("started_at", Content::MaybeMoment(|row| Some(row.trial.started_at.0).filter(|at| *at != 0))),
        column(
            "commit",
            Content::Text(|run, row| version(run, row.trial.side).commit.as_deref().unwrap_or_default()),
        ),
        column("nature", Content::Text(|_, row| row.series.metric.nature.word())),
        column("resolution", Content::Float(|row| row.series.resolution)),
        column("structure", Content::Text(|_, row| row.structure.word())),
        column(
            "instance_id",
            Content::Text(|_, row| row.trial.instance.as_ref().map_or("", |instance| instance.id.0.as_str())),
        ),
        column(
            "cold",
            Content::MaybeFlag(|row| row.trial.instance.as_ref().map(|instance| instance.is_cold)),
        ),
        column("sample_kind", Content::Text(|_, row| row.sample_kind())),
    ]
};
