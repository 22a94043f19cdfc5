//! A version's files in the cache.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::{Diagnostic, Version};

use super::cache::{mark_used, short_hash};
use super::git::{Git, path_of};
use super::{Cache, Repository, TreeFile, VersionError, lfs, listing, made, submodules};

/// A version's files, in a directory of their own outside the repository.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The version.
    pub version: Version,
    /// The directory with its files. The paths of all check-outs of a repository have the same length.
    pub root: PathBuf,
    /// The file with the list of its files; see [`Checkout::files`].
    pub listing: PathBuf,
    /// Whether the files were there already.
    pub cached: bool,
    /// Diagnostics about files that could not be put there but may not be needed.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checkout {
    /// The version's files, including submodules. `None` if the listing was removed or damaged.
    pub fn files(&self) -> Option<Vec<TreeFile>> {
        listing::read(&self.listing)
    }

    /// Removes files that benchmarks of earlier runs left among the version's files: a file that grows from
    /// run to run would make an old check-out slower than a fresh one. Lock files and files made by a build
    /// stay. Call this only while holding the machine's lock.
    pub fn sweep(&self) {
        let Some(files) = self.files() else { return };
        let mut known: HashSet<PathBuf> = files.into_iter().map(|file| self.root.join(file.path)).collect();
        known.extend(made::made(&self.root).into_iter().map(|path| self.root.join(path)));
        sweep_directory(&self.root, &known);
    }
}

fn sweep_directory(dir: &Path, known: &HashSet<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let is_lock_file = entry.file_name().to_string_lossy().contains("Cargo.lock");
        if is_directory {
            sweep_directory(&path, known);
            // Only an empty directory can be removed, and a version has none of those.
            let _ = fs::remove_dir(&path);
        } else if !known.contains(&path) && !is_lock_file {
            // A file that cannot be removed stays.
            let _ = fs::remove_file(&path);
        }
    }
}

impl Cache {
    /// Puts the files of `version` into the cache, unless they are already there. Only complete check-outs
    /// ever appear under the final name.
    pub fn checkout(&self, repository: &Repository, version: &Version) -> Result<Checkout, VersionError> {
        if repository.root().is_some_and(|root| self.dir().starts_with(root)) {
            return Err(VersionError::CacheInsideRepository { cache: self.dir().to_owned() });
        }
        let name = format!("{}-{}", version.tree, settings_hash(repository)?);
        let root = self.entry("trees", &name);
        let listing = self.entry("trees", &format!("{name}.files"));
        let _lock = self.lock(&root, None)?;
        let is_complete = listing::read(&listing).is_some_and(|files| listing::is_intact(&root, &files));
        let diagnostics = match is_complete {
            true => Vec::new(),
            false => self.make_checkout(repository, &version.tree, &root, &listing)?,
        };
        mark_used(&root);
        Ok(Checkout { version: version.clone(), root, listing, cached: is_complete, diagnostics })
    }

    fn make_checkout(
        &self,
        repository: &Repository,
        tree: &str,
        root: &Path,
        listing: &Path,
    ) -> Result<Vec<Diagnostic>, VersionError> {
        let scratch = self.temporary()?;
        let files_dir = scratch.path().join("files");
        let mut extraction = Extraction::new(self, scratch.path());
        extraction.extract(repository, tree, &files_dir, Path::new(""))?;
        let Extraction { mut files, diagnostics, missing_lfs, .. } = extraction;
        if !missing_lfs.is_empty() {
            return Err(VersionError::Lfs { files: missing_lfs });
        }
        for file in &mut files {
            let path = files_dir.join(&file.path);
            file.size = fs::symlink_metadata(&path).map_err(VersionError::file("read", path))?.len();
        }
        if root.exists() {
            let _ = fs::remove_file(listing);
            fs::rename(root, scratch.path().join("damaged")).map_err(VersionError::file("replace", root))?;
        }
        fs::rename(&files_dir, root).map_err(VersionError::file("write", root))?;
        listing::write(listing, &files).map_err(VersionError::file("write", listing))?;
        Ok(diagnostics)
    }
}

/// A check-out that is being made.
pub(super) struct Extraction<'a> {
    pub(super) cache: &'a Cache,
    scratch: &'a Path,
    indexes: u32,
    files: Vec<TreeFile>,
    pub(super) diagnostics: Vec<Diagnostic>,
    missing_lfs: Vec<String>,
}

impl<'a> Extraction<'a> {
    fn new(cache: &'a Cache, scratch: &'a Path) -> Self {
        let (files, diagnostics, missing_lfs) = (Vec::new(), Vec::new(), Vec::new());
        Extraction { cache, scratch, indexes: 0, files, diagnostics, missing_lfs }
    }

    /// Puts the files of `tree` and its submodules into `dir`. `prefix` is the path of the repository in the
    /// outermost one.
    pub(super) fn extract(
        &mut self,
        repository: &Repository,
        tree: &str,
        dir: &Path,
        prefix: &Path,
    ) -> Result<(), VersionError> {
        fs::create_dir_all(dir).map_err(VersionError::file("write", dir))?;
        self.indexes += 1;
        let index = self.scratch.join(format!("index-{}", self.indexes));
        // A separate work tree, because attributes have to be those of the version, not those of the user's
        // working tree.
        let git = Git::at(dir)
            .env("GIT_DIR", &repository.git_dir)
            .env("GIT_WORK_TREE", dir)
            .env("GIT_INDEX_FILE", index)
            .setting("core.sparseCheckout=false");
        let git = lfs::without_filter(self.cache.with_objects(git, repository)?);
        git.bytes(&["read-tree", "-m", "-u", "--no-sparse-checkout", "--no-recurse-submodules", tree], &[])?;
        let entries = git.bytes(&["ls-tree", "-r", "-z", "--full-tree", tree], &[])?;
        let (links, files): (Vec<TreeFile>, Vec<TreeFile>) = entries
            .split(|byte| *byte == 0)
            .filter_map(parse_entry)
            .partition(|entry| entry.mode == "160000");
        let missing = lfs::fill_in(&git, repository, dir, &files)?;
        self.missing_lfs.extend(missing.iter().map(|path| prefix.join(path).display().to_string()));
        self.files.extend(files.into_iter().map(|file| TreeFile { path: prefix.join(&file.path), ..file }));
        submodules::extract(self, &git, repository, tree, dir, prefix, &links)
    }
}

/// Parses one line of `git ls-tree`: mode, type, id, tab, path.
fn parse_entry(entry: &[u8]) -> Option<TreeFile> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let mut facts = std::str::from_utf8(&entry[..tab]).ok()?.split(' ');
    let (mode, _kind, id) = (facts.next()?, facts.next()?, facts.next()?);
    Some(TreeFile { path: path_of(&entry[tab + 1..]).to_owned(), mode: mode.into(), id: id.into(), size: 0 })
}

/// A short name for the settings other than the tree that affect a check-out: line ends, filters.
fn settings_hash(repository: &Repository) -> Result<String, VersionError> {
    let git = repository.git();
    let pattern = r"^(core\.(autocrlf|eol|symlinks|filemode)|filter\..*)$";
    let settings = git.output(&["config", "--get-regexp", pattern], &[])?.stdout;
    let attributes = fs::read(repository.common_dir.join("info/attributes")).unwrap_or_default();
    Ok(short_hash(&[&settings, &attributes])[..8].to_owned())
}
