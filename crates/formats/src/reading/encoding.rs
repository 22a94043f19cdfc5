//! Decodes bytes on disk to UTF-8 while they are read: gzip, byte order marks, UTF-16.

use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

/// How many compressed or UTF-16 bytes are read at once.
const CHUNK: usize = 64 * 1024;

/// A source of bytes in UTF-8, or in an unknown encoding.
pub(crate) struct Decoded<'a> {
    pub(crate) source: Box<dyn Read + 'a>,
    /// The encodings that were removed, in words for users. Empty for plain text.
    pub(crate) undone: Vec<&'static str>,
}

/// Decodes according to the first bytes.
pub(crate) fn decode<'a>(source: Box<dyn Read + 'a>) -> io::Result<Decoded<'a>> {
    let mut undone = Vec::new();
    let (mut first, mut source) = peek(source)?;
    if first.starts_with(&[0x1f, 0x8b]) {
        undone.push("gzip");
        let inner = MultiGzDecoder::new(BufReader::with_capacity(CHUNK, source));
        (first, source) = peek(Box::new(inner))?;
    }
    let wide = match first.as_slice() {
        [0xff, 0xfe, ..] => Some((2, false)),
        [0xfe, 0xff, ..] => Some((2, true)),
        [low, 0, _, 0] if *low != 0 => Some((0, false)),
        [0, low, 0, _] if *low != 0 => Some((0, true)),
        _ => None,
    };
    if let Some((mark, is_big_endian)) = wide {
        undone.push(if is_big_endian { "UTF-16 (big-endian)" } else { "UTF-16 (little-endian)" });
        skip(&mut source, mark)?;
        source = Box::new(Wide::new(source, is_big_endian));
    } else if first.starts_with(&[0xef, 0xbb, 0xbf]) {
        skip(&mut source, 3)?;
    }
    Ok(Decoded { source, undone })
}

/// The first four bytes, and a source that still begins with them.
fn peek<'a>(mut source: Box<dyn Read + 'a>) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut first = Vec::new();
    source.by_ref().take(4).read_to_end(&mut first)?;
    Ok((first.clone(), Box::new(Cursor::new(first).chain(source))))
}

fn skip(source: &mut dyn Read, count: usize) -> io::Result<()> {
    source.read_exact(&mut [0; 3][..count])
}

/// Converts UTF-16 to UTF-8. Invalid characters become U+FFFD.
struct Wide<'a> {
    source: Box<dyn Read + 'a>,
    is_big_endian: bool,
    /// The first half of a surrogate pair that waits for its second half.
    half: Option<u16>,
    raw: Vec<u8>,
    text: Vec<u8>,
    at: usize,
}

impl<'a> Wide<'a> {
    fn new(source: Box<dyn Read + 'a>, is_big_endian: bool) -> Self {
        Wide { source, is_big_endian, half: None, raw: Vec::new(), text: Vec::new(), at: 0 }
    }

    /// Decodes the next chunk. Leaves `text` empty at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() {
            // Keeps an odd byte at the end of the last chunk.
            let kept = self.raw.len();
            self.raw.resize(CHUNK, 0);
            let count = self.source.read(&mut self.raw[kept..])?;
            self.raw.truncate(kept + count);
            if count == 0 {
                let is_cut = self.half.take().is_some() || !self.raw.is_empty();
                self.raw.clear();
                if is_cut {
                    self.push(char::REPLACEMENT_CHARACTER);
                }
                return Ok(());
            }
            let odd = self.raw.len() % 2;
            let raw = std::mem::take(&mut self.raw);
            for pair in raw.chunks_exact(2) {
                let unit = [pair[0], pair[1]];
                self.unit(if self.is_big_endian {
                    u16::from_be_bytes(unit)
                } else {
                    u16::from_le_bytes(unit)
                });
            }
            self.raw.extend_from_slice(&raw[raw.len() - odd..]);
        }
        Ok(())
    }

    fn unit(&mut self, unit: u16) {
        match (self.half.take(), unit) {
            (None, 0xd800..=0xdbff) => self.half = Some(unit),
            (Some(high), 0xdc00..=0xdfff) => {
                let pair = char::decode_utf16([high, unit]).next();
                self.push(pair.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (Some(_), _) => {
                self.push(char::REPLACEMENT_CHARACTER);
                self.unit(unit);
            }
            (None, _) => self.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn push(&mut self, character: char) {
        self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl Read for Wide<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.refill()?;
        }
        let count = buffer.len().min(self.text.len() - self.at);
        buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn check(bytes: &[u8], expected: &str, undone: &[&str]) {
        let mut decoded = decode(Box::new(bytes)).unwrap();
        let mut text = Vec::new();
        decoded.source.read_to_end(&mut text).unwrap();
        assert_eq!(String::from_utf8_lossy(&text), expected);
        assert_eq!(decoded.undone, undone);
    }

    fn wide(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(encode).collect()
    }

    fn zipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn plain_bytes_stay_as_they_are() {
        check(b"", "", &[]);
        check(b"{", "{", &[]);
        check("µ = 1".as_bytes(), "µ = 1", &[]);
    }

    #[test]
    fn byte_order_marks_are_dropped() {
        check(b"\xef\xbb\xbf[1]", "[1]", &[]);
    }

    #[test]
    fn utf_16_is_read_with_and_without_a_mark() {
        let text = "a µ 🙂\r\n";
        let little = ["UTF-16 (little-endian)"];
        let big = ["UTF-16 (big-endian)"];
        check(&wide(&format!("\u{feff}{text}"), u16::to_le_bytes), text, &little);
        check(&wide(&format!("\u{feff}{text}"), u16::to_be_bytes), text, &big);
        check(&wide(text, u16::to_le_bytes), text, &little);
        check(&wide(text, u16::to_be_bytes), text, &big);
    }

    #[test]
    fn broken_utf_16_becomes_replacement_characters() {
        check(&[0xff, 0xfe, 0x00, 0xd8, b'a', 0], "\u{fffd}a", &["UTF-16 (little-endian)"]);
        check(&[0xff, 0xfe, b'a', 0, b'b'], "a\u{fffd}", &["UTF-16 (little-endian)"]);
        check(&[0xff, 0xfe, 0x00, 0xdc], "\u{fffd}", &["UTF-16 (little-endian)"]);
    }

    #[test]
    fn characters_across_chunks_survive() {
        let text = "ab🙂".repeat(CHUNK / 3 + 1);
        let odd = format!("\u{feff}x{text}");
        check(&wide(&odd, u16::to_le_bytes), &odd[3..], &["UTF-16 (little-endian)"]);
    }

    #[test]
    fn gzip_is_unpacked_and_its_content_looked_at() {
        check(&zipped(b"\xef\xbb\xbf[1]"), "[1]", &["gzip"]);
        check(&zipped(&wide("\u{feff}[1]", u16::to_be_bytes)), "[1]", &["gzip", "UTF-16 (big-endian)"]);
        let twice = [zipped(b"one "), zipped(b"two")].concat();
        check(&twice, "one two", &["gzip"]);
    }
}
