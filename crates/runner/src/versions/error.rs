//! Errors of resolving and checking out revisions.

use std::io;
use std::path::PathBuf;

use super::CacheError;

/// Why git failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git is not installed.
    #[error("the program `git` is not installed")]
    NoGit,
    /// Git could not be started, or its output could not be read.
    #[error("run `git {command}`")]
    Start {
        /// Its arguments.
        command: String,
        /// The error of the system.
        source: io::Error,
    },
    /// Git returned an error.
    #[error("run `git {command}`: {message}")]
    Failed {
        /// Its arguments.
        command: String,
        /// Its message.
        message: String,
    },
}

/// Why a version is not available.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// Neither the directory nor one above it is a git repository.
    #[error("no git repository at `{}`: {message}", .dir.display())]
    NotARepository {
        /// The directory where the search began.
        dir: PathBuf,
        /// The message of git.
        message: String,
    },
    /// The repository has no working tree (it is bare), but one is needed.
    #[error("the repository `{}` is bare: it has no working tree", .git_dir.display())]
    NoWorkingTree {
        /// The repository.
        git_dir: PathBuf,
    },
    /// The repository has no commits.
    #[error("unknown revision `{revision}`: the repository has no commits yet")]
    NoCommits {
        /// The revision as typed.
        revision: String,
    },
    /// No branch, tag, commit or expression of this name.
    #[error("unknown revision `{revision}`")]
    UnknownRevision {
        /// The revision as typed.
        revision: String,
        /// Similar names, or a command that would fetch it.
        hint: String,
    },
    /// The object exists, but it has no files.
    #[error("`{revision}` is neither a commit nor a tree")]
    NotATree {
        /// The revision as typed.
        revision: String,
    },
    /// The two versions have no common ancestor in this clone.
    #[error("`{left}` and `{right}` have no merge base")]
    NoMergeBase {
        /// One side as typed.
        left: String,
        /// The other side as typed.
        right: String,
        /// Whether history is cut off, so that an ancestor may exist.
        is_shallow: bool,
    },
    /// A range and a second revision.
    #[error("compare the range `{range}` with `{head}`")]
    RangeAndHead {
        /// The range as typed.
        range: String,
        /// The second revision as typed.
        head: String,
    },
    /// The commit of a submodule is not on this machine.
    #[error("check out submodule `{path}`: commit {commit} is not here")]
    Submodule {
        /// Its path in the repository.
        path: String,
        /// The commit that the version requires.
        commit: String,
    },
    /// The contents of Git LFS files are not on this machine.
    #[error("check out {} Git LFS file(s) whose contents are not here: {}", .files.len(), first_few(.files))]
    Lfs {
        /// Their paths in the repository.
        files: Vec<String>,
    },
    /// The cache directory is inside the repository, where versions would find each other's files.
    #[error("check out into `{}`: it is inside the repository", .cache.display())]
    CacheInsideRepository {
        /// The cache directory.
        cache: PathBuf,
    },
    /// Git failed in another way.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The cache directory cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A file cannot be read or written.
    #[error("{action} `{}`", .path.display())]
    File {
        /// `read`, `write` ...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl GitError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            GitError::NoGit => "install git (`apt install git`, `brew install git`) or add it to PATH".into(),
            GitError::Start { .. } => String::new(),
            GitError::Failed { message, .. } if message.contains("dubious ownership") => {
                "the repository belongs to another user; `git config --global --add safe.directory <dir>` trusts it"
                    .into()
            }
            GitError::Failed { .. } => String::new(),
        }
    }
}

impl VersionError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            VersionError::NotARepository { message, .. } if message.contains("dubious ownership") => {
                "the repository belongs to another user; `git config --global --add safe.directory <dir>` trusts it"
                    .into()
            }
            VersionError::NotARepository { .. } => {
                "run benchwright inside a repository, or make one with `git init` and commit".into()
            }
            VersionError::NoWorkingTree { .. } => "name both revisions: `benchwright compare BASE HEAD`".into(),
            VersionError::NoCommits { .. } => "commit something first: `git add --all && git commit`".into(),
            VersionError::UnknownRevision { hint, .. } => hint.clone(),
            VersionError::NotATree { .. } => "give a branch, a tag or a commit".into(),
            VersionError::NoMergeBase { is_shallow: true, .. } => {
                "this clone is shallow; `git fetch --unshallow` gets the whole history".into()
            }
            VersionError::NoMergeBase { left, right, is_shallow: false } => {
                format!("the histories are unrelated; `{left}..{right}` compares the two directly")
            }
            VersionError::RangeAndHead { .. } => "give either a range or two revisions".into(),
            VersionError::Submodule { .. } => "`git submodule update --init --recursive` gets it".into(),
            VersionError::Lfs { .. } => {
                "`git lfs pull` gets those of the current commit, `git lfs fetch --all` those of every commit".into()
            }
            VersionError::CacheInsideRepository { .. } => {
                "set BENCHWRIGHT_CACHE to a directory outside the repository".into()
            }
            VersionError::Git(error) => error.hint(),
            VersionError::Cache(error) => error.hint(),
            VersionError::File { .. } => String::new(),
        }
    }

    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| VersionError::File { action, path, source }
    }
}

fn first_few(files: &[String]) -> String {
    let mut text = files.iter().take(3).map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", ");
    if files.len() > 3 {
        text.push_str(" ...");
    }
    text
}
