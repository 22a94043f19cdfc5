//! Why there is no build.

use std::io;
use std::path::PathBuf;

use benchwright_harness::{HarnessError, StepFailure};
use benchwright_model::Diagnostic;

use crate::versions::CacheError;

/// Why a version has nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No harness recognises anything in it.
    #[error("no benchmarks found in {version}")]
    NoProjects {
        /// The version's title.
        version: String,
        /// Names of the harnesses that looked.
        harnesses: Vec<String>,
        /// What they looked for, of those that say so.
        looked_for: Vec<String>,
        /// What looks like benchmarks and why it does not count.
        source: Option<Passed>,
    },
    /// Its only project failed, or all of them; this is the first, and the others with it.
    #[error("build {version}, {project}")]
    Project {
        /// The version's title.
        version: String,
        /// Harness and directory.
        project: String,
        /// What went wrong.
        source: Box<ProjectError>,
        /// What went wrong with the other projects.
        others: Vec<Diagnostic>,
    },
    /// The user interrupted.
    #[error("build {version}: interrupted")]
    Interrupted {
        /// The version's title.
        version: String,
    },
}

/// Files that look like benchmarks but do not count, a line each.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Passed(pub Vec<String>);

/// Why one project of a version has nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The harness or its tool failed.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The cache directory does not work.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file of the build cannot be read or written.
    #[error("{action} `{}`", .path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What can always be done.
const ANY_PROGRAM: &str =
    "any program can be measured without them: `benchwright compare main --command 'PROGRAM ARGUMENTS'`";

impl BuildError {
    /// The tool's own message, if a tool failed; may have many lines.
    pub fn detail(&self) -> Option<&str> {
        match self {
            BuildError::Project { source, .. } => source.detail(),
            _ => None,
        }
    }

    /// The errors of the other projects.
    pub fn others(&self) -> &[Diagnostic] {
        match self {
            BuildError::Project { others, .. } => others,
            _ => &[],
        }
    }

    /// The file that holds all that the failed tool printed.
    pub fn log(&self) -> Option<&PathBuf> {
        match self {
            BuildError::Project { source, .. } => match source.as_ref() {
                ProjectError::Harness(HarnessError::Tool { log, .. }) => Some(log),
                _ => None,
            },
            _ => None,
        }
    }

    /// Advice for the user; empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            BuildError::NoProjects { looked_for, source, .. } => {
                let mut lines = Vec::new();
                if source.is_none() && !looked_for.is_empty() {
                    lines.push(format!("these count as benchmarks:\n- {}", looked_for.join("\n- ")));
                    lines.push("files count if git tracks them, or at least does not ignore them".to_owned());
                }
                lines.push(ANY_PROGRAM.to_owned());
                lines.join("\n")
            }
            BuildError::Project { source, .. } => source.hint(),
            BuildError::Interrupted { .. } => String::new(),
        }
    }
}

impl ProjectError {
    /// The tool's own message, if a tool failed.
    pub fn detail(&self) -> Option<&str> {
        match self {
            ProjectError::Harness(HarnessError::Tool { message, .. }) => Some(message),
            _ => None,
        }
    }

    /// Advice for the user; empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            ProjectError::Harness(error) => error.hint(),
            ProjectError::Cache(error) => error.hint(),
            ProjectError::File { .. } => String::new(),
        }
    }

    /// Whether the user's interrupt is behind it.
    pub(super) fn is_interrupt(&self) -> bool {
        match self {
            ProjectError::Harness(HarnessError::Step { source: StepFailure::Interrupted, .. }) => true,
            ProjectError::Cache(CacheError::Unusable { source, .. }) => {
                source.kind() == io::ErrorKind::Interrupted
            }
            _ => false,
        }
    }

    /// The same as a diagnostic, while the rest goes on.
    pub(super) fn diagnostic(&self, subject: &str) -> Diagnostic {
        let mut message = format!("cannot {self}");
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        if let Some(detail) = self.detail() {
            message.push_str(&format!("\n{}", detail.trim_end()));
        }
        Diagnostic::error(subject, message).hint(self.hint())
    }

    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| ProjectError::File { action, path, source }
    }
}
