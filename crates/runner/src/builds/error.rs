//! Why a build failed.

use std::io;
use std::path::PathBuf;

use benchwright_harness::{HarnessError, StepFailure};
use benchwright_model::Diagnostic;

use crate::versions::CacheError;

/// Why a version has no benchmarks to run.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No harness recognises anything in it.
    #[error("no benchmarks found in {version}")]
    NoProjects {
        /// The version's title.
        version: String,
        /// Names of the harnesses that searched for projects.
        harnesses: Vec<String>,
        /// What they searched for, if they say so.
        looked_for: Vec<String>,
        /// Files that look like benchmarks, and why they do not count.
        source: Option<Passed>,
    },
    /// All projects failed. This is the error of the first; the others follow.
    #[error("build {version}, {project}")]
    Project {
        /// The version's title.
        version: String,
        /// Harness and directory.
        project: String,
        /// The error.
        source: Box<ProjectError>,
        /// The errors of the other projects.
        others: Vec<Diagnostic>,
    },
    /// The user interrupted the build.
    #[error("build {version}: interrupted")]
    Interrupted {
        /// The version's title.
        version: String,
    },
}

/// Files that look like benchmarks but do not count, one per line.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct Passed(pub Vec<String>);

/// Why a project has no benchmarks to run.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The harness or its tool failed.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The cache directory cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file of the build cannot be read or written.
    #[error("{action} `{}`", .path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Advice that always applies.
const ANY_PROGRAM: &str =
    "any program can be measured without them: `benchwright compare main --command 'PROGRAM ARGUMENTS'`";

impl BuildError {
    /// The message of the tool, if a tool failed. It may have many lines.
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

    /// The file with the complete output of the failed tool.
    pub fn log(&self) -> Option<&PathBuf> {
        match self {
            BuildError::Project { source, .. } => match source.as_ref() {
                ProjectError::Harness(HarnessError::Tool { log, .. }) => Some(log),
                _ => None,
            },
            _ => None,
        }
    }

    /// Advice for the user. Empty if there is none.
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
    /// The message of the tool, if a tool failed.
    pub fn detail(&self) -> Option<&str> {
        match self {
            ProjectError::Harness(HarnessError::Tool { message, .. }) => Some(message),
            _ => None,
        }
    }

    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            ProjectError::Harness(error) => error.hint(),
            ProjectError::Cache(error) => error.hint(),
            ProjectError::File { .. } => String::new(),
        }
    }

    /// Whether the user's interrupt caused it.
    pub(super) fn is_interrupt(&self) -> bool {
        match self {
            ProjectError::Harness(HarnessError::Step { source: StepFailure::Interrupted, .. }) => true,
            ProjectError::Cache(CacheError::Unusable { source, .. }) => {
                source.kind() == io::ErrorKind::Interrupted
            }
            _ => false,
        }
    }

    /// The error as a diagnostic, for use when the other projects continue.
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
