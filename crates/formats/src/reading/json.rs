//! Streaming JSON: only the data that a reader asks for is kept.
//!
//! A value of the wrong kind causes a diagnostic and is skipped. A reader stops only at text that cannot be
//! JSON, or if the file ends in the middle of a value. Data that was complete by then stays. Some tools write
//! invalid JSON, so `NaN`, `Infinity` and a comma after the last element are accepted.

use memchr::memchr2;

use crate::reading::diagnostics::Place;
use crate::reading::input::{Input, LONGEST};
use crate::reading::number;

mod text;

/// The maximum length of a number.
const LONGEST_NUMBER: usize = 1024;

/// The maximum depth of skipped values. Results are never deeper.
const DEEPEST: usize = 512;

/// A reader cannot go on.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) place: Place,
    pub(crate) message: String,
    /// Whether the file just ended.
    pub(crate) is_end: bool,
}

/// The result of a reading step.
pub(crate) type Step<T> = Result<T, Stop>;

/// The kind of the next value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    Text,
    Number,
    Other,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::Text => "a text",
            Kind::Number => "a number",
            Kind::Other => "something else",
        }
    }
}

/// A file of JSON.
pub(crate) struct Json<'a> {
    pub(crate) input: Input<'a>,
    /// How many numbers in lists may still be stored for the current benchmark.
    room: u64,
}

impl<'a> Json<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        let room = input.diagnostics.limits().values;
        Json { input, room }
    }

    /// The next byte that is not white space, without consuming it.
    pub(crate) fn peek(&mut self) -> Step<u8> {
        loop {
            let rest = self.input.rest();
            let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count();
            let next = rest.get(blank).copied();
            self.input.advance(blank);
            if let Some(byte) = next {
                return Ok(byte);
            }
            if !self.input.fill() {
                return Err(self.end());
            }
        }
    }

    /// Whether only white space is left.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_err()
    }

    /// The kind of the next value.
    pub(crate) fn kind(&mut self) -> Step<Kind> {
        Ok(match self.peek()? {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::Text,
            b'-' | b'+' | b'0'..=b'9' | b'N' | b'I' | b'i' => Kind::Number,
            b'n' if self.begins_with(b"nan") => Kind::Number,
            _ => Kind::Other,
        })
    }

    /// The position of the next value.
    pub(crate) fn place(&mut self) -> Place {
        // The end of the file is a position too.
        let _ = self.peek();
        self.input.place()
    }

    /// Passes every member of an object to `member`, which must read or skip its value. Returns false if it
    /// is not an object.
    pub(crate) fn object(&mut self, mut member: impl FnMut(&mut Self, &str) -> Step<()>) -> Step<bool> {
        if !self.enter(Kind::Object)? {
            return Ok(false);
        }
        let mut key = String::new();
        loop {
            match self.peek()? {
                b'}' => break self.input.advance(1),
                b',' => self.input.advance(1),
                b'"' => {
                    self.read_text(&mut key)?;
                    if self.peek()? != b':' {
                        return Err(self.stop("expected `:` after a name"));
                    }
                    self.input.advance(1);
                    member(self, &key)?;
                    self.expect_separator(b'}')?;
                }
                _ => return Err(self.stop("expected a name in quotes or `}`")),
            }
        }
        Ok(true)
    }

    /// Calls `element` at every element of an array. It must read or skip the element. Returns false if it is
    /// not an array.
    pub(crate) fn array(&mut self, mut element: impl FnMut(&mut Self) -> Step<()>) -> Step<bool> {
        if !self.enter(Kind::Array)? {
            return Ok(false);
        }
        loop {
            match self.peek()? {
                b']' => break self.input.advance(1),
                b',' => self.input.advance(1),
                _ => {
                    element(self)?;
                    self.expect_separator(b']')?;
                }
            }
        }
        Ok(true)
    }

    /// Like [`Json::array`], for the records of a file. If one of them is damaged, reading continues at the
    /// next line that begins like the records' first lines.
    pub(crate) fn records(&mut self, mut record: impl FnMut(&mut Self) -> Step<()>) -> Step<bool> {
        if !self.enter(Kind::Array)? {
            return Ok(false);
        }
        let mut column = None;
        loop {
            match self.peek()? {
                b']' => break self.input.advance(1),
                b',' => {
                    self.input.advance(1);
                    continue;
                }
                _ => {}
            }
            self.room = self.input.diagnostics.limits().values;
            let begin = self.input.place();
            let indent = *column.get_or_insert(begin.column);
            let read = record(self).and_then(|()| self.expect_separator(b']'));
            if let Err(stop) = read {
                if stop.is_end || begin.line <= 1 || !self.seek_record(indent) {
                    return Err(stop);
                }
                self.input.diagnostics.error(stop.place, stop.message);
            }
        }
        Ok(true)
    }

    /// Moves to the next line that begins with an object in that column. Returns false at the end.
    fn seek_record(&mut self, column: u32) -> bool {
        let indent = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        loop {
            self.input.skip_line();
            self.input.fill_to(indent.saturating_add(1).min(LONGEST));
            let rest = self.input.rest();
            if rest.is_empty() {
                return false;
            }
            let is_blank = |part: &[u8]| part.iter().all(|byte| matches!(byte, b' ' | b'\t'));
            if rest.get(indent) == Some(&b'{') && is_blank(&rest[..indent]) {
                return true;
            }
        }
    }

    fn enter(&mut self, wanted: Kind) -> Step<bool> {
        if self.kind()? != wanted {
            self.wrong_kind(wanted)?;
            return Ok(false);
        }
        self.input.advance(1);
        Ok(true)
    }

    /// After a value: consumes a comma, or leaves the end.
    fn expect_separator(&mut self, end: u8) -> Step<()> {
        match self.peek()? {
            b',' => self.input.advance(1),
            byte if byte == end => {}
            _ => {
                let message = format!("expected `,` or `{}`", char::from(end));
                return Err(self.stop(&message));
            }
        }
        Ok(())
    }

    /// A text. `None` with a diagnostic if it is something else, or without one if it is `null`.
    pub(crate) fn text(&mut self) -> Step<Option<String>> {
        if self.kind()? != Kind::Text {
            self.wrong_kind(Kind::Text)?;
            return Ok(None);
        }
        let mut text = String::new();
        self.read_text(&mut text)?;
        Ok(Some(text))
    }

    /// A text, number or word as text. `None` for `null`, objects and arrays.
    pub(crate) fn word(&mut self) -> Step<Option<String>> {
        match self.kind()? {
            Kind::Text => self.text(),
            Kind::Object | Kind::Array => self.skip().map(|()| None),
            Kind::Number | Kind::Other => {
                let token = self.with_token(|token| String::from_utf8_lossy(token).into_owned())?;
                Ok(Some(token).filter(|token| token != "null"))
            }
        }
    }

    /// A number, possibly written as text. `None` with a diagnostic if it is something else, or without one
    /// if it is `null`.
    pub(crate) fn number(&mut self) -> Step<Option<f64>> {
        match self.kind()? {
            Kind::Number => {
                let (parsed, length) = self.with_token(|token| (number::parse(token), token.len()))?;
                if parsed.is_none() {
                    // Computed only now, because it takes longer than reading numbers.
                    let mut place = self.input.place();
                    place.column = place.column.saturating_sub(u32::try_from(length).unwrap_or(0));
                    self.input.diagnostics.warn(place, "left out a value that is not a number");
                }
                Ok(parsed)
            }
            Kind::Text => {
                let place = self.input.place();
                let text = self.text()?.unwrap_or_default();
                let parsed = number::parse(text.trim().as_bytes());
                if parsed.is_none() {
                    self.input
                        .diagnostics
                        .warn(place, format!("expected a number, found `{}`", shorten(&text)));
                }
                Ok(parsed)
            }
            _ => self.wrong_kind(Kind::Number).map(|()| None),
        }
    }

    /// A number that counts something.
    pub(crate) fn count(&mut self) -> Step<Option<u64>> {
        let number = self.number()?;
        Ok(number.filter(|number| (0.0..1e18).contains(number)).map(|number| number as u64))
    }

    /// All numbers of an array. Elements that are not numbers become NaN.
    pub(crate) fn numbers(&mut self) -> Step<Vec<f64>> {
        let mut values = Vec::new();
        self.array(|json| {
            json.room = json.room.checked_sub(1).ok_or_else(|| json.too_many_values())?;
            values.push(json.number()?.unwrap_or(f64::NAN));
            Ok(())
        })?;
        Ok(values)
    }

    /// Frees the room of numbers that were read but are not kept.
    pub(crate) fn give_back(&mut self, numbers: usize) {
        self.room += numbers as u64;
    }

    fn too_many_values(&mut self) -> Stop {
        let message = self.input.diagnostics.limits().too_many_values("a benchmark");
        self.stop(&message)
    }

    /// Skips a value of the wrong kind, and reports it unless it is `null`.
    fn wrong_kind(&mut self, wanted: Kind) -> Step<()> {
        let place = self.input.place();
        let is_null = self.begins_with(b"null");
        let found = self.kind()?.words();
        self.skip()?;
        if !is_null {
            self.input.diagnostics.warn(place, format!("expected {}, found {found}", wanted.words()));
        }
        Ok(())
    }

    /// Skips the next value of any kind.
    pub(crate) fn skip(&mut self) -> Step<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => self.skip_text()?,
                b'{' | b'[' => {
                    depth += 1;
                    if depth > DEEPEST {
                        return Err(self.stop("nested too deeply"));
                    }
                    self.input.advance(1);
                    continue;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.input.advance(1);
                }
                b',' | b':' if depth > 0 => self.input.advance(1),
                _ => self.with_token(|_| ())?,
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Passes a number or word to `take` and consumes it.
    fn with_token<T>(&mut self, take: impl FnOnce(&[u8]) -> T) -> Step<T> {
        let mut length = 0;
        loop {
            let rest = self.input.rest();
            let more = rest[length..].iter().take_while(|byte| is_token(**byte)).count();
            length += more;
            if length < rest.len() || length > LONGEST_NUMBER || !self.input.fill() {
                break;
            }
        }
        if length == 0 || length > LONGEST_NUMBER {
            return Err(self.stop("expected a value"));
        }
        let taken = take(&self.input.rest()[..length]);
        self.input.advance(length);
        Ok(taken)
    }

    fn begins_with(&mut self, word: &[u8]) -> bool {
        self.input.fill_to(word.len());
        self.input.rest().starts_with(word)
    }

    /// A stop, because reading cannot continue here.
    pub(crate) fn stop(&mut self, message: &str) -> Stop {
        Stop { place: self.input.place(), message: message.into(), is_end: false }
    }

    fn end(&mut self) -> Stop {
        let place = self.input.place();
        match self.input.error() {
            Some(error) => Stop { place, message: format!("cannot be read further: {error}"), is_end: true },
            None => {
                Stop { place, message: "ends in the middle; what comes before is read".into(), is_end: true }
            }
        }
    }
}

/// Whether numbers and words can contain the byte.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// The beginning of a text, for a message.
pub(crate) fn shorten(text: &str) -> String {
    const LENGTH: usize = 60;
    if text.chars().count() <= LENGTH {
        return text.into();
    }
    let mut short: String = text.chars().take(LENGTH).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests;
