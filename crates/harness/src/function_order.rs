//! The order of a program's functions, from its symbol table. It is used to check that a linker did what it
//! was asked for.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use crate::{HarnessError, Relinked};

/// With fewer common functions the check is not meaningful.
const FEWEST: usize = 8;

/// Whether the functions of `relinked` are in another order than those of `original`. Programs without a
/// symbol table, or of an unknown format, pass.
pub(crate) fn check(original: &Path, relinked: &Path) -> Result<Relinked, HarnessError> {
    let read =
        |path: &Path| fs::read(path).map_err(|source| HarnessError::File { path: path.to_owned(), source });
    Ok(match is_same_order(&read(original)?, &read(relinked)?) {
        Some(true) => Relinked::Cannot("the linker left the functions in their order".into()),
        Some(false) | None => Relinked::Done,
    })
}

/// Whether the functions that both programs have, by name, are in the same order.
fn is_same_order(one: &[u8], other: &[u8]) -> Option<bool> {
    let (one, other) = (functions(one)?, functions(other)?);
    let (ours, theirs) = (shared(&one, &other), shared(&other, &one));
    (ours.len() >= FEWEST).then(|| ours == theirs)
}

/// Names of `functions` in the order of their addresses, without those that `others` does not have.
fn shared<'a>(functions: &HashMap<&'a [u8], u64>, others: &HashMap<&[u8], u64>) -> Vec<&'a [u8]> {
    let mut kept: Vec<(u64, &[u8])> = functions
        .iter()
        .filter(|(name, _)| others.contains_key(*name))
        .map(|(name, address)| (*address, *name))
        .collect();
    kept.sort_unstable();
    kept.into_iter().map(|(_, name)| name).collect()
}

/// Sizes and offsets of the 64-bit Executable and Linkable Format, least significant byte first (System V
/// ABI, chapters 4 and 5).
mod elf {
    pub(super) const MAGIC: &[u8] = b"\x7fELF\x02\x01";
    pub(super) const SECTIONS_OFFSET: usize = 0x28;
    pub(super) const SECTION_SIZE: usize = 0x3a;
    pub(super) const SECTION_COUNT: usize = 0x3c;
    pub(super) const SYMBOL_TABLE: u64 = 2;
    pub(super) const SYMBOL_BYTES: usize = 24;
    pub(super) const FUNCTION: u8 = 2;
}

/// The address of every function with a unique name.
fn functions(program: &[u8]) -> Option<HashMap<&[u8], u64>> {
    if !program.starts_with(elf::MAGIC) {
        return None;
    }
    let sections = number(program, elf::SECTIONS_OFFSET, 8)? as usize;
    let size = number(program, elf::SECTION_SIZE, 2)? as usize;
    let count = number(program, elf::SECTION_COUNT, 2)? as usize;
    let header = |index: usize| program.get(sections.checked_add(index.checked_mul(size)?)?..);
    let table = (0..count).filter_map(header).find(|it| number(it, 4, 4) == Some(elf::SYMBOL_TABLE))?;
    let names = contents(program, header(number(table, 0x28, 4)? as usize)?)?;
    let mut found: HashMap<&[u8], u64> = HashMap::new();
    let mut twice: HashSet<&[u8]> = HashSet::new();
    for symbol in contents(program, table)?.chunks_exact(elf::SYMBOL_BYTES) {
        let (address, bytes) = (number(symbol, 8, 8)?, number(symbol, 16, 8)?);
        if symbol[4] & 0xf != elf::FUNCTION || address == 0 || bytes == 0 {
            continue;
        }
        let Some(name) = names.get(number(symbol, 0, 4)? as usize..) else { continue };
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        if found.insert(name, address).is_some() {
            twice.insert(name);
        }
    }
    // Functions with the same name cannot be told apart.
    found.retain(|name, _| !twice.contains(name));
    Some(found)
}

/// The bytes of the section with this header.
fn contents<'a>(program: &'a [u8], header: &[u8]) -> Option<&'a [u8]> {
    let (start, length) = (number(header, 0x18, 8)? as usize, number(header, 0x20, 8)? as usize);
    program.get(start..start.checked_add(length)?)
}

/// The unsigned number in `bytes` bytes at `offset`.
fn number(from: &[u8], offset: usize, bytes: usize) -> Option<u64> {
    let part = from.get(offset..offset.checked_add(bytes)?)?;
    Some(part.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A program that has only a symbol table.
    fn program(functions: &[(&str, u64)]) -> Vec<u8> {
        let mut names = vec![0u8];
        let mut symbols = vec![0u8; elf::SYMBOL_BYTES];
        for (name, address) in functions {
            symbols.extend((names.len() as u32).to_le_bytes());
            symbols.extend([elf::FUNCTION, 0, 1, 0]);
            symbols.extend(address.to_le_bytes());
            symbols.extend(16u64.to_le_bytes());
            names.extend(name.bytes().chain([0]));
        }
        let (first, second) = (64usize, 64 + symbols.len());
        let sections = second + names.len();
        let mut bytes = elf::MAGIC.to_vec();
        bytes.resize(64, 0);
        bytes[elf::SECTIONS_OFFSET..][..8].copy_from_slice(&(sections as u64).to_le_bytes());
        bytes[elf::SECTION_SIZE..][..2].copy_from_slice(&64u16.to_le_bytes());
        bytes[elf::SECTION_COUNT..][..2].copy_from_slice(&2u16.to_le_bytes());
        bytes.extend(&symbols);
        bytes.extend(&names);
        let mut header = |kind: u32, start: usize, length: usize, link: u32| {
            let mut header = vec![0u8; 64];
            header[4..8].copy_from_slice(&kind.to_le_bytes());
            header[0x18..0x20].copy_from_slice(&(start as u64).to_le_bytes());
            header[0x20..0x28].copy_from_slice(&(length as u64).to_le_bytes());
            header[0x28..0x2c].copy_from_slice(&link.to_le_bytes());
            bytes.extend(header);
        };
        header(elf::SYMBOL_TABLE as u32, first, symbols.len(), 1);
        header(3, second, names.len(), 0);
        bytes
    }

    const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

    fn laid_out(order: impl Iterator<Item = usize>, shift: u64) -> Vec<u8> {
        let functions: Vec<(&str, u64)> =
            order.enumerate().map(|(place, index)| (NAMES[index], shift + 16 * place as u64)).collect();
        program(&functions)
    }

    #[test]
    fn order_counts_and_addresses_alone_do_not() {
        let original = laid_out(0..9, 0x1000);
        assert_eq!(is_same_order(&original, &laid_out(0..9, 0x5000)), Some(true));
        assert_eq!(is_same_order(&original, &laid_out((0..9).rev(), 0x1000)), Some(false));
    }

    #[test]
    fn functions_of_only_one_program_and_names_that_occur_twice_do_not_count() {
        let original = laid_out(0..9, 0x1000);
        let mut functions: Vec<(&str, u64)> = (0..8).map(|i| (NAMES[i], 64 * i as u64 + 64)).collect();
        functions.extend([("new", 10), ("i", 20), ("i", 9000)]);
        assert_eq!(is_same_order(&original, &program(&functions)), Some(true));
        assert_eq!(is_same_order(&original, &program(&functions[1..])), None);
    }

    #[test]
    fn programs_of_other_formats_pass() {
        assert_eq!(is_same_order(b"#!/bin/sh\n", b"#!/bin/sh\n"), None);
        assert_eq!(is_same_order(&[], &laid_out(0..9, 16)), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(start in 0usize..600, garbage in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut bytes = laid_out(0..9, 16);
            for (place, byte) in garbage.iter().enumerate() {
                if let Some(old) = bytes.get_mut(start + place) {
                    *old = *byte;
                }
            }
            let _ = functions(&bytes);
            let _ = functions(&bytes[..start.min(bytes.len())]);
            let _ = functions(&garbage);
        }
    }
}
