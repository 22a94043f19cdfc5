//! Writes the rows of all samples as a Parquet file: columns for data frames, in row groups of limited size.
//!
//! This is written by hand, because the required part of the format (flat columns, no compression,
//! dictionaries for texts) is a few pages of code, while the crate for all of Parquet takes longer to build
//! than the rest of this crate. The format: parquet.apache.org/docs/file-format.

mod footer;

use std::io::{self, Write};

use benchwright_model::{Run, Side, Trial};

use crate::parquet::page::write as page;
use crate::samples::columns::{COLUMNS, Column, Content};
use crate::samples::row::{SampleRow, rows};
use footer::{Chunk, RowGroup};

/// The first and last bytes of every file.
const MAGIC: &[u8] = b"PAR1";

/// Rows of one group, which are in memory at once.
const GROUP: usize = 100_000;

/// Writes every sample of the trials of `side`, or of both.
pub(crate) fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
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
