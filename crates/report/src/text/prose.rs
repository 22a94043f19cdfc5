//! Text in a given width, with or without colour.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use benchwright_model::{Diagnostic, Severity};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::escape::terminal;
use crate::remarks;

/// The meaning of a piece of text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    /// Ordinary text.
    #[default]
    Plain,
    /// Headings.
    Strong,
    /// Less important text.
    Dim,
    /// Got worse, or failed.
    Bad,
    /// Got better.
    Good,
    /// Changed or undecided.
    Doubt,
}

/// Whether colour is used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    pub(crate) colour: bool,
}

impl Palette {
    /// `text` in the colour of `tone`. Unchanged if colour is not used.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let style = match tone {
            Tone::Plain => Style::new(),
            Tone::Strong => Style::new().bold(),
            Tone::Dim => Style::new().dimmed(),
            Tone::Bad => AnsiColor::Red.on_default().bold(),
            Tone::Good => AnsiColor::Green.on_default().bold(),
            Tone::Doubt => AnsiColor::Yellow.on_default(),
        };
        if !self.colour || tone == Tone::Plain || text.trim().is_empty() {
            return text.to_owned();
        }
        format!("{}{text}{}", style.render(), style.render_reset())
    }
}

/// Wrapped lines of a given width.
pub(crate) struct Lines<'a> {
    pub(crate) limit: usize,
    pub(crate) palette: Palette,
    pub(crate) out: &'a mut dyn Write,
}

impl Lines<'_> {
    /// A paragraph that begins with `first`.
    pub(crate) fn prose(&mut self, first: &str, text: &str, tone: Tone) -> io::Result<()> {
        for line in wrap(first, &terminal(text), self.limit) {
            writeln!(self.out, "{}", self.palette.paint(tone, &line))?;
        }
        Ok(())
    }

    /// Writes the diagnostics after a blank line, or nothing if there are none.
    pub(crate) fn diagnostics(&mut self, diagnostics: &[Diagnostic]) -> io::Result<()> {
        if !diagnostics.is_empty() {
            writeln!(self.out)?;
        }
        for diagnostic in &remarks::condensed(diagnostics) {
            let tone = match diagnostic.severity {
                Severity::Error => Tone::Bad,
                Severity::Warning => Tone::Doubt,
                Severity::Note => Tone::Dim,
            };
            for line in diagnostic.to_string().lines() {
                let indent = if line.starts_with(' ') { "  " } else { "" };
                self.prose(indent, line.trim_start(), tone)?;
            }
        }
        Ok(())
    }
}

/// Columns of the terminal that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` in at most `limit` columns. If it is longer, its middle is replaced by `…`, because names differ at
/// both ends.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let Some(room) = limit.checked_sub(1) else { return String::new() };
    let head = take_columns(text.chars(), room.div_ceil(2));
    let tail = take_columns(text.chars().rev(), room - width(&head).min(room));
    let tail: String = tail.chars().rev().collect();
    let joined = format!("{head}…{tail}");
    // Combining characters may be wider alone than together.
    if width(&joined) <= limit { joined } else { take_columns(joined.chars(), limit) }
}

/// `text` in lines of at most `limit` columns, broken between words if possible. The first line begins with
/// `first`, and the others with the same number of blanks.
pub(crate) fn wrap(first: &str, text: &str, limit: usize) -> Vec<String> {
    let first = shorten(first, limit / 2);
    let indent = width(&first);
    let room = limit.saturating_sub(indent).max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let mut rest = word.to_owned();
        if !line.is_empty() && width(&line) + 1 + width(&rest) <= room {
            line.push(' ');
            line.push_str(&rest);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(&rest) > room {
            let mut part = take_columns(rest.chars(), room);
            if part.is_empty() {
                part.extend(rest.chars().next());
            }
            rest = rest[part.len()..].to_owned();
            lines.push(part);
        }
        line = rest;
    }
    lines.push(line);
    let blank = " ".repeat(indent);
    let prefix = |index: usize| if index == 0 { first.as_str() } else { blank.as_str() };
    lines.iter().enumerate().map(|(i, line)| format!("{}{line}", prefix(i)).trim_end().to_owned()).collect()
}

fn take_columns(chars: impl Iterator<Item = char>, limit: usize) -> String {
    let mut used = 0;
    let mut out = String::new();
    for c in chars {
        used += c.width().unwrap_or(0);
        if used > limit {
            break;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_lose_their_middle() {
        let check = |text: &str, limit, expected: &str| assert_eq!(shorten(text, limit), expected);
        check("short", 5, "short");
        check("BenchmarkSort/n=1000", 11, "Bench…=1000");
        check("日本語の名前", 7, "日…名前");
        check("abc", 1, "…");
        check("abc", 0, "");
    }

    #[test]
    fn prose_is_wrapped_between_words() {
        let check = |first: &str, text: &str, limit, expected: &[&str]| {
            assert_eq!(wrap(first, text, limit), expected);
        };
        check("  a  ", "one two three", 14, &["  a  one two", "     three"]);
        check("", "unbreakable", 4, &["unbr", "eaka", "ble"]);
        check("x ", "", 10, &["x"]);
    }
}
