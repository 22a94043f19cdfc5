//! Lines with results: `BenchmarkX-2   100   123 ns/op   4 B/op`.

use crate::number;

/// Values of most lines; longer ones go to the heap.
const FEW: usize = 8;

/// A name with its numbers.
#[derive(Debug)]
pub(super) struct ResultLine<'a> {
    /// With the suffix that says how many processors were used.
    pub(super) name: &'a [u8],
    pub(super) fields: Fields<'a>,
}

/// The numbers of a line.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    /// Go's `b.N`.
    pub(super) operations: u64,
    few: [Value<'a>; FEW],
    count: usize,
    /// All values, where there are more than a few.
    many: Vec<Value<'a>>,
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Value<'a> {
    /// As printed.
    pub(super) number: f64,
    token: &'a [u8],
    pub(super) unit: &'a str,
}

impl Value<'_> {
    /// One unit of the last printed digit, relative to the number.
    pub(super) fn resolution(&self) -> f64 {
        number::resolution(self.token, self.number)
    }
}

impl<'a> Fields<'a> {
    /// In the order of the line.
    pub(super) fn values(&self) -> &[Value<'a>] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }

    fn push(&mut self, value: Value<'a>) {
        if self.count < FEW {
            self.few[self.count] = value;
            self.count += 1;
            return;
        }
        if self.many.is_empty() {
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(value);
    }
}

/// Whether a line begins with a benchmark's name, not with a word like `Benchmarking`.
pub(super) fn has_name(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"Benchmark");
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| !byte.is_ascii_lowercase()))
}

/// The result in a line that begins with a name; none if it is the name alone, the offset of what is wrong if it is no result.
pub(super) fn result(line: &[u8]) -> Result<Option<ResultLine<'_>>, usize> {
    if !has_name(line) {
        return Err(0);
    }
    let mut words = Words { text: line, at: 0 };
    let Some((_, name)) = words.next() else { return Err(0) };
    let Some((offset, count)) = words.next() else { return Ok(None) };
    let mut fields = Fields { operations: operations(count).ok_or(offset)?, ..Fields::default() };
    while let Some((offset, token)) = words.next() {
        if fields.many.len() >= super::MOST_UNITS {
            return Err(offset);
        }
        let number = number::parse(token).ok_or(offset)?;
        let (offset, unit) = words.next().ok_or(offset)?;
        let unit = std::str::from_utf8(unit).map_err(|_| offset)?;
        fields.push(Value { number, token, unit });
    }
    Ok(Some(ResultLine { name, fields }))
}

/// Numbers at the end of `text`, after something the benchmark printed. Go separates them by tabs.
pub(super) fn tail(text: &[u8]) -> Option<Fields<'_>> {
    let mut values = Vec::new();
    for segment in text.rsplit(|byte| *byte == b'\t') {
        let mut words = Words { text: segment, at: 0 };
        if let (Some((_, token)), Some((_, unit)), None) = (words.next(), words.next(), words.next())
            && let Some(number) = number::parse(token)
        {
            values.push(Value { number, token, unit: std::str::from_utf8(unit).ok()? });
            continue;
        }
        let mut fields = Fields { operations: trailing_operations(segment)?, ..Fields::default() };
        values.iter().rev().for_each(|value| fields.push(*value));
        return (fields.count > 0).then_some(fields);
    }
    None
}

/// Whether what follows a name was meant to be numbers.
pub(super) fn looks_like_numbers(text: &[u8]) -> bool {
    Words { text, at: 0 }.next().is_some_and(|(_, word)| operations(word).is_some())
}

fn operations(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 19 {
        return None;
    }
    word.iter().try_fold(0_u64, |number, byte| {
        byte.is_ascii_digit().then(|| number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))).flatten()
    })
}

/// Operations at the end of `segment`. Go pads them to eight places, so text touches only longer numbers.
fn trailing_operations(segment: &[u8]) -> Option<u64> {
    let text = segment.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let digits = &segment[text..];
    let is_apart = segment[..text].last().is_none_or(u8::is_ascii_whitespace);
    if is_apart || digits.len() >= 8 { operations(digits) } else { None }
}

/// Words between white space, with their offsets.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let rest = &self.text[self.at..];
        let begin = self.at + rest.iter().position(|byte| !is_blank(byte))?;
        let word = &self.text[begin..];
        let length = word.iter().position(is_blank).unwrap_or(word.len());
        self.at = begin + length;
        Some((begin, &word[..length]))
    }
}
