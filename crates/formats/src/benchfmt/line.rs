//! Lines with results: `BenchmarkX-2   100   123 ns/op   4 B/op`.

use crate::reading::number::{self, Printed};

/// Maximum number of values of a line.
const MOST_VALUES: usize = 256;

/// Whether a line begins with a benchmark's name, and not with a word like `Benchmarking`.
pub(super) fn has_name(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"Benchmark");
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_lowercase()))
}

/// The name at the beginning of a line, and the rest.
pub(super) fn name(line: &[u8]) -> (&[u8], &[u8]) {
    line.split_at(memchr::memchr2(b' ', b'\t', line).unwrap_or(line.len()))
}

/// The operations in the text after a name, and the rest. `None` if there is no more text. The error is the
/// offset of an invalid number.
pub(super) fn operations(text: &[u8]) -> Result<Option<(u64, &[u8])>, usize> {
    let mut words = Words { text, at: 0 };
    let Some((offset, word)) = words.next() else { return Ok(None) };
    Ok(Some((whole(word).ok_or(offset)?, &text[words.at..])))
}

/// Passes every value of `text` to `take`, with its index and unit. The error is the offset of text that is
/// not `value unit`.
pub(super) fn values<'a>(
    text: &'a [u8],
    mut take: impl FnMut(usize, Printed, &'a [u8]),
) -> Result<(), usize> {
    let mut words = Words { text, at: 0 };
    for index in 0..MOST_VALUES {
        let Some((offset, token)) = words.next() else { return Ok(()) };
        let printed = number::printed(token).ok_or(offset)?;
        let (_, unit) = words.next().ok_or(offset)?;
        take(index, printed, unit);
    }
    words.next().map_or(Ok(()), |(offset, _)| Err(offset))
}

/// Whether the whole line is a result.
pub(super) fn is_result(line: &[u8]) -> bool {
    let (_, rest) = name(line);
    let operations = operations(rest).ok().flatten();
    has_name(line) && operations.is_some_and(|(_, rest)| values(rest, |_, _, _| {}).is_ok())
}

/// The numbers at the end of `text`, after output of the benchmark. Go separates numbers by tabs.
pub(super) fn tail(text: &[u8]) -> Option<&[u8]> {
    let mut end = text.len();
    loop {
        let begin = memchr::memrchr(b'\t', &text[..end]);
        let segment = &text[begin.map_or(0, |begin| begin + 1)..end];
        let mut words = Words { text: segment, at: 0 };
        let is_value = matches!((words.next(), words.next(), words.next()), (Some((_, token)), Some(_), None)
            if number::printed(token).is_some());
        if !is_value {
            let digits = trailing_digits(segment)?;
            let from = end - digits;
            // The operations must be followed by values.
            return (end < text.len()).then_some(&text[from..]);
        }
        end = begin?;
    }
}

/// The length of the operations at the end of `segment`. Go pads them to eight places, so text directly
/// precedes only longer numbers.
fn trailing_digits(segment: &[u8]) -> Option<usize> {
    let padding = segment.len() - segment.trim_ascii_end().len();
    let text = segment.trim_ascii_end();
    let length = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = &text[..text.len() - length];
    let is_apart = before.last().is_none_or(u8::is_ascii_whitespace);
    (length > 0 && (is_apart || length >= 8)).then_some(length + padding)
}

/// Whether the text after a name was meant to be numbers.
pub(super) fn looks_like_numbers(text: &[u8]) -> bool {
    Words { text, at: 0 }.next().is_some_and(|(_, word)| whole(word).is_some())
}

fn whole(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    let mut number = 0_u64;
    for byte in word {
        if !byte.is_ascii_digit() {
            return None;
        }
        // Eighteen digits always fit into the type.
        number = number * 10 + u64::from(byte - b'0');
    }
    Some(number)
}

/// Words between white space, with their offsets.
pub(super) struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// The words of `text` that begin at `at` or later. Offsets refer to `text`.
    pub(super) fn from(text: &'a [u8], at: usize) -> Self {
        Words { text, at }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        let mut begin = self.at;
        while begin < text.len() && is_blank(text[begin]) {
            begin += 1;
        }
        let mut end = begin;
        while end < text.len() && !is_blank(text[end]) {
            end += 1;
        }
        self.at = end;
        (end > begin).then(|| (begin, &text[begin..end]))
    }
}

/// White space and control characters, so that one comparison per byte is enough.
#[inline]
fn is_blank(byte: u8) -> bool {
    byte <= b' '
}
