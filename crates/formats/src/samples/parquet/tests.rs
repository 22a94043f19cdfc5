use std::fs;

use benchwright_model::Severity;
use benchwright_testkit::repository;

use super::*;

fn captured(name: &str) -> Vec<u8> {
    fs::read(repository().join("fixtures/exchange/samples").join(name)).unwrap()
}

/// The single error in a file.
fn said(bytes: &[u8]) -> String {
    let list = crate::read("file", bytes).unwrap();
    let errors = list[0].diagnostics.iter().filter(|said| said.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_of_every_format_are_the_same_results() {
    let json = crate::read("file", &captured("0.1.0-imported.json")).unwrap();
    let parquet = [
        "0.1.0-imported.parquet",
        "arrow-26.0.1-snappy.parquet",
        "arrow-26.0.1-zstd.parquet",
        "arrow-26.0.1-gzip.parquet",
    ];
    for name in ["0.1.0-imported.csv"].into_iter().chain(parquet) {
        let found = crate::read("file", &captured(name)).unwrap();
        assert_eq!(found.len(), json.len(), "{name}");
        for (found, json) in found.iter().zip(&json) {
            assert_eq!(found.benchmarks, json.benchmarks, "{name}");
            assert_eq!(found.revision, json.revision, "{name}");
            assert!(found.diagnostics.is_empty(), "{name}: {:?}", found.diagnostics);
        }
    }
}

#[test]
fn every_cut_is_said() {
    let bytes = captured("0.1.0-imported.parquet");
    for end in (4..bytes.len()).step_by(7).chain([bytes.len() - 1, bytes.len() - 4, bytes.len() - 8]) {
        assert!(said(&bytes[..end]).contains("its end is missing or damaged; is it cut?"), "{end}");
    }
}

/// A file that contains only this description of columns.
fn file_with(footer: &[u8]) -> Vec<u8> {
    let length = u32::try_from(footer.len()).unwrap();
    [MAGIC, footer, &length.to_le_bytes(), MAGIC].concat()
}

#[test]
fn files_of_others_are_told_what_is_missing() {
    assert!(said(&file_with(&[0])).contains("there is no column `harness`"));
    // A table of one column, called `x`.
    let footer = [0x29, 0x2c, 0x48, 1, b't', 0x15, 2, 0, 0x15, 4, 0x25, 0, 0x18, 1, b'x', 0, 0];
    assert!(said(&file_with(&footer)).contains("there is no column `harness`"));
}

/// The position of the codec at the end of a column's metadata: `i32 4 = 0` follows its path.
fn codec_of(bytes: &[u8], column: &str) -> usize {
    let footer =
        bytes.len() - 8 - u32::from_le_bytes(*bytes[..bytes.len() - 4].last_chunk().unwrap()) as usize;
    let length = u8::try_from(column.len()).unwrap();
    let path = [&[0x18, length], column.as_bytes(), &[0x15, 0]].concat();
    footer + memchr::memmem::find_iter(&bytes[footer..], &path).last().unwrap() + path.len() - 1
}

#[test]
fn a_compressed_column_is_said_by_name() {
    let mut bytes = captured("0.1.0-imported.parquet");
    let codec = codec_of(&bytes, "side");
    // Thrift doubles positive numbers: Snappy is 1, LZO 3, zstd 6.
    bytes[codec] = 6;
    let found = said(&bytes);
    let told = "column `side`: its compression 3 is not read; Snappy, gzip, zstd and none are";
    assert!(found.contains(told), "{found}");
    for (number, name) in [(1, "Snappy"), (6, "zstd")] {
        bytes[codec] = 2 * number;
        assert!(said(&bytes).contains("column `side`: "), "what is no {name}");
    }
}

#[test]
fn more_rows_than_a_file_can_hold_are_not_believed() {
    let bytes = captured("0.1.0-imported.parquet");
    let file = File::open(&bytes).unwrap();
    let group = file.groups().next().unwrap();
    let read = |rows, bytes| Group::read(group, &mut Left { rows, bytes }).err().unwrap_or_default();
    assert!(read(3, LARGEST).contains("rows, more than"));
    assert!(read(MOST_ROWS, 100).contains("too large when it is unpacked"));
    assert_eq!(read(MOST_ROWS, LARGEST), "");
    let mut left = Left { rows: MOST_ROWS, bytes: LARGEST };
    let rows = Group::read(group, &mut left).unwrap().rows;
    assert_eq!(left.rows, MOST_ROWS - rows);
}
