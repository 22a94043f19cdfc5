//! Damages files.

use std::ops::Range;

use super::draw::Draw;

/// A kind of damage to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mutation {
    /// The bits at these positions are flipped.
    Flip(Vec<usize>),
    /// All bytes from this position on are removed.
    Truncate(usize),
    /// These bytes are removed.
    Delete(Range<usize>),
    /// These bytes are repeated.
    Duplicate(Range<usize>),
    /// These bytes are zero, as after a crash of the machine.
    Zero(Range<usize>),
    /// The number at this position is replaced.
    Number(Range<usize>, &'static str),
}

/// Numbers that a parser might handle wrongly.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1e999",
    "NaN",
    "-0.0",
    "1e-400",
    "18446744073709551616",
    "null",
    "0x10",
    "1,5",
    "",
    "99999999",
];

/// Maximum length of a piece that is deleted, duplicated or zeroed.
const LONGEST_PIECE: usize = 4096;

impl Mutation {
    /// Chooses a mutation for these bytes.
    pub(super) fn draw(bytes: &[u8], draw: &mut Draw) -> Mutation {
        match draw.below(6) {
            0 => Mutation::flip(bytes, draw),
            1 => Mutation::truncate(bytes, draw),
            2 => Mutation::Delete(piece(bytes, draw)),
            3 => Mutation::Duplicate(piece(bytes, draw)),
            4 => Mutation::Zero(piece(bytes, draw)),
            _ => match numbers(bytes) {
                found if found.is_empty() => Mutation::flip(bytes, draw),
                found => Mutation::Number(draw.pick(&found).clone(), NUMBERS[draw.below(NUMBERS.len())]),
            },
        }
    }

    /// Up to eight flipped bits.
    pub(super) fn flip(bytes: &[u8], draw: &mut Draw) -> Mutation {
        let count = 1 + draw.below(8);
        Mutation::Flip((0..count).map(|_| draw.below(8 * bytes.len())).collect())
    }

    /// Removes at least one byte from the end.
    pub(super) fn truncate(bytes: &[u8], draw: &mut Draw) -> Mutation {
        Mutation::Truncate(draw.below(bytes.len()))
    }

    /// The bytes after the mutation.
    pub(super) fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        match self {
            Mutation::Flip(bits) => {
                for bit in bits.iter().filter(|bit| **bit < 8 * bytes.len()).copied().collect::<Vec<_>>() {
                    bytes[bit / 8] ^= 1 << (bit % 8);
                }
            }
            Mutation::Truncate(length) => bytes.truncate(*length),
            Mutation::Delete(range) => drop(bytes.drain(range.clone())),
            Mutation::Duplicate(range) => {
                let piece = bytes[range.clone()].to_vec();
                bytes.splice(range.end..range.end, piece);
            }
            Mutation::Zero(range) => bytes[range.clone()].fill(0),
            Mutation::Number(range, number) => drop(bytes.splice(range.clone(), number.bytes())),
        }
        bytes
    }

    /// Whether somebody who reads only the rest can know that it was cut: lists of lines may end after any line, and the output of
    /// `go test` after any package.
    pub(super) fn is_visible_cut(&self, bytes: &[u8], is_list_of_lines: bool) -> bool {
        let Mutation::Truncate(length) = self else { return false };
        let is_line_end = *length == 0 || bytes[*length - 1] == b'\n' || bytes[*length] == b'\n';
        let last = bytes[..*length].trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_package_end = is_line_end && last.starts_with(b"ok  \t");
        !(bytes[*length..].trim_ascii().is_empty() || is_list_of_lines && is_line_end || is_package_end)
    }
}

fn piece(bytes: &[u8], draw: &mut Draw) -> Range<usize> {
    let start = draw.below(bytes.len());
    let length = 1 + draw.below(LONGEST_PIECE.min(bytes.len() - start));
    // Half of the pieces are small, because those are more interesting.
    start..start + if draw.below(2) == 0 { length.min(1 + draw.below(16)) } else { length }
}

/// The positions of all numbers in a text.
fn numbers(bytes: &[u8]) -> Vec<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if bytes[at..at + length].iter().any(u8::is_ascii_digit) {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mutation_does_what_it_says() {
        let check = |mutation: Mutation, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&mutation.apply(b"a 12 b")), expected, "{mutation:?}");
        };
        check(Mutation::Flip(vec![0, 1]), "b 12 b");
        check(Mutation::Truncate(3), "a 1");
        check(Mutation::Delete(1..4), "a b");
        check(Mutation::Duplicate(2..4), "a 1212 b");
        check(Mutation::Zero(0..1), "\0 12 b");
        check(Mutation::Number(2..4, "NaN"), "a NaN b");
    }

    #[test]
    fn numbers_are_found_where_they_are() {
        assert_eq!(numbers(b"x1 -2.5e3,e,"), [1..2, 3..9]);
        assert_eq!(numbers(b"none"), []);
    }

    #[test]
    fn every_mutation_fits_its_bytes() {
        for (number, bytes) in
            (0..500).zip([b"1".as_slice(), b"{\"a\": [1, 2]}\n", &[7; 9000]].iter().cycle())
        {
            let mutation = Mutation::draw(bytes, &mut Draw::new(3, "files", number));
            mutation.apply(bytes);
        }
    }

    #[test]
    fn a_cut_between_two_lines_of_a_list_cannot_be_seen() {
        let check = |length, is_list, expected| {
            let cut = Mutation::Truncate(length);
            assert_eq!(cut.is_visible_cut(b"one\ntwo\n", is_list), expected, "{length} {is_list}");
        };
        check(2, true, true);
        check(4, true, false);
        check(3, true, false);
        check(4, false, true);
        check(7, false, false);
    }
}
