//! Pages: decodes compressed, packed and dictionary-encoded values.

pub(crate) mod write;

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use super::thrift::{Cursor, Value};

/// A larger page is damaged.
const LARGEST_PAGE: usize = 1 << 30;

/// The supported types of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    Int32,
    Int64,
    Float,
    Double,
    Text,
}

impl Kind {
    pub(super) fn of(number: i64) -> Option<Self> {
        Some(match number {
            0 => Kind::Flag,
            1 => Kind::Int32,
            2 => Kind::Int64,
            4 => Kind::Float,
            5 => Kind::Double,
            6 => Kind::Text,
            _ => return None,
        })
    }
}

/// One column in one file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    /// The definition level of a present value.
    pub(super) definition: u64,
    /// The repetition level: 1 for lists.
    pub(super) repetition: u64,
    /// The compression of pages, as Parquet's number.
    pub(super) codec: i64,
}

/// Values of one type. A text that occurs once in a dictionary is stored once.
#[derive(Debug, Clone)]
pub(super) enum Values {
    Flag(Vec<bool>),
    Whole(Vec<i64>),
    Real(Vec<f64>),
    Text(Vec<Arc<str>>),
}

impl Values {
    pub(super) fn none(kind: Kind) -> Self {
        match kind {
            Kind::Flag => Values::Flag(Vec::new()),
            Kind::Int32 | Kind::Int64 => Values::Whole(Vec::new()),
            Kind::Float | Kind::Double => Values::Real(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        }
    }

    pub(super) fn extend(&mut self, more: Values) {
        match (self, more) {
            (Values::Flag(all), Values::Flag(more)) => all.extend(more),
            (Values::Whole(all), Values::Whole(more)) => all.extend(more),
            (Values::Real(all), Values::Real(more)) => all.extend(more),
            (Values::Text(all), Values::Text(more)) => all.extend(more),
            _ => unreachable!("a column has one type"),
        }
    }

    /// The values at these indices. `None` if an index is out of range.
    fn at(&self, places: &[u64]) -> Option<Values> {
        fn pick<T: Clone>(values: &[T], places: &[u64]) -> Option<Vec<T>> {
            places.iter().map(|place| values.get(usize::try_from(*place).ok()?).cloned()).collect()
        }
        Some(match self {
            Values::Flag(values) => Values::Flag(pick(values, places)?),
            Values::Whole(values) => Values::Whole(pick(values, places)?),
            Values::Real(values) => Values::Real(pick(values, places)?),
            Values::Text(values) => Values::Text(pick(values, places)?),
        })
    }
}

/// The content of a column chunk: values, and the definition and repetition levels of each entry.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) values: Values,
    pub(super) definitions: Vec<u64>,
    pub(super) repetitions: Vec<u64>,
}

/// Reads the pages of a chunk of `entries` entries that begins at `at`. Pages may unpack to `left` bytes,
/// which is reduced by the bytes these used. The error is a message.
pub(super) fn read_chunk(
    bytes: &[u8],
    at: usize,
    entries: usize,
    shape: Shape,
    left: &mut usize,
) -> Result<Chunk, String> {
    let mut chunk =
        Chunk { values: Values::none(shape.kind), definitions: Vec::new(), repetitions: Vec::new() };
    let mut dictionary = Values::none(shape.kind);
    let mut cursor = Cursor::new(bytes, at);
    while chunk.definitions.len() < entries {
        let header = cursor.header().ok_or("a page has no header")?;
        let (compressed, size) = (header.size(3), header.size(2));
        let (Some(compressed), Some(size)) = (compressed, size) else {
            return Err("a page has no size".into());
        };
        let body = cursor.take(compressed).ok_or("a page ends after the file")?;
        match header.number(1) {
            Some(2) => {
                let body = decompress(body, size, shape.codec, left)?;
                let count = header.field(7).and_then(|header| header.size(1));
                // Every entry of a dictionary is used.
                let count = count.filter(|count| *count <= entries).ok_or("a dictionary has no size")?;
                let values = plain(&mut Cursor::new(&body, 0), shape.kind, count);
                dictionary = values.ok_or("a dictionary is too short")?;
            }
            Some(0) => {
                let body = decompress(body, size, shape.codec, left)?;
                let header = header.field(5).ok_or("a data page has no header")?;
                read_page(&body, header, shape, &dictionary, entries, &mut chunk)?;
            }
            Some(3) => return Err("it has data pages of version 2".into()),
            // Indexes and unknown page types are skipped.
            _ => {}
        }
    }
    Ok(chunk)
}

fn read_page(
    body: &[u8],
    header: &Value<'_>,
    shape: Shape,
    dictionary: &Values,
    entries: usize,
    chunk: &mut Chunk,
) -> Result<(), String> {
    let room = entries - chunk.definitions.len();
    // More entries than the column has would be damage, and must not cause memory to be reserved.
    let count = header.size(1).filter(|count| (1..=room).contains(count)).ok_or("a data page has no size")?;
    let mut cursor = Cursor::new(body, 0);
    let repetitions = levels(&mut cursor, shape.repetition, count).ok_or("repetition levels are damaged")?;
    let definitions = levels(&mut cursor, shape.definition, count).ok_or("definition levels are damaged")?;
    let there = definitions.iter().filter(|level| **level == shape.definition).count();
    let values = match header.number(2) {
        Some(0) => plain(&mut cursor, shape.kind, there),
        Some(2 | 8) => {
            let width = cursor.byte().ok_or("a data page is too short")?;
            hybrid(&mut cursor, u32::from(width), there).and_then(|places| dictionary.at(&places))
        }
        encoding => return Err(format!("its values have the encoding {}", encoding.unwrap_or(-1))),
    };
    chunk.values.extend(values.ok_or("a data page is too short")?);
    chunk.definitions.extend(definitions);
    chunk.repetitions.extend(repetitions);
    Ok(())
}

fn decompress<'a>(
    body: &'a [u8],
    size: usize,
    codec: i64,
    left: &mut usize,
) -> Result<Cow<'a, [u8]>, String> {
    if size > LARGEST_PAGE {
        return Err(format!("a page claims {size} bytes"));
    }
    *left = left.checked_sub(size).ok_or("the file is too large when it is unpacked")?;
    let mut whole = Vec::new();
    // One byte more than expected, to notice pages that are too long.
    let limit = size as u64 + 1;
    let read = match codec {
        0 if body.len() == size => return Ok(Cow::Borrowed(body)),
        0 => return Err("a page has another size than it says".into()),
        // Three bytes of Snappy represent at most 64.
        1 if snap::raw::decompress_len(body) != Ok(size) || size > 64 * body.len() => {
            return Err("a page has another size than it says".into());
        }
        1 => {
            whole.resize(size, 0);
            snap::raw::Decoder::new().decompress(body, &mut whole).map_err(io::Error::other)
        }
        2 => flate2::read::MultiGzDecoder::new(body).take(limit).read_to_end(&mut whole),
        6 => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(body);
            decoder.map_err(|error| error.to_string())?.take(limit).read_to_end(&mut whole)
        }
        other => {
            return Err(format!("its compression {other} is not read; Snappy, gzip, zstd and none are"));
        }
    };
    read.map_err(|error| error.to_string())?;
    if whole.len() == size { Ok(whole.into()) } else { Err("a page has another size than it says".into()) }
}

/// Levels up to `most`, preceded by their length. All are 0 if that is the only possible level.
fn levels(cursor: &mut Cursor<'_>, most: u64, count: usize) -> Option<Vec<u64>> {
    if most == 0 {
        return Some(vec![0; count]);
    }
    let length = u32::from_le_bytes(cursor.array()?);
    let mut levels = Cursor::new(cursor.take(usize::try_from(length).ok()?)?, 0);
    hybrid(&mut levels, u64::BITS - most.leading_zeros(), count)
}

/// Numbers of `width` bits in the hybrid format of runs and packed bits.
fn hybrid(cursor: &mut Cursor<'_>, width: u32, count: usize) -> Option<Vec<u64>> {
    if width > 32 {
        return None;
    }
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let header = cursor.varint()?;
        let wanted = count - values.len();
        let run = usize::try_from(header >> 1).ok()?;
        if run == 0 {
            // Empty runs would cause an endless loop.
            return None;
        }
        if header & 1 == 0 {
            let bytes = cursor.take(width.div_ceil(8) as usize)?;
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            values.extend(std::iter::repeat_n(value, run.min(wanted)));
        } else {
            let packed = cursor.take(run.checked_mul(width as usize)?)?;
            let here = wanted.min(run.checked_mul(8)?);
            values.extend((0..here).map(|index| unpacked(packed, width, index)));
        }
    }
    Some(values)
}

/// The number at `index` in an array of numbers with `width` bits each, at most 32, lowest bits first.
fn unpacked(bytes: &[u8], width: u32, index: usize) -> u64 {
    let from = index * width as usize;
    let rest = bytes.get(from / 8..).unwrap_or_default();
    let mut window = [0; 8];
    let count = rest.len().min(window.len());
    window[..count].copy_from_slice(&rest[..count]);
    u64::from_le_bytes(window) >> (from % 8) & !(u64::MAX << width)
}

fn plain(cursor: &mut Cursor<'_>, kind: Kind, count: usize) -> Option<Values> {
    fn fixed<T, const N: usize>(
        cursor: &mut Cursor<'_>,
        count: usize,
        make: fn([u8; N]) -> T,
    ) -> Option<Vec<T>> {
        let bytes = cursor.take(count.checked_mul(N)?)?;
        bytes.chunks_exact(N).map(|chunk| Some(make(chunk.try_into().ok()?))).collect()
    }
    Some(match kind {
        Kind::Flag => {
            let bytes = cursor.take(count.div_ceil(8))?;
            Values::Flag((0..count).map(|index| unpacked(bytes, 1, index) == 1).collect())
        }
        Kind::Int32 => Values::Whole(fixed(cursor, count, |b| i64::from(i32::from_le_bytes(b)))?),
        Kind::Int64 => Values::Whole(fixed(cursor, count, i64::from_le_bytes)?),
        Kind::Float => Values::Real(fixed(cursor, count, |b| f64::from(f32::from_le_bytes(b)))?),
        Kind::Double => Values::Real(fixed(cursor, count, f64::from_le_bytes)?),
        Kind::Text => {
            let mut texts = Vec::new();
            for _ in 0..count {
                let length = u32::from_le_bytes(cursor.array()?);
                let bytes = cursor.take(usize::try_from(length).ok()?)?;
                texts.push(Arc::from(String::from_utf8_lossy(bytes)));
            }
            Values::Text(texts)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_bits_are_numbers() {
        let check = |bytes: &[u8], width, count, expected: Option<&[u64]>| {
            assert_eq!(hybrid(&mut Cursor::new(bytes, 0), width, count).as_deref(), expected);
        };
        check(&[6, 7, 2, 1], 3, 4, Some(&[7, 7, 7, 1]));
        check(&[0xc8, 1, 0x2c, 1], 9, 3, Some(&[300; 3]));
        // The example of the format's specification: 0 to 7 in three bits each.
        check(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3, 8, Some(&[0, 1, 2, 3, 4, 5, 6, 7]));
        check(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010, 2, 5], 3, 9, Some(&[0, 1, 2, 3, 4, 5, 6, 7, 5]));
        // The last of eight numbers of 31 bits is in the last four bytes.
        let wide = [&[3][..], &[0; 27], &[2, 0, 0, 0x80]].concat();
        check(&wide, 31, 8, Some(&[0, 0, 0, 0, 0, 0, 0, 0x4000_0001]));
        check(&[6, 7], 3, 4, None);
        check(&[0, 7], 3, 4, None);
        check(&[], 3, 0, Some(&[]));
        check(&[2, 0, 0, 0, 0, 0], 33, 1, None);
    }

    #[test]
    fn flags_are_single_bits() {
        let mut cursor = Cursor::new(&[0b1010_0101, 0b10], 0);
        let Some(Values::Flag(flags)) = plain(&mut cursor, Kind::Flag, 10) else { panic!("flags") };
        assert_eq!(flags, [true, false, true, false, false, true, false, true, false, true]);
        assert!(plain(&mut Cursor::new(&[1], 0), Kind::Flag, 9).is_none());
    }

    #[test]
    fn pages_unpack_to_what_they_say_and_is_left() {
        let mut left = 10;
        assert_eq!(decompress(b"abc", 3, 0, &mut left).as_deref(), Ok(b"abc".as_slice()));
        assert_eq!(left, 7);
        assert!(decompress(b"abc", 4, 0, &mut left).is_err_and(|what| what.contains("another size")));
        let said = decompress(b"abcd", 4, 0, &mut left).unwrap_err();
        assert_eq!(said, "the file is too large when it is unpacked");
        let mut left = usize::MAX;
        let said = decompress(b"", LARGEST_PAGE + 1, 0, &mut left).unwrap_err();
        assert_eq!(said, "a page claims 1073741825 bytes");
    }

    /// A page of one `Int32`, or of a dictionary of one, with a stated count of `count` values.
    fn page(kind: u8, count: u8) -> Vec<u8> {
        let header = if kind == 2 { 0x4c } else { 0x2c };
        let sizes = [0x15, 2 * kind, 0x15, 8, 0x15, 8];
        [&sizes[..], &[header, 0x15, 2 * count, 0x15, 0, 0, 0], &7_i32.to_le_bytes()].concat()
    }

    #[test]
    fn pages_and_dictionaries_claim_no_more_than_their_column() {
        let shape = Shape { kind: Kind::Int32, definition: 0, repetition: 0, codec: 0 };
        let read = |bytes: &[u8], entries| {
            let mut left = 1000;
            read_chunk(bytes, 0, entries, shape, &mut left)
        };
        let chunk = read(&page(0, 1), 1).unwrap();
        assert!(matches!(chunk.values, Values::Whole(values) if values == [7]));
        assert_eq!(read(&page(0, 2), 1).unwrap_err(), "a data page has no size");
        assert_eq!(read(&page(0, 2), 2).unwrap_err(), "a data page is too short");
        assert_eq!(read(&[page(2, 2), page(0, 1)].concat(), 1).unwrap_err(), "a dictionary has no size");
        assert!(read(&[page(2, 1), page(0, 1)].concat(), 1).is_ok());
    }
}
