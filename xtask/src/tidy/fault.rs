//! A violation of a house rule.

use std::fmt;

/// A broken rule and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The file or directory, relative to the repository.
    pub(crate) path: String,
    /// The line number from 1. 0 for the whole file.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Fault { path: path.into(), line, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}
