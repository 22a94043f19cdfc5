//! What is told when something does not work: what, where, why, and what to do next.

use std::error::Error;
use std::fmt;

use benchwright_model::Diagnostic;

use crate::exit::Outcome;

/// An error on its way to the user.
#[derive(Debug)]
pub(crate) struct Problem {
    error: anyhow::Error,
    hint: String,
    /// The tool's own words, shown as they are; empty mostly.
    quote: String,
    /// What went wrong beside it.
    others: Vec<Diagnostic>,
    /// Whether the call is at fault, and not the world.
    is_misuse: bool,
}

impl Problem {
    /// Something failed.
    pub(crate) fn failed(error: impl Into<anyhow::Error>, hint: impl Into<String>) -> Self {
        Problem {
            error: error.into(),
            hint: hint.into(),
            quote: String::new(),
            others: Vec::new(),
            is_misuse: false,
        }
    }

    /// The command line, the configuration or the place of the call makes no sense.
    pub(crate) fn misuse(error: impl Into<anyhow::Error>, hint: impl Into<String>) -> Self {
        Problem { is_misuse: true, ..Problem::failed(error, hint) }
    }

    /// Whether the call is at fault, and not the world.
    pub(crate) fn is_misuse(&self) -> bool {
        self.is_misuse
    }

    /// What the exit code says about it.
    pub(crate) fn outcome(&self) -> Outcome {
        if self.is_misuse { Outcome::MISUSED } else { Outcome::FAILED }
    }

    /// The same with more words of advice behind what there is.
    pub(crate) fn hinting(self, more: &str) -> Self {
        Problem { hint: self.hint + more, ..self }
    }

    /// The same with the words of a tool.
    pub(crate) fn quoting(self, quote: impl Into<String>) -> Self {
        Problem { quote: quote.into(), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.error.to_string();
        let prefix = if is_statement(&message) { "" } else { "cannot " };
        write!(f, "error: {prefix}{message}")?;
        for cause in self.error.chain().skip(1) {
            write!(f, "\n  because: {}", indent(&cause.to_string()))?;
        }
        if !self.quote.is_empty() {
            for line in self.quote.lines() {
                write!(f, "\n  | {line}")?;
            }
        }
        if !self.hint.is_empty() {
            write!(f, "\n  hint: {}", indent(&self.hint))?;
        }
        for other in &self.others {
            write!(f, "\n{other}")?;
        }
        Ok(())
    }
}

/// Whether a message says what is wrong by itself; others are fragments that read after "cannot".
fn is_statement(message: &str) -> bool {
    message.starts_with('`') || STATEMENTS.iter().any(|word| message.starts_with(word))
}

/// How such messages begin.
const STATEMENTS: [&str; 7] = ["unknown ", "expected ", "no ", "the ", "this ", "two ", "several "];

fn indent(text: &str) -> String {
    text.replace('\n', "\n    ")
}

/// Errors that know what to do about them.
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
    failed: benchwright_exchange::ExchangeError,
    failed: benchwright_exchange::warmup::WarmupError,
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
        Problem { others, ..Problem::failed(error, hint).quoting(quote) }
    }
}

impl From<benchwright_runner::RunError> for Problem {
    fn from(error: benchwright_runner::RunError) -> Self {
        let hint = error.hint();
        Problem::failed(error, hint)
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Problem::failed(anyhow::Error::new(error).context("write the result"), "")
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

/// The errors of configuration, which all mean wrong use.
pub(crate) fn misconfigured(error: impl Error + Send + Sync + 'static) -> Problem {
    Problem::misuse(error, "`benchwright init` writes a commented configuration with all defaults")
}
