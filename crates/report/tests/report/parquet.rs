//! Parquet files, read back by a reader that knows the format and nothing of the writer.

use std::collections::BTreeMap;

use benchwright_model::{Direction, Position, Side};
use benchwright_report::export::{ExportFormat, ExportOptions, SAMPLE_COLUMNS};

use crate::export::{samples, trials};
use crate::sample;

/// A value of Thrift's compact protocol.
#[derive(Debug, Clone)]
enum Thrift {
    Number(i64),
    Bytes(Vec<u8>),
    List(Vec<Thrift>),
    Struct(BTreeMap<i16, Thrift>),
}

impl Thrift {
    fn field(&self, number: i16) -> &Thrift {
        match self {
            Thrift::Struct(fields) => {
                fields.get(&number).unwrap_or_else(|| panic!("no {number} in {fields:?}"))
            }
            other => panic!("{other:?} has no fields"),
        }
    }

    fn maybe(&self, number: i16) -> Option<i64> {
        match self {
            Thrift::Struct(fields) => fields.get(&number).map(Thrift::number),
            _ => None,
        }
    }

    fn number(&self) -> i64 {
        match self {
            Thrift::Number(number) => *number,
            other => panic!("{other:?} is no number"),
        }
    }

    fn list(&self) -> &[Thrift] {
        match self {
            Thrift::List(list) => list,
            other => panic!("{other:?} is no list"),
        }
    }

    fn text(&self) -> String {
        match self {
            Thrift::Bytes(bytes) => String::from_utf8(bytes.clone()).unwrap(),
            other => panic!("{other:?} is no text"),
        }
    }
}

/// Bytes and a place in them.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn take(&mut self, count: usize) -> Vec<u8> {
        self.at += count;
        self.bytes[self.at - count..self.at].to_vec()
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }

    fn zigzag(&mut self) -> i64 {
        let value = self.varint();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }

    fn value(&mut self, kind: u8) -> Thrift {
        match kind {
            4..=6 => Thrift::Number(self.zigzag()),
            8 => {
                let length = self.varint() as usize;
                Thrift::Bytes(self.take(length))
            }
            9 => {
                let header = self.byte();
                let length = if header >> 4 == 15 { self.varint() } else { u64::from(header >> 4) };
                Thrift::List((0..length).map(|_| self.value(header & 15)).collect())
            }
            12 => self.structure(),
            other => panic!("type {other}"),
        }
    }

    fn structure(&mut self) -> Thrift {
        let (mut fields, mut last) = (BTreeMap::new(), 0_i16);
        loop {
            let header = self.byte();
            if header == 0 {
                return Thrift::Struct(fields);
            }
            last = if header >> 4 == 0 { self.zigzag() as i16 } else { last + i16::from(header >> 4) };
            fields.insert(last, self.value(header & 15));
        }
    }

    /// Values of so many bits in the hybrid of runs and packed bits.
    fn hybrid(&mut self, width: usize, count: usize) -> Vec<u64> {
        let mut values = Vec::new();
        while values.len() < count {
            let header = self.varint();
            assert_eq!(header & 1, 0, "packed bits are allowed, but not what this writer is for");
            let mut bytes = self.take(width.div_ceil(8));
            bytes.resize(8, 0);
            let value = u64::from_le_bytes(bytes.try_into().unwrap());
            values.extend(std::iter::repeat_n(value, (header >> 1) as usize));
        }
        assert_eq!(values.len(), count);
        values
    }
}

/// The values of one column as text, none where a row has none.
type Values = Vec<Option<String>>;

fn plain(cursor: &mut Cursor<'_>, kind: i64, count: usize) -> Vec<String> {
    let eight = |cursor: &mut Cursor<'_>| -> [u8; 8] { cursor.take(8).try_into().unwrap() };
    match kind {
        0 => {
            let bytes = cursor.take(count.div_ceil(8));
            (0..count).map(|i| (bytes[i / 8] >> (i % 8) & 1 == 1).to_string()).collect()
        }
        2 => (0..count).map(|_| i64::from_le_bytes(eight(cursor)).to_string()).collect(),
        5 => (0..count).map(|_| format!("{:e}", f64::from_le_bytes(eight(cursor)))).collect(),
        6 => {
            let text = |cursor: &mut Cursor<'_>| {
                let length = u32::from_le_bytes(cursor.take(4).try_into().unwrap());
                String::from_utf8(cursor.take(length as usize)).unwrap()
            };
            (0..count).map(|_| text(cursor)).collect()
        }
        other => panic!("type {other}"),
    }
}

/// Reads a column chunk with its pages.
fn chunk(bytes: &[u8], metadata: &Thrift, is_optional: bool) -> Values {
    let kind = metadata.field(1).number();
    let rows = metadata.field(5).number() as usize;
    assert_eq!(metadata.field(4).number(), 0, "not compressed");
    let dictionary = metadata.maybe(11).map(|at| {
        let mut cursor = Cursor { bytes, at: at as usize };
        let header = cursor.structure();
        assert_eq!(header.field(1).number(), 2, "a dictionary page");
        plain(&mut cursor, kind, header.field(7).field(1).number() as usize)
    });
    let mut cursor = Cursor { bytes, at: metadata.field(9).number() as usize };
    let header = cursor.structure();
    let (start, size) = (cursor.at, header.field(3).number() as usize);
    assert_eq!((header.field(1).number(), header.field(5).field(1).number()), (0, rows as i64));
    let present = if is_optional {
        let length = u32::from_le_bytes(cursor.take(4).try_into().unwrap()) as usize;
        let from = cursor.at;
        let levels = cursor.hybrid(1, rows);
        assert_eq!(cursor.at - from, length);
        levels
    } else {
        vec![1; rows]
    };
    let there = present.iter().filter(|level| **level == 1).count();
    let values = match (header.field(5).field(2).number(), dictionary) {
        (0, None) => plain(&mut cursor, kind, there),
        (8, Some(texts)) => {
            let width = usize::from(cursor.byte());
            let indices = cursor.hybrid(width, there);
            indices.iter().map(|index| texts[*index as usize].clone()).collect()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(cursor.at - start, size, "the page is as long as it says");
    let mut values = values.into_iter();
    present.iter().map(|level| if *level == 1 { values.next() } else { None }).collect()
}

/// All columns of a file.
fn read(bytes: &[u8]) -> BTreeMap<String, Values> {
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let mut cursor = Cursor { bytes, at: end - length };
    let footer = cursor.structure();
    assert_eq!(cursor.at, end);
    let schema = footer.field(2).list();
    assert_eq!(schema[0].field(5).number() as usize, schema.len() - 1);
    let mut columns: BTreeMap<String, Values> = BTreeMap::new();
    for group in footer.field(4).list() {
        for (element, column) in schema[1..].iter().zip(group.field(1).list()) {
            let metadata = column.field(3);
            assert_eq!(metadata.field(3).list()[0].text(), element.field(4).text());
            let values = chunk(bytes, metadata, element.field(3).number() == 1);
            columns.entry(element.field(4).text()).or_default().extend(values);
        }
    }
    let rows = footer.field(3).number() as usize;
    assert!(columns.values().all(|values| values.len() == rows));
    columns
}

fn written(trials: &[benchwright_model::Trial], side: Option<Side>) -> Vec<u8> {
    let mut out = Vec::new();
    let options = ExportOptions { side, better: Direction::LowerIsBetter };
    ExportFormat::Parquet.write(&sample::run(), &[], trials, options, &mut out).unwrap();
    out
}

#[test]
fn every_sample_is_read_back_with_its_place() {
    let columns = read(&written(&trials(), None));
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let mut expected = SAMPLE_COLUMNS.to_vec();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(columns["value"].len(), samples(None));
    let mut row = 0;
    for trial in trials() {
        let Some(measurement) = trial.outcome.measurement() else { continue };
        for series in &measurement.series {
            for (sample, value) in series.values.iter().enumerate() {
                let cell = |name: &str| columns[name][row].as_deref();
                assert_eq!(cell("benchmark"), Some(trial.benchmark.name.as_str()));
                assert_eq!(cell("metric"), Some(series.metric.name.as_str()));
                assert_eq!(cell("side"), Some(trial.side.name()));
                assert_eq!(cell("sample"), Some(sample.to_string().as_str()));
                assert_eq!(cell("value").unwrap().parse::<f64>().unwrap().to_bits(), value.to_bits());
                let is_warmup = sample < measurement.warmup as usize;
                assert_eq!(cell("warmup"), Some(is_warmup.to_string().as_str()));
                let (duet, suite_run) = match trial.position {
                    Position::Duet { index, .. } => (Some(index.to_string()), None),
                    Position::Levels { suite_run, .. } => (None, Some(suite_run.to_string())),
                };
                let instance = trial.instance.as_ref().map_or("", |instance| instance.id.0.as_str());
                assert_eq!(cell("instance_id"), Some(instance));
                assert_eq!((cell("duet"), cell("suite_run")), (duet.as_deref(), suite_run.as_deref()));
                row += 1;
            }
        }
    }
}

#[test]
fn one_side_and_nothing_at_all_are_files_too() {
    assert_eq!(read(&written(&trials(), Some(Side::Base)))["value"].len(), samples(Some(Side::Base)));
    assert!(read(&written(&[], None)).is_empty(), "no groups, no values");
}

#[test]
fn many_rows_are_several_groups_and_many_names_fit() {
    let id = |i: u32| benchwright_model::BenchmarkId::new("go", "p", format!("Benchmark{i}"));
    let many: Vec<_> = (0..7000).map(|i| sample::trial(&id(i), Side::Head, i, 1.0 + f64::from(i))).collect();
    let columns = read(&written(&many, None));
    let expected: usize = many
        .iter()
        .filter_map(|t| t.outcome.measurement())
        .flat_map(|m| &m.series)
        .map(|s| s.values.len())
        .sum();
    assert!(expected > 100_000, "{expected}");
    assert_eq!(columns["benchmark"].len(), expected);
    assert_eq!(columns["benchmark"].last().unwrap().as_deref(), Some("Benchmark6999"));
}
