//! Reads the names of files in a jar from the directory at the end of a zip file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The signature of the record at the very end. A comment of up to 64 KiB may follow it.
const END: &[u8] = b"PK\x05\x06";
/// Length of that record without its comment.
const END_LENGTH: usize = 22;
/// The signature of a directory entry, and its length without the name.
const ENTRY: &[u8] = b"PK\x01\x02";
const ENTRY_LENGTH: usize = 46;
/// No directory of a real jar is larger.
const LARGEST_DIRECTORY: u64 = 256 << 20;

/// The list of benchmarks that JMH's annotation processor leaves.
pub(super) const BENCHMARK_LIST: &str = "META-INF/BenchmarkList";
/// A class that JMH needs to run.
const RUNNER: &str = "org/openjdk/jmh/runner/Runner.class";

/// The result of examining a jar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jar {
    /// It contains benchmarks and JMH itself, so it can run.
    Runnable,
    /// It contains benchmarks, but not JMH.
    BenchmarksOnly,
    /// Neither, or no jar at all.
    Other,
}

/// Examines a file.
pub(super) fn look(path: &Path) -> Jar {
    let names = File::open(path).and_then(|mut file| names(&mut file)).unwrap_or_default();
    let has = |name: &str| names.iter().any(|known| known == name);
    match (has(BENCHMARK_LIST), has(RUNNER)) {
        (true, true) => Jar::Runnable,
        (true, false) => Jar::BenchmarksOnly,
        _ => Jar::Other,
    }
}

/// The names in a zip file's directory. Empty for archives with more than 65535 entries or 4 GiB, which are
/// not supported.
fn names<F: Read + Seek>(file: &mut F) -> io::Result<Vec<String>> {
    let size = file.seek(SeekFrom::End(0))?;
    let tail_length = size.min((END_LENGTH + 0xffff) as u64);
    let mut tail = vec![0; tail_length as usize];
    file.seek(SeekFrom::End(-(tail_length as i64)))?;
    file.read_exact(&mut tail)?;
    let Some(end) = tail.windows(END.len()).rposition(|window| window == END) else { return Ok(Vec::new()) };
    let (Some(length), Some(start)) = (number(&tail, end + 12, 4), number(&tail, end + 16, 4)) else {
        return Ok(Vec::new());
    };
    if length > LARGEST_DIRECTORY || start + length > size {
        return Ok(Vec::new());
    }
    let mut directory = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut directory)?;
    Ok(entries(&directory))
}

fn entries(directory: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while directory.get(at..).is_some_and(|rest| rest.starts_with(ENTRY)) {
        let length = |offset| number(directory, at + offset, 2).unwrap_or(0) as usize;
        let (name, extra, comment) = (length(28), length(30), length(32));
        let start = at + ENTRY_LENGTH;
        let Some(bytes) = directory.get(start..start + name) else { break };
        names.push(String::from_utf8_lossy(bytes).into_owned());
        at = start + name + extra + comment;
    }
    names
}

/// A little-endian number of `length` bytes.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Cursor;

    use super::*;
    use proptest::prelude::*;

    /// A zip file with only the directory, for empty files.
    pub(in crate::jmh) fn zip(names: &[&str], comment: &[u8]) -> Vec<u8> {
        let mut directory = Vec::new();
        for name in names {
            let mut entry = [0; ENTRY_LENGTH];
            entry[..4].copy_from_slice(ENTRY);
            entry[28..30].copy_from_slice(&(name.len() as u16).to_le_bytes());
            directory.extend_from_slice(&entry);
            directory.extend_from_slice(name.as_bytes());
        }
        let mut bytes = b"local files".to_vec();
        let (start, length) = (bytes.len() as u32, directory.len() as u32);
        bytes.extend_from_slice(&directory);
        bytes.extend_from_slice(END);
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&(comment.len() as u16).to_le_bytes());
        bytes.extend_from_slice(comment);
        bytes
    }

    #[test]
    fn names_are_found_whatever_the_comment() {
        let check = |comment: &[u8]| {
            let bytes = zip(&["META-INF/", BENCHMARK_LIST, RUNNER], comment);
            assert_eq!(names(&mut Cursor::new(bytes)).unwrap(), ["META-INF/", BENCHMARK_LIST, RUNNER]);
        };
        check(b"");
        check(b"made by hand");
    }

    #[test]
    fn a_jar_is_judged_by_its_names() {
        let dir = tempfile::tempdir().unwrap();
        let check = |names: &[&str], expected: Jar| {
            let path = dir.path().join("x.jar");
            std::fs::write(&path, zip(names, b"")).unwrap();
            assert_eq!(look(&path), expected, "{names:?}");
        };
        check(&[BENCHMARK_LIST, RUNNER], Jar::Runnable);
        check(&[BENCHMARK_LIST], Jar::BenchmarksOnly);
        check(&[RUNNER], Jar::Other);
        assert_eq!(look(&dir.path().join("missing.jar")), Jar::Other);
        assert_eq!(look(dir.path()), Jar::Other);
    }

    proptest! {
        #[test]
        fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = names(&mut Cursor::new(bytes));
        }

        #[test]
        fn any_damage_is_harmless(at in 0usize..200, byte in any::<u8>(), cut in 0usize..200) {
            let mut bytes = zip(&["META-INF/", BENCHMARK_LIST, RUNNER], b"x");
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(length - cut.min(length));
            let _ = names(&mut Cursor::new(bytes));
        }
    }
}
