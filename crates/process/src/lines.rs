//! Splits chunks of bytes into lines of text.

/// Splits a stream of bytes into lines. Line ends (`\n`, `\r\n`) are removed, invalid UTF-8 is replaced, and
/// lines are cut at the maximum length.
#[derive(Debug, Clone)]
pub struct Lines {
    partial: Vec<u8>,
    max_bytes: usize,
}

impl Lines {
    /// No line yet. Lines are cut at `max_bytes` before decoding.
    pub fn new(max_bytes: usize) -> Self {
        Lines { partial: Vec::new(), max_bytes }
    }

    /// Takes the next bytes and passes every completed line to `on_line`.
    pub fn feed(&mut self, chunk: &[u8], on_line: &mut dyn FnMut(&str)) {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            if self.partial.is_empty() {
                self.emit(&rest[..end], on_line);
            } else {
                self.keep(&rest[..end]);
                let line = std::mem::take(&mut self.partial);
                self.emit(&line, on_line);
            }
            rest = &rest[end + 1..];
        }
        self.keep(rest);
    }

    /// Passes on the last line if the stream did not end with a line end.
    pub fn finish(&mut self, on_line: &mut dyn FnMut(&str)) {
        if !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            self.emit(&line, on_line);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        // One byte more than the limit, so that a carriage return exactly at the limit is recognised.
        let room = (self.max_bytes + 1).saturating_sub(self.partial.len());
        self.partial.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn emit(&self, line: &[u8], on_line: &mut dyn FnMut(&str)) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        on_line(&String::from_utf8_lossy(&line[..line.len().min(self.max_bytes)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: &[&[u8]], expected: &[&str]) {
        let mut lines = Lines::new(8);
        let mut seen = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, &mut |line| seen.push(line.to_owned()));
        }
        lines.finish(&mut |line| seen.push(line.to_owned()));
        assert_eq!(seen, expected);
    }

    #[test]
    fn line_ends_are_removed() {
        check(&[b"a\nb\r\n\nc\n"], &["a", "b", "", "c"]);
    }

    #[test]
    fn a_last_line_without_end_counts() {
        check(&[b"a\nb"], &["a", "b"]);
        check(&[], &[]);
        check(&[b"a\n"], &["a"]);
    }

    #[test]
    fn lines_are_put_together_from_chunks() {
        check(&[b"ab", b"c\nd", b"", b"\r", b"\ne"], &["abc", "d", "e"]);
    }

    #[test]
    fn a_character_may_be_cut_by_a_chunk() {
        check(&[b"\xc3", b"\xa4\n"], &["ä"]);
    }

    #[test]
    fn invalid_bytes_are_replaced() {
        check(&[b"a\xffb\n"], &["a\u{fffd}b"]);
    }

    #[test]
    fn long_lines_are_cut_and_the_next_is_whole() {
        check(&[b"12345678\n"], &["12345678"]);
        check(&[b"12345678\r\n"], &["12345678"]);
        check(&[b"1234567890\nx\n"], &["12345678", "x"]);
        check(&[b"12345", b"67890", b"abc\nx\n"], &["12345678", "x"]);
    }
}
