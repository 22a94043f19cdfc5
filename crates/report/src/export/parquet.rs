//! The rows of all samples as a Parquet file: columns for data frames, in row groups of bounded size.
//!
//! Written by hand, because the little that is needed (flat columns, no compression, dictionaries for texts) is a few pages of
//! code, while the crate for all of Parquet costs more to build than the rest of this crate. The format:
//! parquet.apache.org/docs/file-format.

mod footer;
mod page;
mod thrift;

use std::io::{self, Write};

use benchwright_model::{Run, Side, Trial};

use super::row::{Place, SampleRow, rows, version};
use crate::json::{direction_name, nature_name, unit_name};
use footer::{Chunk, RowGroup};

/// Begins and ends every file.
const MAGIC: &[u8] = b"PAR1";

/// Rows of one group: what is in memory at once.
const GROUP: usize = 100_000;

/// One column: its name, and what a row has there.
struct Column {
    name: &'static str,
    content: Content,
}

/// What a column holds.
enum Content {
    Text(for<'a> fn(&'a Run, &SampleRow<'a>) -> &'a str),
    Whole(fn(&SampleRow<'_>) -> i64),
    MaybeWhole(fn(&SampleRow<'_>) -> Option<i64>),
    /// Microseconds since 1970 UTC.
    MaybeMoment(fn(&SampleRow<'_>) -> Option<i64>),
    Flag(fn(&SampleRow<'_>) -> bool),
    MaybeFlag(fn(&SampleRow<'_>) -> Option<bool>),
    Float(fn(&SampleRow<'_>) -> f64),
}

/// The columns of the CSV of samples, with types.
const COLUMNS: [Column; 28] = {
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
        column("unit", Content::Text(|_, row| unit_name(&row.series.metric.unit))),
        column("better", Content::Text(|_, row| direction_name(row.series.metric.direction))),
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
        column("nature", Content::Text(|_, row| nature_name(row.series.metric.nature))),
        column("resolution", Content::Float(|row| row.series.resolution)),
        column("structure", Content::Text(|_, row| row.structure)),
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

/// Writes every sample of the trials of `side`, or of both.
pub fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    let mut out = Counted { out, at: 0 };
    out.write_all(MAGIC)?;
    let mut groups: Vec<RowGroup> = Vec::new();
    let mut rest = rows(run, trials, side).peekable();
    while rest.peek().is_some() {
        let group: Vec<SampleRow<'_>> = rest.by_ref().take(GROUP).collect();
        let chunks = COLUMNS.iter().map(|column| write_column(column, run, &group, &mut out));
        groups.push(RowGroup { rows: group.len(), chunks: chunks.collect::<io::Result<_>>()? });
    }
    let footer = footer::encode(&COLUMNS, &groups);
    out.write_all(&footer)?;
    out.write_all(&u32::try_from(footer.len()).map_err(io::Error::other)?.to_le_bytes())?;
    out.write_all(MAGIC)
}

fn write_column(
    column: &Column,
    run: &Run,
    rows: &[SampleRow<'_>],
    out: &mut Counted<'_>,
) -> io::Result<Chunk> {
    let start = out.at;
    let mut dictionary = None;
    let data = match &column.content {
        Content::Text(get) => {
            let values: Vec<&str> = rows.iter().map(|row| get(run, row)).collect();
            let (page, indices) = page::dictionary(&values);
            dictionary = Some(start);
            out.write_all(&page)?;
            indices
        }
        Content::Whole(get) => page::plain(rows.len(), None, &page::whole(rows.iter().map(get))),
        Content::MaybeWhole(get) | Content::MaybeMoment(get) => {
            let all: Vec<Option<i64>> = rows.iter().map(get).collect();
            page::plain(rows.len(), Some(&page::levels(&all)), &page::whole(all.iter().flatten().copied()))
        }
        Content::Flag(get) => page::plain(rows.len(), None, &page::flags(rows.iter().map(get))),
        Content::MaybeFlag(get) => {
            let all: Vec<Option<bool>> = rows.iter().map(get).collect();
            page::plain(rows.len(), Some(&page::levels(&all)), &page::flags(all.iter().flatten().copied()))
        }
        Content::Float(get) => page::plain(rows.len(), None, &page::floats(rows.iter().map(get))),
    };
    let data_at = out.at;
    out.write_all(&data)?;
    Ok(Chunk { start, dictionary, data: data_at, bytes: out.at - start, values: rows.len() })
}

/// A writer that counts its position.
struct Counted<'a> {
    out: &'a mut dyn Write,
    at: u64,
}

impl Counted<'_> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}
