//! Finds the bytes of a program that are in memory when it runs.

use std::ops::Range;

/// The type of a program header whose part of the file is loaded into memory.
const LOAD: u64 = 1;

/// The parts of a 64-bit little-endian ELF file that are loaded into memory, which excludes debug
/// information. It is the whole file if the file is of another kind or looks odd.
pub(super) fn ranges(bytes: &[u8]) -> Vec<Range<usize>> {
    let whole = 0..bytes.len();
    elf(bytes).filter(|ranges| !ranges.is_empty()).unwrap_or_else(|| vec![whole])
}

fn elf(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    if bytes.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let table = usize::try_from(number(bytes, 0x20, 8)?).ok()?;
    let entry_size = usize::try_from(number(bytes, 0x36, 2)?).ok()?;
    let count = usize::try_from(number(bytes, 0x38, 2)?).ok()?;
    let mut ranges = Vec::new();
    for index in 0..count {
        let header = table.checked_add(index.checked_mul(entry_size)?)?;
        let start = usize::try_from(number(bytes, header.checked_add(8)?, 8)?).ok()?;
        let size = usize::try_from(number(bytes, header.checked_add(32)?, 8)?).ok()?;
        let end = start.checked_add(size)?;
        if end > bytes.len() {
            return None;
        }
        if number(bytes, header, 4)? == LOAD {
            ranges.push(start..end);
        }
    }
    Some(ranges)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An ELF file with a part that is loaded and one that is not.
    pub(in crate::googlebench) fn elf(loaded: &[u8], rest: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 0x40 + 56];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[0x20] = 0x40;
        file[0x36] = 56;
        file[0x38] = 1;
        file[0x40] = 1;
        let start = file.len() as u64;
        file[0x48..0x50].copy_from_slice(&start.to_le_bytes());
        file[0x60..0x68].copy_from_slice(&(loaded.len() as u64).to_le_bytes());
        file.extend_from_slice(loaded);
        file.extend_from_slice(rest);
        file
    }

    #[test]
    fn only_what_is_loaded_counts() {
        let file = elf(b"code", b"debug");
        let found: Vec<&[u8]> = ranges(&file).into_iter().map(|range| &file[range]).collect();
        assert_eq!(found, [b"code"]);
    }

    #[test]
    fn other_and_damaged_files_count_whole() {
        let whole = elf(b"code", b"");
        for length in 0..whole.len() {
            assert_eq!(ranges(&whole[..length]), vec![0..length], "cut at {length}");
        }
        assert_eq!(ranges(b"#!/bin/sh"), vec![0..9]);
    }
}
