//! Reads quoted texts.

use super::{Json, LONGEST, Step, memchr2};

/// The next part of a text.
enum Part {
    Closed,
    Escape,
    /// None of these in the available bytes.
    More,
}

impl Json<'_> {
    /// Reads a text into `text`. The next byte is its opening quote.
    pub(super) fn read_text(&mut self, text: &mut String) -> Step<()> {
        text.clear();
        let place = self.input.place();
        self.input.advance(1);
        let mut is_damaged = false;
        loop {
            let (part, length) = self.part();
            let piece = &self.input.rest()[..length];
            if text.len() + length <= LONGEST {
                match std::str::from_utf8(piece) {
                    Ok(piece) => text.push_str(piece),
                    Err(_) => {
                        is_damaged = true;
                        text.push_str(&String::from_utf8_lossy(piece));
                    }
                }
            }
            self.input.advance(length);
            match part {
                Part::Closed => break self.input.advance(1),
                Part::Escape => self.escape(text)?,
                Part::More if self.input.fill() => {}
                Part::More => return Err(self.end()),
            }
        }
        if is_damaged {
            self.input.diagnostics.warn(place, "a text is not UTF-8; invalid bytes are replaced");
        }
        if text.len() >= LONGEST {
            self.input.diagnostics.warn(place, "a text is longer than 1 MiB and was cut");
        }
        Ok(())
    }

    /// Skips a text. The next byte is its opening quote.
    pub(super) fn skip_text(&mut self) -> Step<()> {
        self.input.advance(1);
        loop {
            let (part, length) = self.part();
            self.input.advance(length);
            match part {
                Part::Closed => {
                    self.input.advance(1);
                    return Ok(());
                }
                Part::Escape => {
                    self.input.fill_to(2);
                    self.input.advance(self.input.rest().len().min(2));
                }
                Part::More if self.input.fill() => {}
                Part::More => return Err(self.end()),
            }
        }
    }

    /// The kind of the next part, and how many plain bytes precede it. An incomplete character is left for
    /// the next call.
    fn part(&self) -> (Part, usize) {
        let rest = self.input.rest();
        match memchr2(b'"', b'\\', rest) {
            Some(length) if rest[length] == b'"' => (Part::Closed, length),
            Some(length) => (Part::Escape, length),
            None => {
                let tail = rest.len().saturating_sub(3);
                let cut = rest[tail..].iter().rposition(|byte| *byte >= 0xc0);
                (Part::More, cut.map_or(rest.len(), |cut| tail + cut))
            }
        }
    }

    /// Reads the text after a backslash.
    fn escape(&mut self, text: &mut String) -> Step<()> {
        self.input.fill_to(2);
        let Some(&letter) = self.input.rest().get(1) else { return Err(self.end()) };
        let character = match letter {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.unicode(text),
            b'"' | b'\\' | b'/' => char::from(letter),
            _ => return Err(self.stop("unknown escape in a text")),
        };
        self.input.advance(2);
        text.push(character);
        Ok(())
    }

    /// Reads `\uXXXX`, or a pair of them that make one character.
    fn unicode(&mut self, text: &mut String) -> Step<()> {
        self.input.fill_to(12);
        let rest = self.input.rest();
        let Some(first) = rest.get(2..6).and_then(hexadecimal) else {
            return Err(if rest.len() < 6 {
                self.end()
            } else {
                self.stop("expected four digits after `\\u`")
            });
        };
        let second =
            rest.get(6..12).filter(|next| next.starts_with(b"\\u")).and_then(|next| hexadecimal(&next[2..]));
        let (units, length) = match second {
            Some(second) if (0xd800..0xdc00).contains(&first) => (vec![first, second], 12),
            _ => (vec![first], 6),
        };
        self.input.advance(length);
        let characters = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        text.extend(characters);
        Ok(())
    }
}

fn hexadecimal(digits: &[u8]) -> Option<u16> {
    let is_all = digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok()?;
    is_all.then(|| u16::from_str_radix(text, 16).ok()).flatten()
}
