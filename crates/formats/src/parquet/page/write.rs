//! Writes pages: a header, and the values of a column in one of three encodings.

use std::collections::HashMap;

use crate::parquet::thrift::write::{Struct, varint};

/// Numbers of page types and encodings in the format.
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
pub(crate) const PLAIN: i32 = 0;
pub(crate) const RUN_LENGTHS: i32 = 3;
pub(crate) const DICTIONARY: i32 = 8;

/// A page with plain values. `levels` state which rows have a value; without levels all rows have one.
pub(crate) fn plain(rows: usize, levels: Option<&[u8]>, values: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(values.len() + 16);
    if let Some(levels) = levels {
        content.extend((levels.len() as u32).to_le_bytes());
        content.extend_from_slice(levels);
    }
    content.extend_from_slice(values);
    data_page(rows, PLAIN, &content)
}

/// A page with every different text, and a page with the index of each row's text.
pub(crate) fn dictionary(values: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let (mut texts, mut indices) = (Vec::new(), Vec::with_capacity(values.len()));
    for value in values {
        let next = known.len() as u32;
        indices.push(*known.entry(value).or_insert_with(|| {
            texts.extend((value.len() as u32).to_le_bytes());
            texts.extend_from_slice(value.as_bytes());
            next
        }));
    }
    let count = known.len() as u32;
    let header = Struct::default().i32(1, count.cast_signed()).i32(2, PLAIN);
    let page = page(DICTIONARY_PAGE, 7, header, &texts);
    let width = (u32::BITS - count.saturating_sub(1).leading_zeros()).max(1);
    let mut content = vec![width as u8];
    content.extend(runs(indices.into_iter(), width.div_ceil(8) as usize));
    (page, data_page(values.len(), DICTIONARY, &content))
}

/// The levels that state which rows have a value: 1 or 0, in runs.
pub(crate) fn levels<T>(values: &[Option<T>]) -> Vec<u8> {
    runs(values.iter().map(|value| u32::from(value.is_some())), 1)
}

pub(crate) fn whole(values: impl Iterator<Item = i64>) -> Vec<u8> {
    values.flat_map(i64::to_le_bytes).collect()
}

pub(crate) fn floats(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

/// Eight flags per byte, the first in the lowest bit.
pub(crate) fn flags(values: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, value) in values.enumerate() {
        if index % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(value) << (index % 8);
        }
    }
    bytes
}

/// Runs of equal values: twice their length as a varint, then the value in this many bytes. Samples of one
/// process follow each other, so runs are long.
fn runs(values: impl Iterator<Item = u32>, bytes_of_value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut values = values.peekable();
    while let Some(value) = values.next() {
        let mut length = 1_u64;
        while values.next_if_eq(&value).is_some() {
            length += 1;
        }
        varint(length << 1, &mut out);
        out.extend_from_slice(&value.to_le_bytes()[..bytes_of_value]);
    }
    out
}

fn data_page(rows: usize, encoding: i32, content: &[u8]) -> Vec<u8> {
    let header = Struct::default()
        .i32(1, (rows as u32).cast_signed())
        .i32(2, encoding)
        .i32(3, RUN_LENGTHS)
        .i32(4, RUN_LENGTHS);
    page(DATA_PAGE, 5, header, content)
}

/// A page of this type. Its own header is stored in the given field of the page's header.
fn page(kind: i32, field: u8, own: Struct, content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32).cast_signed();
    let header = Struct::default().i32(1, kind).i32(2, size).i32(3, size).structure(field, own);
    [header.finish().as_slice(), content].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted() {
        assert_eq!(runs([7, 7, 7, 1].into_iter(), 1), [6, 7, 2, 1]);
        assert_eq!(runs([300; 100].into_iter(), 2), [0xc8, 1, 0x2c, 1]);
        assert_eq!(runs([].into_iter(), 1), Vec::<u8>::new());
    }

    #[test]
    fn flags_fill_bytes_from_below() {
        assert_eq!(flags([true, false, true].into_iter()), [0b101]);
        assert_eq!(flags([true; 9].into_iter()), [0xff, 1]);
    }
}
