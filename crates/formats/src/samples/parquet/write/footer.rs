//! The end of a file: the columns, and the positions of their pages.

use crate::parquet::page::write::{DICTIONARY, PLAIN, RUN_LENGTHS};
use crate::parquet::thrift::write::Struct;
use crate::samples::columns::{Column, Content};

/// Physical types by the format's numbers.
const BOOLEAN: i32 = 0;
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
/// Logical types.
const UTF8: i32 = 0;
const TIMESTAMP_MICROS: i32 = 10;
/// Whether every row has a value.
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const UNCOMPRESSED: i32 = 0;

/// Some rows.
pub(super) struct RowGroup {
    pub(super) rows: usize,
    /// One per column.
    pub(super) chunks: Vec<Chunk>,
}

/// One column of some rows. Positions are bytes from the file's beginning.
pub(super) struct Chunk {
    pub(super) start: u64,
    pub(super) dictionary: Option<u64>,
    pub(super) data: u64,
    pub(super) bytes: u64,
    pub(super) values: usize,
}

/// The file's metadata.
pub(super) fn encode(columns: &[Column], groups: &[RowGroup]) -> Vec<u8> {
    let root = Struct::default().text(4, "samples").i32(5, columns.len() as i32);
    let schema = std::iter::once(root).chain(columns.iter().map(element)).collect();
    let rows: usize = groups.iter().map(|group| group.rows).sum();
    let groups = groups.iter().map(|group| encode_group(columns, group)).collect();
    Struct::default()
        .i32(1, 1)
        .structures(2, schema)
        .i64(3, rows as u64)
        .structures(4, groups)
        .text(6, concat!("benchwright version ", env!("CARGO_PKG_VERSION")))
        .finish()
}

/// A column of the schema.
fn element(column: &Column) -> Struct {
    let (repetition, meaning) = match column.content {
        Content::Text(_) => (REQUIRED, Some(UTF8)),
        Content::Whole(_) | Content::Flag(_) | Content::Float(_) => (REQUIRED, None),
        Content::MaybeWhole(_) | Content::MaybeFlag(_) => (OPTIONAL, None),
        Content::MaybeMoment(_) => (OPTIONAL, Some(TIMESTAMP_MICROS)),
    };
    let element = Struct::default().i32(1, physical(column)).i32(3, repetition).text(4, column.name);
    element.maybe(meaning, |element, meaning| element.i32(6, meaning))
}

fn physical(column: &Column) -> i32 {
    match column.content {
        Content::Text(_) => BYTE_ARRAY,
        Content::Whole(_) | Content::MaybeWhole(_) | Content::MaybeMoment(_) => INT64,
        Content::Flag(_) | Content::MaybeFlag(_) => BOOLEAN,
        Content::Float(_) => DOUBLE,
    }
}

fn encode_group(columns: &[Column], group: &RowGroup) -> Struct {
    let bytes = group.chunks.iter().map(|chunk| chunk.bytes).sum();
    let chunks = columns.iter().zip(&group.chunks).map(|(column, chunk)| encode_chunk(column, chunk));
    Struct::default().structures(1, chunks.collect()).i64(2, bytes).i64(3, group.rows as u64)
}

fn encode_chunk(column: &Column, chunk: &Chunk) -> Struct {
    let encodings: &[i32] =
        if chunk.dictionary.is_some() { &[PLAIN, RUN_LENGTHS, DICTIONARY] } else { &[PLAIN, RUN_LENGTHS] };
    let metadata = Struct::default()
        .i32(1, physical(column))
        .i32s(2, encodings)
        .texts(3, &[column.name])
        .i32(4, UNCOMPRESSED)
        .i64(5, chunk.values as u64)
        .i64(6, chunk.bytes)
        .i64(7, chunk.bytes)
        .i64(9, chunk.data)
        .maybe(chunk.dictionary, |metadata, at| metadata.i64(11, at));
    Struct::default().i64(2, chunk.start).structure(3, metadata)
}
