//! Diagnostics about bad input and doubtful results.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something was left out or is doubtful.
    Warning,
    /// An operation failed, which the command's exit code shows.
    Error,
}

impl Severity {
    /// The word `note`, `warning` or `error`.
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
    /// The severity.
    pub severity: Severity,
    /// The subject: a file, a benchmark, a package. Empty if it concerns everything.
    pub subject: String,
    /// The position within the subject, if it is a text.
    pub position: Option<TextPosition>,
    /// The message, a lowercase fragment without a final period.
    pub message: String,
    /// Advice for the user. Empty if there is none.
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

    /// Sets the position in the subject's text.
    pub fn at(self, line: u32, column: u32) -> Self {
        Diagnostic { position: Some(TextPosition { line, column }), ..self }
    }

    /// Adds advice.
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
        // A second line, for example of a name, must not look like another diagnostic.
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
