//! The working tree as a version.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use benchwright_model::{Diagnostic, Version};

use super::git::{Git, path_of};
use super::{Cache, Repository, VersionError, lfs};

/// The label of the working tree.
const WORKING_TREE: &str = "working tree";

/// A version with diagnostics.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The version.
    pub version: Version,
    /// Diagnostics about what is unexpectedly not in it: uncommitted changes in submodules, nested
    /// repositories.
    pub diagnostics: Vec<Diagnostic>,
}

impl Repository {
    /// The working tree as it is now: tracked files with their uncommitted changes, and untracked files that
    /// are not ignored. Later edits do not change it. Its objects are stored in the cache.
    pub fn snapshot(&self, cache: &Cache) -> Result<Snapshot, VersionError> {
        let Some(root) = self.root() else {
            return Err(VersionError::NoWorkingTree { git_dir: self.git_dir.clone() });
        };
        let scratch = cache.temporary()?;
        let index = scratch.path().join("index");
        copy_index(&self.git_dir.join("index"), &index)?;
        let git = lfs::without_filter(cache.with_objects(self.git(), self)?).env("GIT_INDEX_FILE", &index);
        let mut diagnostics = Vec::new();
        git.bytes(&["add", "--update", "--", ":/"], &[])?;
        add_untracked(&git, &mut diagnostics)?;
        warn_of_changed_submodules(&git, root, &mut diagnostics)?;
        let tree = git.text(&["write-tree"])?;
        Ok(Snapshot { version: self.version_of_snapshot(tree)?, diagnostics })
    }

    fn version_of_snapshot(&self, tree: String) -> Result<Version, VersionError> {
        let git = self.git();
        let commit = git.try_text(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let dirty = match &commit {
            Some(commit) => git.text(&["rev-parse", &format!("{commit}^{{tree}}")])? != tree,
            None => true,
        };
        Ok(Version { label: WORKING_TREE.into(), commit, tree, dirty, subject: String::new() })
    }
}

/// Copies the index, so that git need not read unchanged files.
fn copy_index(from: &Path, to: &Path) -> Result<(), VersionError> {
    let modified = match fs::metadata(from).and_then(|metadata| metadata.modified()) {
        Ok(modified) => modified,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(VersionError::file("read", from)(error)),
    };
    fs::copy(from, to).map_err(VersionError::file("copy", from))?;
    // Git compares file times with the time of the index to find files that changed in the same clock tick in
    // which the index was written. A later time on the copy would hide such a change.
    let copy = File::options().write(true).open(to).map_err(VersionError::file("write", to))?;
    copy.set_modified(modified).map_err(VersionError::file("write", to))
}

fn add_untracked(git: &Git, diagnostics: &mut Vec<Diagnostic>) -> Result<(), VersionError> {
    let others =
        git.bytes(&["ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ":/"], &[])?;
    let mut to_add = Vec::new();
    for path in others.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        if path.ends_with(b"/") {
            // Git lists a repository inside the repository as one directory.
            diagnostics.push(
                Diagnostic::warning(
                    String::from_utf8_lossy(path),
                    "a repository of its own, left out of the snapshot",
                )
                .hint("make it a submodule, or add it to .gitignore"),
            );
        } else if !path_of(path).components().any(|part| part.as_os_str() == ".benchwright") {
            to_add.extend_from_slice(path);
            to_add.push(0);
        }
    }
    if !to_add.is_empty() {
        git.bytes(&["update-index", "--add", "--replace", "-z", "--stdin"], &to_add)?;
    }
    Ok(())
}

fn warn_of_changed_submodules(
    git: &Git,
    root: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(), VersionError> {
    let staged = git.bytes(&["ls-files", "-z", "--stage", "--full-name", "--", ":/"], &[])?;
    for entry in staged.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 ")) {
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
        let path = path_of(&entry[tab + 1..]);
        let dir = root.join(path);
        if !dir.join(".git").exists() {
            continue;
        }
        if !Git::at(&dir).text(&["status", "--porcelain", "--ignore-submodules=none"])?.is_empty() {
            diagnostics.push(
                Diagnostic::warning(
                    path.to_string_lossy(),
                    "uncommitted changes in this submodule are left out",
                )
                .hint("commit them inside the submodule"),
            );
        }
    }
    Ok(())
}
