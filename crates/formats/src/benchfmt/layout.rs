//! Reads lines that differ from the previous one only in the digits of their numbers.
//!
//! `-count` prints the results of a benchmark one after the other, and Go pads its numbers, so most lines
//! look like the previous one. Such a line is compared with it in one pass without a branch, which the
//! compiler turns into vector instructions, and its numbers are found at the known positions. All other lines
//! are read in the ordinary way, and the next lines may look like them. The result does not depend on the
//! way: a test reads texts in both ways.

use super::line::Words;
use super::table::Process;

/// Bytes that are compared at once.
const WIDTH: usize = 32;

type Block = [u8; WIDTH];

/// Longer lines are read in the ordinary way.
const LONGEST: usize = 1024;

/// Maximum number of digits that a double represents exactly, as in [`crate::reading::number`].
const MOST_DIGITS: usize = 15;

/// This many lines may be learned in vain. After that, learning a line requires that an earlier one was
/// repeated.
const TRIES: u32 = 64;

/// The layout of a line.
#[derive(Default)]
pub(super) struct Layout {
    /// Bytes of a line with its end. `None` if no line has been learned.
    length: Option<usize>,
    /// The line and its end, with zeros in place of the digits of numbers.
    text: Vec<Block>,
    /// How much larger than in `text` a byte may be: 9 for the digits of numbers, 0 for others. Bytes after
    /// the line may have any value.
    room: Vec<Block>,
    operations: Digits,
    values: Vec<Number>,
    learned: u32,
    repeated: u32,
    /// Set by tests that read in the ordinary way.
    is_off: bool,
}

/// Up to [`MOST_DIGITS`] digits of a line.
#[derive(Debug, Clone, Copy, Default)]
struct Digits {
    /// Their end. It is at least 16 if there are more than eight digits, and at least 8 if there are any.
    end: usize,
    /// Mask of the last eight bytes before `end` that are digits of the number.
    low: u64,
    /// The same mask for the eight bytes before.
    high: u64,
}

/// A number with or without a point.
#[derive(Debug, Clone, Copy)]
struct Number {
    whole: Digits,
    part: Digits,
    /// Factor from `whole` to units of the last digit.
    scale: u64,
}

impl Layout {
    /// A layout that never fits.
    #[cfg(test)]
    pub(super) fn off() -> Self {
        Layout { is_off: true, ..Layout::default() }
    }

    /// Some other line follows.
    pub(super) fn forget(&mut self) {
        self.length = None;
    }

    /// Learns a line without its end, which `process` has accepted as a result. Its name has `name` bytes.
    pub(super) fn learn(&mut self, line: &[u8], name: usize, process: &Process) {
        self.length = None;
        let is_worth_it = self.learned < self.repeated.saturating_add(TRIES);
        if line.len() > LONGEST || self.is_off || !is_worth_it || !process.is_even() {
            return;
        }
        self.learned += 1;
        self.begin(line);
        if self.find_numbers(line, name, process).is_some() {
            self.length = Some(line.len() + 1);
        }
    }

    /// Takes lines at the beginning of `text` that have the learned layout. Returns the number of their bytes
    /// and lines. It is a separate function in machine code too, because inlining it took 4 % more
    /// instructions.
    #[inline(never)]
    pub(super) fn take(&mut self, text: &[u8], process: &mut Process) -> (usize, u32) {
        let Some(length) = self.length else { return (0, 0) };
        let padded = self.text.len() * WIDTH;
        let (mut at, mut lines) = (0, 0_u32);
        while let Some(line) = text.get(at..at + padded)
            && self.fits(line)
        {
            process.begin(self.operations.read(line));
            process.row(self.values.iter().map(|number| number.read(line)));
            at += length;
            lines += 1;
        }
        self.repeated = self.repeated.saturating_add(lines);
        (at, lines)
    }

    /// Whether only digits differ. A byte that exceeds the learned one by more than is permitted leaves a
    /// remainder.
    #[inline]
    fn fits(&self, line: &[u8]) -> bool {
        let mut over: Block = [0; WIDTH];
        let (blocks, _) = line.as_chunks::<WIDTH>();
        for ((block, text), room) in blocks.iter().zip(&self.text).zip(&self.room) {
            for (((over, byte), text), room) in over.iter_mut().zip(block).zip(text).zip(room) {
                *over |= byte.wrapping_sub(*text).saturating_sub(*room);
            }
        }
        over == [0; WIDTH]
    }

    /// The line as it is.
    fn begin(&mut self, line: &[u8]) {
        let blocks = (line.len() + 1).div_ceil(WIDTH);
        self.values.clear();
        self.text.clear();
        self.text.resize(blocks, [0; WIDTH]);
        self.room.clear();
        self.room.resize(blocks, [u8::MAX; WIDTH]);
        let text = self.text.as_flattened_mut();
        text[..line.len()].copy_from_slice(line);
        text[line.len()] = b'\n';
        self.room.as_flattened_mut()[..=line.len()].fill(0);
    }

    /// Finds the numbers. `None` if the line must be read in the ordinary way.
    fn find_numbers(&mut self, line: &[u8], name: usize, process: &Process) -> Option<()> {
        let mut words = Words::from(line, name);
        let (offset, word) = words.next()?;
        self.operations = self.digits(offset, word)?;
        let mut units = process.units();
        while let Some((offset, token)) = words.next() {
            let number = self.number(offset, token)?;
            self.values.push(number);
            if words.next()?.1 != units.next()? {
                return None;
            }
        }
        units.next().is_none().then_some(())
    }

    fn number(&mut self, offset: usize, token: &[u8]) -> Option<Number> {
        let point = memchr::memchr(b'.', token);
        let (whole, part) = match point {
            Some(point) => (&token[..point], &token[point + 1..]),
            None => (token, &token[..0]),
        };
        let count = whole.len() + part.len();
        if count == 0 || count > MOST_DIGITS {
            return None;
        }
        let scale = 10_u64.pow(u32::try_from(part.len()).ok()?);
        let part = self.digits(offset + token.len() - part.len(), part)?;
        Some(Number { whole: self.digits(offset, whole)?, part, scale })
    }

    /// Marks bytes as digits. `None` if they are not digits.
    fn digits(&mut self, offset: usize, digits: &[u8]) -> Option<Digits> {
        let end = offset + digits.len();
        if digits.len() > MOST_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.text.as_flattened_mut()[offset..end].fill(b'0');
        self.room.as_flattened_mut()[offset..end].fill(9);
        // The first of eight bytes is the lowest one, and the last `count` of them are needed.
        let last = |count: usize| if count == 0 { 0 } else { u64::MAX << (64 - 8 * count) };
        let low = digits.len().min(8);
        Some(Digits { end, low: last(low), high: last(digits.len() - low) })
    }
}

impl Digits {
    /// The number they are in a line that fits.
    #[inline]
    fn read(self, line: &[u8]) -> u64 {
        let mut number = 0;
        if self.low != 0 {
            number = eight_digits(eight_bytes(line, self.end - 8) & self.low);
        }
        if self.high != 0 {
            number += eight_digits(eight_bytes(line, self.end - 16) & self.high) * 100_000_000;
        }
        number
    }
}

impl Number {
    /// All its digits as one number, and the divisor for it.
    #[inline]
    fn read(&self, line: &[u8]) -> (u64, u64) {
        (self.whole.read(line) * self.scale + self.part.read(line), self.scale)
    }
}

#[inline]
fn eight_bytes(line: &[u8], from: usize) -> u64 {
    line[from..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The number of eight digits with the first one in the lowest byte. A zero byte is the digit 0. Neighbours
/// are combined into numbers of two, four and eight digits, all at the same time.
#[inline]
fn eight_digits(bytes: u64) -> u64 {
    let twos = (bytes & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (twos & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_are_one_number() {
        let check = |text: &[u8; 8], expected: u64| {
            assert_eq!(eight_digits(u64::from_le_bytes(*text)), expected);
        };
        check(b"12345678", 12_345_678);
        check(b"99999999", 99_999_999);
        check(b"00000000", 0);
        check(b"\0\0\0\0\0\x0091", 91);
    }

    #[test]
    fn digits_are_read_wherever_they_end() {
        let line = b"Benchmark 123456789012345 7 .";
        let mut layout = Layout::default();
        layout.begin(line);
        let long = layout.digits(10, &line[10..25]).unwrap();
        assert_eq!(long.read(line), 123_456_789_012_345);
        assert_eq!(layout.digits(26, &line[26..27]).unwrap().read(line), 7);
        assert_eq!(layout.digits(27, &[]).unwrap().read(line), 0);
        assert!(layout.digits(28, b".").is_none());
    }
}
