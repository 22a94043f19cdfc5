//! Pages: what is compressed, packed and looked up becomes values.

use std::io::Read;

use super::thrift::{Cursor, Value};

/// A page larger than this is damage.
const LARGEST_PAGE: usize = 1 << 30;

/// A column's type, as far as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int32,
    Int64,
    Float,
    Double,
    Text,
}

impl Kind {
    pub(super) fn of(number: i64) -> Option<Self> {
        Some(match number {
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
    /// The definition level of a value that is there.
    pub(super) definition: u64,
    /// 1 for lists.
    pub(super) repetition: u64,
    /// How pages are compressed, by Parquet's number.
    pub(super) codec: i64,
}

/// Values of one type.
#[derive(Debug, Clone)]
pub(super) enum Values {
    Whole(Vec<i64>),
    Real(Vec<f64>),
    Text(Vec<String>),
}

impl Values {
    pub(super) fn none(kind: Kind) -> Self {
        match kind {
            Kind::Int32 | Kind::Int64 => Values::Whole(Vec::new()),
            Kind::Float | Kind::Double => Values::Real(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
        }
    }

    pub(super) fn extend(&mut self, more: Values) {
        match (self, more) {
            (Values::Whole(all), Values::Whole(more)) => all.extend(more),
            (Values::Real(all), Values::Real(more)) => all.extend(more),
            (Values::Text(all), Values::Text(more)) => all.extend(more),
            _ => unreachable!("a column has one type"),
        }
    }

    /// The values at these places; `None` if one is not there.
    fn at(&self, places: &[u64]) -> Option<Values> {
        fn pick<T: Clone>(values: &[T], places: &[u64]) -> Option<Vec<T>> {
            places.iter().map(|place| values.get(usize::try_from(*place).ok()?).cloned()).collect()
        }
        Some(match self {
            Values::Whole(values) => Values::Whole(pick(values, places)?),
            Values::Real(values) => Values::Real(pick(values, places)?),
            Values::Text(values) => Values::Text(pick(values, places)?),
        })
    }
}

/// What is in a column chunk: values, and for each entry how it is defined and whether it continues a list.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) values: Values,
    pub(super) definitions: Vec<u64>,
    pub(super) repetitions: Vec<u64>,
}

/// Reads the pages of a chunk of `entries` entries that begins at `at`. An error says what is wrong.
pub(super) fn read_chunk(bytes: &[u8], at: usize, entries: usize, shape: Shape) -> Result<Chunk, String> {
    let mut chunk =
        Chunk { values: Values::none(shape.kind), definitions: Vec::new(), repetitions: Vec::new() };
    let mut dictionary = Values::none(shape.kind);
    let mut cursor = Cursor::new(bytes, at);
    while chunk.definitions.len() < entries {
        let header = cursor.header().ok_or("a page has no header")?;
        let (compressed, size) = (header.size(3), header.size(2));
        let (Some(compressed), Some(size)) = (compressed, size) else { return Err("a page has no size".into()) };
        let body = cursor.take(compressed).ok_or("a page ends after the file")?;
        match header.number(1) {
            Some(2) => {
                let body = decompress(body, size, shape.codec)?;
                let count = header.field(7).and_then(|header| header.size(1)).ok_or("a dictionary has no size")?;
                let values = plain(&mut Cursor::new(&body, 0), shape.kind, count);
                dictionary = values.ok_or("a dictionary is too short")?;
            }
            Some(0) => {
                let body = decompress(body, size, shape.codec)?;
                let header = header.field(5).ok_or("a data page has no header")?;
                read_page(&body, header, shape, &dictionary, &mut chunk)?;
            }
            Some(3) => return Err("it has data pages of version 2".into()),
            // Indexes and whatever comes one day are passed over.
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
    chunk: &mut Chunk,
) -> Result<(), String> {
    let count = header.size(1).filter(|count| *count > 0).ok_or("a data page has no size")?;
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

fn decompress(body: &[u8], size: usize, codec: i64) -> Result<Vec<u8>, String> {
    if size > LARGEST_PAGE {
        return Err(format!("a page claims {size} bytes"));
    }
    let mut whole = Vec::new();
    // One byte more than it should be, to notice.
    let limit = size as u64 + 1;
    let read = match codec {
        0 => body.take(limit).read_to_end(&mut whole),
        2 => flate2::read::MultiGzDecoder::new(body).take(limit).read_to_end(&mut whole),
        6 => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(body);
            decoder.map_err(|error| error.to_string())?.take(limit).read_to_end(&mut whole)
        }
        1 => return Err("it is compressed with Snappy; zstd, gzip and none are read".into()),
        other => return Err(format!("its compression {other} is not read; zstd, gzip and none are")),
    };
    read.map_err(|error| error.to_string())?;
    if whole.len() == size { Ok(whole) } else { Err("a page has another size than it says".into()) }
}

/// Levels up to `most`, preceded by their length; all equal to 0 where there can be no others.
fn levels(cursor: &mut Cursor<'_>, most: u64, count: usize) -> Option<Vec<u64>> {
    if most == 0 {
        return Some(vec![0; count]);
    }
    let length = u32::from_le_bytes(cursor.array()?);
    let end = cursor.at.checked_add(usize::try_from(length).ok()?)?;
    let levels = hybrid(cursor, u64::BITS - most.leading_zeros(), count)?;
    cursor.at = end;
    Some(levels)
}

/// Numbers of `width` bits in the hybrid of runs and packed bits.
fn hybrid(cursor: &mut Cursor<'_>, width: u32, count: usize) -> Option<Vec<u64>> {
    if width > 32 {
        return None;
    }
    let mut values = Vec::new();
    while values.len() < count {
        let header = cursor.varint()?;
        let wanted = count - values.len();
        let run = usize::try_from(header >> 1).ok()?;
        if run == 0 {
            // A run of nothing would never end.
            return None;
        }
        if header & 1 == 0 {
            let bytes = cursor.take(width.div_ceil(8) as usize)?;
            let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            values.extend(std::iter::repeat_n(value, run.min(wanted)));
        } else {
            let packed = cursor.take(run.checked_mul(width as usize)?)?;
            values.extend(unpacked(packed, width).take(wanted.min(run.checked_mul(8)?)));
        }
    }
    Some(values)
}

/// Numbers of `width` bits each, the lowest bits first. Endless zeros for no width.
fn unpacked(bytes: &[u8], width: u32) -> impl Iterator<Item = u64> {
    let width = width as usize;
    let bit = move |at: usize| bytes.get(at / 8).map_or(0, |byte| u64::from(byte >> (at % 8) & 1));
    (0..).map(move |index: usize| (0..width).fold(0, |value, i| value | bit(index * width + i) << i))
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
        Kind::Int32 => Values::Whole(fixed(cursor, count, |b| i64::from(i32::from_le_bytes(b)))?),
        Kind::Int64 => Values::Whole(fixed(cursor, count, i64::from_le_bytes)?),
        Kind::Float => Values::Real(fixed(cursor, count, |b| f64::from(f32::from_le_bytes(b)))?),
        Kind::Double => Values::Real(fixed(cursor, count, f64::from_le_bytes)?),
        Kind::Text => {
            let mut texts = Vec::new();
            for _ in 0..count {
                let length = u32::from_le_bytes(cursor.array()?);
                let bytes = cursor.take(usize::try_from(length).ok()?)?;
                texts.push(String::from_utf8_lossy(bytes).into_owned());
            }
            Values::Text(texts)
        }
    })
}
