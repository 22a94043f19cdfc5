//! A list of diagnostics with a limited length.

use benchwright_model::{Diagnostic, Severity};

use crate::Limits;

/// More do not help, and a damaged file can cause millions.
const MOST: usize = 100;

/// A place in a text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The diagnostics of one file, and its limits. A reader that reaches a limit must report it.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    subject: String,
    limits: Limits,
    /// Number of benchmarks in the file so far, and whether it was reported that there are too many.
    benchmarks: u64,
    has_too_many: bool,
    list: Vec<Diagnostic>,
    errors: usize,
    left_out: usize,
}

impl Diagnostics {
    pub(crate) fn new(subject: &str, limits: Limits) -> Self {
        Diagnostics {
            subject: subject.into(),
            limits,
            benchmarks: 0,
            has_too_many: false,
            list: Vec::new(),
            errors: 0,
            left_out: 0,
        }
    }

    /// The file's name.
    pub(crate) fn subject(&self) -> &str {
        &self.subject
    }

    /// The limits on reading the file.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the file may have one more benchmark. The first one too many is an error.
    pub(crate) fn admits_benchmark(&mut self, at: Place) -> bool {
        let is_admitted = self.admits_benchmarks(self.benchmarks + 1, at);
        self.benchmarks += u64::from(is_admitted);
        is_admitted
    }

    /// Whether the file may have this many benchmarks, for readers that count by themselves. The error is
    /// reported once.
    pub(crate) fn admits_benchmarks(&mut self, count: u64, at: Place) -> bool {
        let is_admitted = count <= self.limits.benchmarks;
        if !is_admitted && !std::mem::replace(&mut self.has_too_many, true) {
            self.error(at, self.limits.too_many_benchmarks());
        }
        is_admitted
    }

    /// Whether another diagnostic would be kept, for callers with expensive messages.
    pub(crate) fn has_room(&self) -> bool {
        self.list.len() < MOST
    }

    /// Something was left out or is doubtful.
    pub(crate) fn warn(&mut self, at: Place, message: impl Into<String>) {
        self.push(Diagnostic::warning(&self.subject, message).at(at.line, at.column));
    }

    /// Something that concerns the whole file.
    pub(crate) fn warn_all(&mut self, message: impl Into<String>) {
        self.push(Diagnostic::warning(&self.subject, message));
    }

    /// Worth knowing.
    pub(crate) fn note(&mut self, message: impl Into<String>) {
        let diagnostic = Diagnostic::warning(&self.subject, message);
        self.push(Diagnostic { severity: Severity::Note, ..diagnostic });
    }

    /// The file is damaged, or it reports a failure.
    pub(crate) fn error(&mut self, at: Place, message: impl Into<String>) {
        self.push_error(Diagnostic::error(&self.subject, message).at(at.line, at.column));
    }

    /// The same without a position.
    pub(crate) fn error_all(&mut self, message: impl Into<String>) {
        self.push_error(Diagnostic::error(&self.subject, message));
    }

    /// Warnings never displace errors, because errors show that a file is incomplete.
    fn push_error(&mut self, diagnostic: Diagnostic) {
        self.errors += 1;
        if self.errors <= MOST {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.has_room() {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    /// The list, with a note on those that were left out.
    pub(crate) fn into_list(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more of these", self.left_out);
            self.list.push(Diagnostic::warning(&self.subject, message));
        }
        self.list
    }
}
