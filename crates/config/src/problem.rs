//! An error in a text, shown with its line.

use std::fmt;
use std::ops::Range;

use benchwright_model::{Diagnostic, TextPosition};

/// An error at a position of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file as it should be shown.
    pub file: String,
    /// The beginning of the wrong part.
    pub position: TextPosition,
    /// The error, as a lowercase fragment.
    pub message: String,
    /// Advice for the user. Empty if the message is enough.
    pub hint: String,
    /// The whole line.
    pub line: String,
    /// Number of wrong characters in the line, at least 1.
    pub width: u32,
}

impl Problem {
    /// The problem at the bytes `span` of `text`.
    pub(crate) fn new(file: &str, text: &str, remark: &Remark) -> Self {
        let start = floor(text, remark.span.start);
        let end = floor(text, remark.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        let line = text[line_start..line_end].trim_end_matches('\r');
        let marked = text[start..end.min(line_start + line.len()).max(start)].chars().count();
        Problem {
            file: file.into(),
            position: TextPosition {
                line: text[..start].matches('\n').count() as u32 + 1,
                column: text[line_start..start].chars().count() as u32 + 1,
            },
            message: remark.message.clone(),
            hint: remark.hint.clone(),
            line: line.into(),
            width: marked.max(1) as u32,
        }
    }

    /// The same as a warning, without the line.
    pub fn warning(&self) -> Diagnostic {
        Diagnostic::warning(&self.file, &self.message)
            .at(self.position.line, self.position.column)
            .hint(&self.hint)
    }
}

/// Position and message, then the line, then a caret under the wrong part, then the hint.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.position.line.to_string();
        let margin = " ".repeat(number.len());
        // Tabs before the caret are kept, so that it is in the right column whatever their width.
        let before: String = self.line.chars().take(self.position.column as usize - 1).collect();
        let indent: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(self.width as usize);
        writeln!(f, "{}:{}:{}: {}", self.file, number, self.position.column, self.message)?;
        writeln!(f, "  {number} | {}", self.line)?;
        write!(f, "  {margin} | {indent}{carets}")?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

/// An error at some bytes of a text that the reader of a value does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Remark {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Remark { span, message: message.into(), hint: String::new() }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Remark { hint: hint.into(), ..self }
    }
}

/// Errors and warnings found while a layer was read.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    pub(crate) errors: Vec<Remark>,
    pub(crate) warnings: Vec<Remark>,
}

impl Remarks {
    /// Returns the value, or adds the error and returns `None`.
    pub(crate) fn keep<T>(&mut self, result: Result<T, Remark>) -> Option<T> {
        result.map_err(|remark| self.errors.push(remark)).ok()
    }
}

/// The largest character boundary of `text` that is not after `index`.
fn floor(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wrong: &str, expected: &str) {
        let start = text.find(wrong).expect("the wrong part is in the text");
        let remark = Remark::new(start..start + wrong.len(), "expected more").hint("write more");
        assert_eq!(Problem::new("b.toml", text, &remark).to_string(), expected);
    }

    #[test]
    fn the_caret_stands_under_the_wrong_part() {
        check(
            "a = 1\nbudget = 5\n",
            "5",
            "b.toml:2:10: expected more\n  2 | budget = 5\n    |          ^\n  hint: write more",
        );
    }

    #[test]
    fn characters_not_bytes_are_counted_and_tabs_kept() {
        check(
            "\tä = \"µm\"",
            "\"µm\"",
            "b.toml:1:6: expected more\n  1 | \tä = \"µm\"\n    | \t    ^^^^\n  hint: write more",
        );
    }

    #[test]
    fn a_part_over_several_lines_is_marked_on_the_first() {
        check(
            "a = [1,\r\n 2]\r\n",
            "[1,\r\n 2]",
            "b.toml:1:5: expected more\n  1 | a = [1,\n    |     ^^^\n  hint: write more",
        );
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        let problem = Problem::new("f", "ä", &Remark::new(1..90, "x"));
        assert_eq!((problem.position.line, problem.position.column, problem.width), (1, 1, 1));
    }
}
