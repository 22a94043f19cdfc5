//! Bad input as data.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something was left out or is doubtful.
    Warning,
    /// Something could not be done; the command's exit code says so.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A place in a text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPosition {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// A message for the user that does not stop the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Where: a file, a benchmark, a package; empty if it concerns everything.
    pub subject: String,
    /// Where inside the subject, if it is a text.
    pub position: Option<TextPosition>,
    /// What, as a lowercase fragment without final period.
    pub message: String,
    /// Advice for the user; empty if there is none.
    pub hint: String,
}

impl Diagnostic {
    /// A warning about `subject`.
    pub fn warning(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            subject: subject.into(),
            position: None,
            message: message.into(),
            hint: String::new(),
        }
    }

    /// An error about `subject`.
    pub fn error(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Error, ..Diagnostic::warning(subject, message) }
    }

    /// The same at a place in the subject's text.
    pub fn at(self, line: u32, column: u32) -> Self {
        Diagnostic { position: Some(TextPosition { line, column }), ..self }
    }

    /// The same with advice.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Diagnostic { hint: hint.into(), ..self }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity.word())?;
        if !self.subject.is_empty() {
            f.write_str(&self.subject.replace('\n', "\\n"))?;
            if let Some(at) = self.position {
                write!(f, ":{}:{}", at.line, at.column)?;
            }
            f.write_str(": ")?;
        }
        // A further line, perhaps of a name, must not look like a diagnostic of its own.
        f.write_str(&self.message.replace('\n', "\n  "))?;
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_part_looks_like_another_diagnostic() {
        let diagnostic = Diagnostic::warning("a\nerror: b", "c\nerror: d").hint("e");
        assert_eq!(diagnostic.to_string(), "warning: a\\nerror: b: c\n  error: d\n  hint: e");
    }
}
