//! Errors of a session: what failed, where, why, and what to do about it.

use std::error::Error;
use std::fmt;

use benchwright_model::Diagnostic;

type Cause = Box<dyn Error + Send + Sync>;

/// An error with its cause and a hint. It is displayed as one statement; [`Problem::text`] has the causes and
/// the hint too.
#[derive(Debug)]
pub struct Problem {
    kind: ProblemKind,
    error: Cause,
    hint: String,
    /// The output of a tool, shown as it is. Usually empty.
    quote: String,
    /// Diagnostics to show with it.
    others: Vec<Diagnostic>,
}

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// Wrong use: arguments, configuration, or the directory of the call.
    Misuse,
    /// A failure of the environment: a build, a disk, a network.
    Failure,
}

impl Problem {
    /// An operation that failed.
    pub fn failed(error: impl Into<Cause>, hint: impl Into<String>) -> Self {
        Problem {
            kind: ProblemKind::Failure,
            error: error.into(),
            hint: hint.into(),
            quote: String::new(),
            others: Vec::new(),
        }
    }

    /// Arguments, a configuration or a directory that are wrong.
    pub fn misuse(error: impl Into<Cause>, hint: impl Into<String>) -> Self {
        Problem { kind: ProblemKind::Misuse, ..Problem::failed(error, hint) }
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// Whether it is wrong use, and not a failure of the environment.
    pub fn is_misuse(&self) -> bool {
        self.kind == ProblemKind::Misuse
    }

    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Appends more advice.
    pub fn hinting(self, more: &str) -> Self {
        Problem { hint: self.hint + more, ..self }
    }

    /// Adds the output of a tool.
    pub fn quoting(self, quote: impl Into<String>) -> Self {
        Problem { quote: quote.into(), ..self }
    }

    /// Adds diagnostics to show with it.
    pub(crate) fn beside(self, others: Vec<Diagnostic>) -> Self {
        Problem { others, ..self }
    }

    /// The complete text on several lines: the statement, its causes, the output of a tool, and the hint.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("error: {self}")];
        let causes = std::iter::successors(self.source(), |error| (*error).source());
        lines.extend(causes.map(|cause| format!("  because: {}", indent(&cause.to_string()))));
        lines.extend(self.quote.lines().map(|line| format!("  | {line}")));
        if !self.hint.is_empty() {
            lines.push(format!("  hint: {}", indent(&self.hint)));
        }
        lines.extend(self.others.iter().map(ToString::to_string));
        lines.join("\n")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.error.to_string();
        let prefix = if is_statement(&message) { "" } else { "cannot " };
        write!(f, "{prefix}{message}")
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// Whether a message is a statement. Other messages are fragments that read after "cannot".
fn is_statement(message: &str) -> bool {
    message.starts_with('`') || STATEMENTS.iter().any(|word| message.starts_with(word))
}

/// The beginnings of statements.
const STATEMENTS: [&str; 7] = ["unknown ", "expected ", "no ", "the ", "this ", "two ", "several "];

fn indent(text: &str) -> String {
    text.replace('\n', "\n    ")
}

/// What could not be done, and its cause.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Because {
    what: String,
    source: Cause,
}

/// An error with its cause.
pub fn because(what: impl Into<String>, cause: impl Into<Cause>) -> Because {
    Because { what: what.into(), source: cause.into() }
}

/// Makes problems of errors that have a hint.
macro_rules! hinted {
    ($($kind:ident: $type:ty),+ $(,)?) => {
        $(impl From<$type> for Problem {
            fn from(error: $type) -> Self {
                let hint = error.hint().to_string();
                Problem::$kind(error, hint)
            }
        })+
    };
}

hinted! {
    misuse: benchwright_runner::VersionError,
    failed: benchwright_runner::CacheError,
    failed: benchwright_runner::LockError,
    failed: benchwright_store::JournalError,
    failed: benchwright_formats::ReadError,
    failed: benchwright_formats::warmup::WarmupError,
    misuse: benchwright_steady::classify::training::TrainingError,
    misuse: benchwright_steady::rules::catalogue::RuleError,
    misuse: benchwright_report::UnknownFormat,
    misuse: benchwright_config::SettingError,
    misuse: benchwright_config::PlanError,
}

impl From<benchwright_store::StoreError> for Problem {
    fn from(error: benchwright_store::StoreError) -> Self {
        use benchwright_store::StoreError::{AmbiguousRun, UnknownRun};
        let hint = error.hint();
        match error {
            UnknownRun { .. } | AmbiguousRun { .. } => Problem::misuse(error, hint),
            _ => Problem::failed(error, hint),
        }
    }
}

impl From<benchwright_runner::BuildError> for Problem {
    fn from(error: benchwright_runner::BuildError) -> Self {
        let (hint, quote) = (error.hint(), error.detail().unwrap_or_default().to_owned());
        let others = error.others().to_vec();
        Problem::failed(error, hint).quoting(quote).beside(others)
    }
}

impl From<benchwright_runner::RunError> for Problem {
    fn from(error: benchwright_runner::RunError) -> Self {
        let hint = error.hint();
        Problem::failed(error, hint)
    }
}

impl From<benchwright_config::AcceptedError> for Problem {
    fn from(error: benchwright_config::AcceptedError) -> Self {
        Problem::misuse(
            error,
            "`benchwright accept` writes the file; an empty or missing one accepts nothing",
        )
    }
}

/// Makes problems of configuration errors, all of which mean wrong use.
pub fn misconfigured(error: impl Error + Send + Sync + 'static) -> Problem {
    Problem::misuse(error, "`benchwright init` writes a commented configuration with all defaults")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_says_what_why_and_what_to_do() {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "gone");
        let problem = Problem::failed(because("read `a`", missing), "look again").quoting("x\ny");
        assert_eq!(problem.to_string(), "cannot read `a`");
        assert_eq!(
            problem.text(),
            "error: cannot read `a`\n  because: gone\n  | x\n  | y\n  hint: look again"
        );
        assert_eq!((problem.kind(), problem.hint()), (ProblemKind::Failure, "look again"));
        assert_eq!(Problem::misuse("unknown format `x`", "").text(), "error: unknown format `x`");
    }
}
