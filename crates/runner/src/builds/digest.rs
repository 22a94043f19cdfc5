//! A digest of the behaviour of an executable.
//!
//! The same code built in two check-outs gives files that differ in places without any effect: the path of
//! the check-out, ids that the linker computes from the rest, and debug information. These are left out.
//! Everything that is not understood is kept, so that two digests are equal too rarely rather than too often.

use std::fs;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Sections that no running program sees (their contents are not loaded), or that are ids of the rest.
const LEFT_OUT: &[&str] = &[
    ".debug",
    ".zdebug",
    ".symtab",
    ".strtab",
    ".shstrtab",
    ".gdb_index",
    ".note.gnu.build-id",
    ".note.go.buildid",
];
/// The bytes before the id in a program built by Go.
const GO_BUILD_ID: &[u8] = b"\xff Go build ID: \"";

/// The digest of a program, without the path `root` of its check-out.
///
/// A program that contains the path of its own `build` directory may start or read files in there at run time
/// (Cargo's `CARGO_BIN_EXE_…`, `OUT_DIR`), and its own bytes do not show their contents. That path is kept,
/// so that the program of another build never has the same digest.
pub(super) fn executable_digest(program: &Path, root: &Path, build: &Path) -> io::Result<String> {
    let bytes = fs::read(program)?;
    let (root, build) = (root.as_os_str().as_bytes(), build.as_os_str().as_bytes());
    let mut digest = Sha256::new();
    if contains(&bytes, build) {
        digest.update(build);
    }
    digest.update(normalised(bytes, &[root, build]));
    Ok(hex::encode(digest.finalize()))
}

/// Whether `bytes` contains `text`.
fn contains(bytes: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(bytes, text).is_some()
}

fn normalised(mut bytes: Vec<u8>, hidden: &[&[u8]]) -> Vec<u8> {
    blank_go_build_id(&mut bytes);
    for path in hidden {
        blank_all(&mut bytes, path);
    }
    seen_when_running(bytes)
}

/// The bytes of a program without those that it does not see when it runs.
pub(super) fn seen_when_running(bytes: Vec<u8>) -> Vec<u8> {
    let Some(mut left_out) = elf_ranges(&bytes) else { return bytes };
    left_out.sort_by_key(|range| range.start);
    let mut kept = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for range in left_out {
        if range.start > at {
            kept.extend_from_slice(&bytes[at..range.start]);
        }
        at = at.max(range.end);
    }
    kept.extend_from_slice(&bytes[at..]);
    kept
}

fn blank_all(bytes: &mut [u8], path: &[u8]) {
    let Some(first) = path.first() else { return };
    let mut at = 0;
    while at + path.len() <= bytes.len() {
        if bytes[at] == *first && bytes[at..].starts_with(path) {
            bytes[at..at + path.len()].fill(b'*');
            at += path.len();
        } else {
            at += 1;
        }
    }
}

fn blank_go_build_id(bytes: &mut [u8]) {
    // The linker puts it at the beginning of the code.
    let searched = &bytes[..bytes.len().min(64 << 10)];
    let Some(start) = searched.windows(GO_BUILD_ID.len()).position(|window| window == GO_BUILD_ID) else {
        return;
    };
    let start = start + GO_BUILD_ID.len();
    if let Some(length) = bytes[start..].iter().take(256).position(|byte| *byte == b'"') {
        bytes[start..start + length].fill(b'*');
    }
}

/// The parts of a 64-bit little-endian ELF file that have no effect. `None` if the file is of another kind or
/// looks odd.
fn elf_ranges(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let table = usize::try_from(number(bytes, 0x28, 8)?).ok()?;
    let entry_size = number(bytes, 0x3a, 2)? as usize;
    let count = number(bytes, 0x3c, 2)? as usize;
    let names_index = number(bytes, 0x3e, 2)? as usize;
    if entry_size != 64 || count == 0 || names_index >= count {
        return None;
    }
    let section = |index: usize| {
        let header = table.checked_add(index * entry_size)?;
        let start = usize::try_from(number(bytes, header.checked_add(24)?, 8)?).ok()?;
        let size = usize::try_from(number(bytes, header.checked_add(32)?, 8)?).ok()?;
        let is_in_file = number(bytes, header.checked_add(4)?, 4)? != 8;
        let end = start.checked_add(if is_in_file { size } else { 0 })?;
        Some((number(bytes, header, 4)? as usize, start..end))
    };
    let names = bytes.get(section(names_index)?.1)?;
    // The position of the section table and the table itself depend on the size of what is left out.
    let table_end = table.checked_add(count * entry_size)?;
    let mut left_out = vec![0x28..0x30, 0x3c..0x40, table..table_end];
    for index in 0..count {
        let (name, range) = section(index)?;
        let name = names.get(name..)?.split(|byte| *byte == 0).next()?;
        if range.end > bytes.len() {
            return None;
        }
        if LEFT_OUT.iter().any(|prefix| name.starts_with(prefix.as_bytes())) {
            left_out.push(range);
        }
    }
    (table_end <= bytes.len()).then_some(left_out)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &[u8], right: &[u8], is_equal: bool) {
        let normal = |bytes: &[u8], path: &[u8]| normalised(bytes.to_vec(), &[path]);
        assert_eq!(normal(left, b"/cache/aaaa") == normal(right, b"/cache/bbbb"), is_equal);
    }

    #[test]
    fn only_the_own_path_is_hidden() {
        check(b"x/cache/aaaa/src/lib.rs", b"x/cache/bbbb/src/lib.rs", true);
        check(b"/cache/aaaa/cache/aaaa", b"/cache/bbbb/cache/bbbb", true);
        check(b"x/cache/aaaa/src/lib.rs", b"x/cache/bbbb/src/bin.rs", false);
        check(b"x/cache/bbbb", b"x/cache/aaaa", false);
        check(b"", b"", true);
    }

    #[test]
    fn gos_build_id_is_left_out_and_other_text_is_not() {
        check(b"code\xff Go build ID: \"abc/def\"\n \xff", b"code\xff Go build ID: \"xyz/uvw\"\n \xff", true);
        check(b"code\xff Go build ID: \"abc\"1", b"code\xff Go build ID: \"abc\"2", false);
    }

    /// An ELF file with a code section and a debug section.
    fn elf(code: &[u8], debug: &[u8]) -> Vec<u8> {
        let names = b"\0.text\0.debug_info\0.shstrtab\0";
        let mut file = vec![0; 0x40];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        let mut sections: Vec<(u32, usize, usize)> = Vec::new();
        for (name, contents) in [(1, code), (7, debug), (19, names.as_slice())] {
            sections.push((name, file.len(), contents.len()));
            file.extend_from_slice(contents);
        }
        let table = file.len() as u64;
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3a..0x40].copy_from_slice(&[64, 0, 3, 0, 2, 0]);
        for (name, start, size) in sections {
            let mut header = [0; 64];
            header[..4].copy_from_slice(&name.to_le_bytes());
            header[4] = 1;
            header[24..32].copy_from_slice(&(start as u64).to_le_bytes());
            header[32..40].copy_from_slice(&(size as u64).to_le_bytes());
            file.extend_from_slice(&header);
        }
        file
    }

    #[test]
    fn debug_information_is_left_out_and_code_is_not() {
        check(&elf(b"code", b"one"), &elf(b"code", b"another"), true);
        check(&elf(b"code", b"one"), &elf(b"core", b"one"), false);
        let mut appended = elf(b"code", b"one");
        appended.extend_from_slice(b"payload");
        check(&elf(b"code", b"one"), &appended, false);
    }

    #[test]
    fn damaged_files_are_taken_as_they_are() {
        let whole = elf(b"code", b"one");
        for length in 0..whole.len() {
            let cut = &whole[..length];
            assert_eq!(normalised(cut.to_vec(), &[]), cut, "cut at {length}");
        }
    }
}
