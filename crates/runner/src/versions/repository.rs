//! The user's repository, which is read and never written.

use std::path::{Path, PathBuf};

use super::git::{Git, message};
use super::{GitError, VersionError};

/// A git repository, with or without a working tree.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(super) root: Option<PathBuf>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) object_dir: PathBuf,
    pub(super) is_shallow: bool,
}

impl Repository {
    /// The repository that `dir` belongs to.
    pub fn discover(dir: &Path) -> Result<Repository, VersionError> {
        if !dir.is_dir() {
            let message = "no such directory".into();
            return Err(VersionError::NotARepository { dir: dir.to_owned(), message });
        }
        let git = Git::at(dir);
        let facts = git.output(&["rev-parse", "--is-inside-work-tree", "--is-shallow-repository"], &[])?;
        if !facts.status.success() {
            return Err(VersionError::NotARepository { dir: dir.to_owned(), message: message(&facts) });
        }
        let facts = String::from_utf8_lossy(&facts.stdout).into_owned();
        let mut facts = facts.lines().map(|line| line == "true");
        let (has_tree, is_shallow) = (facts.next() == Some(true), facts.next() == Some(true));
        let root = if has_tree { Some(git.path(&["rev-parse", "--show-toplevel"])?) } else { None };
        Ok(Repository {
            root: root.map(|root| canonical(&root)),
            git_dir: canonical(&git.path(&["rev-parse", "--absolute-git-dir"])?),
            common_dir: canonical(&git.path(&["rev-parse", "--git-common-dir"])?),
            object_dir: canonical(&git.path(&["rev-parse", "--git-path", "objects"])?),
            is_shallow,
        })
    }

    /// The root of its working tree; `None` for a bare repository.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The git directory. A linked worktree has its own.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Identifies this repository on this machine: the git directory that all its worktrees share.
    pub fn identity(&self) -> &Path {
        &self.common_dir
    }

    /// Whether its history is cut off.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Whether it has no commits.
    pub fn is_empty(&self) -> Result<bool, VersionError> {
        let head = self.git().try_text(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        Ok(head.is_none() && self.git().text(&["for-each-ref", "--count=1"])?.is_empty())
    }

    /// Git for reading this repository.
    pub(super) fn git(&self) -> Git {
        match &self.root {
            Some(root) => Git::at(root),
            None => git_of(&self.git_dir),
        }
    }

    /// A repository of which only the git directory is needed, such as a submodule.
    pub(super) fn of_git_dir(git_dir: &Path, root: Option<PathBuf>) -> Result<Repository, GitError> {
        let git = git_of(git_dir);
        let is_shallow = git.text(&["rev-parse", "--is-shallow-repository"])? == "true";
        let common_dir = canonical(&git.path(&["rev-parse", "--git-common-dir"])?);
        let object_dir = canonical(&git.path(&["rev-parse", "--git-path", "objects"])?);
        Ok(Repository { root, git_dir: git_dir.to_owned(), common_dir, object_dir, is_shallow })
    }
}

/// Git for a git directory alone. It gets a work tree that exists, because git refuses a submodule whose own
/// one is gone.
fn git_of(git_dir: &Path) -> Git {
    Git::at(git_dir).env("GIT_DIR", git_dir).env("GIT_WORK_TREE", git_dir)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
