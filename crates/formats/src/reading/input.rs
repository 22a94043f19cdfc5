//! A window that moves over a stream of bytes and tracks line and column.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use crate::Limits;
use crate::reading::diagnostics::{Diagnostics, Place};

/// How many bytes are read at once.
const CHUNK: usize = 256 * 1024;

/// Longer lines and texts are left out. Results are never that long, and memory stays bounded.
pub(crate) const LONGEST: usize = 1024 * 1024;

/// Bytes of one file, read in chunks. Bytes before the next one are discarded when a new chunk is needed.
pub(crate) struct Input<'a> {
    source: Box<dyn Read + 'a>,
    /// Space for chunks. The bytes that were read end at `end`.
    buffer: Vec<u8>,
    /// The next byte in `buffer`.
    at: usize,
    end: usize,
    is_ended: bool,
    error: Option<io::Error>,
    /// Number of bytes read so far, and the limit.
    total: u64,
    most: u64,
    /// Line and column of `buffer[counted]`, from 0.
    line: u32,
    column: u32,
    counted: usize,
    /// Whether positions are not needed, so that they are not computed.
    has_no_places: bool,
    pub(crate) diagnostics: Diagnostics,
}

/// The next line, without its end.
pub(crate) enum Line<'b> {
    /// All of it.
    Whole(&'b [u8]),
    /// The file ends without a line end, so it may be cut.
    Last(&'b [u8]),
    /// It was longer than [`LONGEST`] and was skipped.
    TooLong,
}

impl<'a> Input<'a> {
    pub(crate) fn new(name: &str, source: Box<dyn Read + 'a>, limits: Limits) -> Self {
        Input {
            source,
            buffer: Vec::new(),
            at: 0,
            end: 0,
            is_ended: false,
            error: None,
            total: 0,
            most: limits.bytes,
            line: 0,
            column: 0,
            counted: 0,
            has_no_places: false,
            diagnostics: Diagnostics::new(name, limits),
        }
    }

    /// For callers that count lines themselves and never call [`Input::place`].
    pub(crate) fn forget_places(&mut self) {
        self.has_no_places = true;
    }

    /// The diagnostics so far, for readers that store them themselves.
    pub(crate) fn take_diagnostics(&mut self) -> Diagnostics {
        let limits = self.diagnostics.limits();
        std::mem::replace(&mut self.diagnostics, Diagnostics::new("", limits))
    }

    /// The available bytes, without reading more.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.at..self.end]
    }

    /// Consumes `count` bytes of [`Input::rest`].
    pub(crate) fn advance(&mut self, count: usize) {
        self.at += count;
    }

    /// Makes [`Input::rest`] longer. Returns false at the end.
    pub(crate) fn fill(&mut self) -> bool {
        if self.is_ended {
            return false;
        }
        if !self.has_no_places {
            self.count_to(self.at);
        }
        // A caller that needs all of a file at once never consumes bytes, so nothing is moved.
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.end, 0);
        }
        let kept = self.end - self.at;
        self.at = 0;
        self.counted = 0;
        if self.buffer.len() < kept + CHUNK {
            self.buffer.resize(kept + CHUNK, 0);
        }
        let count = self.read_some(kept);
        self.end = kept + count;
        self.is_ended = count == 0;
        count > 0
    }

    fn read_some(&mut self, from: usize) -> usize {
        loop {
            match self.source.read(&mut self.buffer[from..]) {
                Ok(count) => {
                    self.total += count as u64;
                    if self.total <= self.most {
                        return count;
                    }
                    self.error = Some(io::Error::other(self.diagnostics.limits().too_many_bytes()));
                    return 0;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return 0;
                }
            }
        }
    }

    /// Reads until `count` bytes are available or the input ends.
    pub(crate) fn fill_to(&mut self, count: usize) {
        while self.rest().len() < count && self.fill() {}
    }

    /// Why reading ended before the end of the file, if it did.
    pub(crate) fn error(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }

    /// The same error, for callers that pass it on.
    pub(crate) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Line and column of the next byte.
    pub(crate) fn place(&mut self) -> Place {
        self.count_to(self.at);
        Place { line: self.line.saturating_add(1), column: self.column.saturating_add(1) }
    }

    /// Moves the computed position to `buffer[to]`. Every byte is counted once, so frequent calls are cheap.
    fn count_to(&mut self, to: usize) {
        let passed = &self.buffer[self.counted..to.max(self.counted)];
        let mut last = passed;
        if let Some(end) = memrchr(b'\n', passed) {
            let lines = memchr_iter(b'\n', passed).count();
            self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            self.column = 0;
            last = &passed[end + 1..];
        }
        // A continuation byte is not a character of its own.
        let characters = last.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.column = self.column.saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
        self.counted = to.max(self.counted);
    }

    /// Passes the next line to `take`, without `\n` or `\r\n`. `None` at the end.
    pub(crate) fn with_line<T>(&mut self, take: impl FnOnce(Line<'_>) -> T) -> Option<T> {
        let mut searched = 0;
        let (length, is_whole) = loop {
            if let Some(end) = memchr(b'\n', &self.rest()[searched..]) {
                break (searched + end, true);
            }
            searched = self.rest().len();
            if searched > LONGEST {
                self.skip_line();
                return Some(take(Line::TooLong));
            }
            if !self.fill() {
                break (searched, false);
            }
        };
        if length == 0 && !is_whole {
            return None;
        }
        let line = &self.buffer[self.at..self.at + length];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let taken = take(if is_whole { Line::Whole(line) } else { Line::Last(line) });
        self.at = (self.at + length + 1).min(self.end);
        Some(taken)
    }

    /// Skips everything up to and including the next line end.
    pub(crate) fn skip_line(&mut self) {
        loop {
            match memchr(b'\n', self.rest()) {
                Some(end) => return self.advance(end + 1),
                None => self.advance(self.rest().len()),
            }
            if !self.fill() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8]) -> Input<'_> {
        Input::new("file", Box::new(bytes), Limits::default())
    }

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut input = input(bytes);
        let mut found = Vec::new();
        while let Some(line) = input.with_line(|line| match line {
            Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
            Line::Last(line) => format!("last {}", String::from_utf8_lossy(line)),
            Line::TooLong => "too long".into(),
        }) {
            found.push(line);
        }
        found
    }

    #[test]
    fn lines_end_in_every_way() {
        assert_eq!(lines(b"a\nb\r\n\nc"), ["a", "b", "", "last c"]);
        assert_eq!(lines(b"a\n"), ["a"]);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_line_without_end_is_passed_over_in_bounded_memory() {
        let mut bytes = b"first\n".to_vec();
        bytes.resize(5 * LONGEST, b'x');
        bytes.extend_from_slice(b"\nlast");
        assert_eq!(lines(&bytes), ["first", "too long", "last last"]);
    }

    #[test]
    fn places_count_lines_and_characters_over_chunks() {
        let text = format!("{}\nµµx", "é".repeat(CHUNK));
        let mut input = input(text.as_bytes());
        while input.fill() {
            input.advance(1);
        }
        let rest = input.rest().len();
        input.advance(rest - 1);
        let place = input.place();
        assert_eq!((place.line, place.column), (2, 3));
    }
}
