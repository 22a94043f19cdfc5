//! Damaged files: nothing panics, and complete data is still read.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::test_fixtures::{files, short};
use crate::{Format, Imported, ImportedBenchmark, read};

/// Contents of all captured files, unpacked, with their names.
pub(crate) static CONTENTS: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let bytes = |path: &PathBuf| {
        let mut text = Vec::new();
        let file = fs::File::open(path).unwrap();
        let mut decoded = crate::reading::encoding::decode(Box::new(file)).unwrap();
        decoded.source.read_to_end(&mut text).unwrap();
        text
    };
    files().iter().map(|path| (short(path), bytes(path))).collect()
});

pub(crate) fn benchmarks(list: &[Imported]) -> Vec<&ImportedBenchmark> {
    list.iter().flat_map(|imported| &imported.benchmarks).collect()
}

pub(crate) fn values(list: &[Imported]) -> usize {
    let processes =
        list.iter().flat_map(|imported| &imported.benchmarks).flat_map(|benchmark| &benchmark.processes);
    processes.flat_map(|process| &process.series).map(|series| series.values.len()).sum()
}

/// The ends of complete records, and the text that closes the file after any of them. `None` for formats
/// without records in an array.
fn records(format: Format, text: &[u8]) -> Option<(Vec<usize>, &'static str)> {
    let (depth, closing) = match format {
        Format::JmhJson => (1, "]"),
        Format::GithubAction if text.starts_with(b"[") => (1, "]"),
        Format::GoogleBenchmark | Format::PytestBenchmark | Format::Hyperfine | Format::BenchmarkDotNet => {
            (2, "]}")
        }
        Format::Gungraun => (0, ""),
        Format::BencherMetric => (1, "}"),
        _ => return None,
    };
    let (mut ends, mut at_depth, mut is_text, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => at_depth += 1,
            b'}' | b']' if !is_text => {
                at_depth -= 1;
                if at_depth == depth && *byte == b'}' {
                    ends.push(at + 1);
                }
            }
            _ => {}
        }
    }
    // The context of Google Benchmark and pytest is an object one level higher.
    Some((ends, closing))
}

#[test]
fn every_record_before_a_cut_survives() {
    let mut checked = 0;
    for (name, text) in CONTENTS.iter() {
        let whole = read(name, text).unwrap();
        let Some((ends, closing)) = records(whole[0].format, text) else { continue };
        for (number, end) in ends.iter().enumerate() {
            // Cut directly after the record, and somewhere in the next one.
            let next = ends.get(number + 1).copied().unwrap_or(text.len());
            let closed = [&text[..*end], closing.as_bytes()].concat();
            let Ok(expected) = read(name, &closed) else { continue };
            for cut in [*end, (*end + next) / 2, next - 1] {
                let found = read(name, &text[..cut]).unwrap();
                assert_eq!(benchmarks(&found), benchmarks(&expected), "{name} cut at {cut}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn every_line_before_a_cut_survives() {
    for (name, text) in CONTENTS.iter() {
        let whole = read(name, text).unwrap();
        let formats = [Format::Benchfmt, Format::Uoptime, Format::Pa, Format::SamplesCsv];
        if !formats.contains(&whole[0].format) {
            continue;
        }
        let mut end = 0;
        for cut in 1..text.len() {
            if text[cut - 1] == b'\n' {
                end = cut;
            }
            let (Ok(found), Ok(expected)) = (read(name, &text[..cut]), read(name, &text[..end])) else {
                continue;
            };
            // The rest of a line may be complete without its end.
            assert!(values(&found) >= values(&expected), "{name} cut at {cut}");
            let known = benchmarks(&whole);
            for benchmark in benchmarks(&found) {
                let is_known = known.iter().any(|other| other.id == benchmark.id);
                assert!(
                    is_known || whole[0].format == Format::Benchfmt,
                    "{name} cut at {cut}: {}",
                    benchmark.id
                );
            }
        }
    }
}

#[test]
fn other_line_ends_and_encodings_change_nothing() {
    for (name, text) in CONTENTS.iter() {
        let plain = read(name, text).unwrap();
        if plain[0].format == Format::Parquet {
            // The format is not text.
            continue;
        }
        let same = |bytes: &[u8], how: &str| {
            let found = read(name, bytes).unwrap();
            assert_eq!(benchmarks(&found), benchmarks(&plain), "{name} as {how}");
        };
        let string = String::from_utf8(text.clone()).unwrap();
        same(string.replace('\n', "\r\n").as_bytes(), "Windows text");
        same(&[b"\xef\xbb\xbf", text.as_slice()].concat(), "text with a byte order mark");
        let wide: Vec<u8> =
            "\u{feff}".encode_utf16().chain(string.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        same(&wide, "UTF-16");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        let packed = encoder.finish().unwrap();
        same(&packed, "gzip");
        let cut = read(name, &packed[..packed.len() - 9]).unwrap();
        let said = cut[0]
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == benchwright_model::Severity::Error);
        assert!(said, "{name}: a cut gzip file is said: {:?}", cut[0].diagnostics);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read("file", &bytes);
    }

    #[test]
    fn any_text_that_looks_like_results_is_harmless(
        words in proptest::collection::vec(prop_oneof![
            Just("[".to_owned()), Just("]".to_owned()), Just("{".to_owned()), Just("}".to_owned()), Just(",".to_owned()),
            Just(":".to_owned()), Just("\n".to_owned()), Just("\"jmhVersion\"".to_owned()), Just("\"primaryMetric\":".to_owned()),
            Just("\"rawData\":".to_owned()), Just("\"benchmarks\":".to_owned()), Just("\"context\":".to_owned()),
            Just("\"results\":".to_owned()), Just("\"command\":".to_owned()), Just("\"runs\":".to_owned()),
            Just("\"value\":".to_owned()), Just("BenchmarkX-2 ".to_owned()), Just("ns/op ".to_owned()), Just("pkg: a\n".to_owned()),
            Just("NaN".to_owned()), Just("null".to_owned()), "[0-9.e-]{1,30} ?", "\"\\PC{0,5}\"",
        ], 0..80)
    ) {
        let _ = read("file", words.concat().as_bytes());
    }

    #[test]
    fn any_mutation_of_a_captured_file_is_harmless(
        which in any::<Index>(),
        changes in proptest::collection::vec((any::<Index>(), 0_u8..5, any::<u8>(), 1_usize..200), 1..8),
        cut in proptest::option::of(any::<Index>()),
    ) {
        let (name, text) = &CONTENTS[which.index(CONTENTS.len())];
        let mut bytes = text.clone();
        for (at, kind, byte, length) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.drain(at..end)),
                3 => {
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => bytes[at] = b"{}[]\",:\\\n 0-."[usize::from(byte) % 13],
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        if let Ok(list) = read(name, &bytes) {
            prop_assert!(!list.is_empty());
            for benchmark in benchmarks(&list) {
                prop_assert!(!benchmark.processes.is_empty() || !benchmark.summaries.is_empty());
                prop_assert!(benchmark.positions.is_empty() || benchmark.positions.len() == benchmark.processes.len());
                for series in benchmark.processes.iter().flat_map(|process| &process.series) {
                    prop_assert!(!series.values.is_empty() && series.values.iter().all(|value| value.is_finite()));
                }
            }
        }
    }
}
