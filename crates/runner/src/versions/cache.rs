//! The user's cache directory: check-outs, builds, and everything they need.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::git::{Git, path_list};
use super::{Repository, VersionError};
use crate::lock::{lock_file, try_lock_file};

/// Housekeeping runs at most this often.
const PRUNE_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// Housekeeping removes what has not been used for this long.
const KEPT_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);
/// Files left by killed processes are removed after this time.
const KEPT_TEMPORARY: Duration = Duration::from_secs(24 * 3600);

/// The directories in the cache.
const PARTS: &[&str] =
    &["trees", "builds", "equipment", "intermediate", "objects", "logs", "locks", "temporary"];
/// The directories whose entries housekeeping may remove.
const PRUNED_PARTS: &[&str] = &["trees", "builds", "equipment", "intermediate", "objects", "logs"];
/// Files that may be beside an entry.
const COMPANIONS: &[&str] = &[".files", ".made", ".root", ".used"];

const CACHE_TAG: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# This directory is a cache made by benchwright.\n";

/// A directory that may be deleted at any time without losing a result.
#[derive(Debug, Clone)]
pub struct Cache {
    dir: PathBuf,
}

/// Why the cache directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The directory is not known.
    #[error("find the cache directory: neither BENCHWRIGHT_CACHE nor HOME is set")]
    NoDirectory,
    /// A relative path would mean another directory everywhere.
    #[error("use the cache directory `{}`: it is not an absolute path", .dir.display())]
    Relative {
        /// The directory as given.
        dir: PathBuf,
    },
    /// It is not writable.
    #[error("use the cache directory `{}`", .dir.display())]
    Unusable {
        /// The directory or a part of it.
        dir: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl CacheError {
    /// Advice for the user.
    pub fn hint(&self) -> String {
        match self {
            CacheError::Unusable { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "the disk is full; the cache may be deleted, or BENCHWRIGHT_CACHE may name a directory elsewhere".into()
            }
            _ => "set BENCHWRIGHT_CACHE to a directory that can be written".into(),
        }
    }
}

/// What housekeeping removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Check-outs, builds, intermediate and object directories.
    pub entries: u32,
}

impl Cache {
    /// The cache of this user: `BENCHWRIGHT_CACHE`, or else the directory that the system has for caches.
    pub fn open() -> Result<Cache, CacheError> {
        let variable =
            |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let dir = variable("BENCHWRIGHT_CACHE")
            .or_else(|| Some(variable("XDG_CACHE_HOME").filter(|dir| dir.is_absolute())?.join("benchwright")))
            .or_else(|| {
                let below = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
                Some(variable("HOME")?.join(below).join("benchwright"))
            });
        match dir.ok_or(CacheError::NoDirectory)? {
            dir if dir.is_absolute() => Cache::at(&dir),
            dir => Err(CacheError::Relative { dir }),
        }
    }

    /// The cache in `dir`, which is made if it does not exist.
    pub fn at(dir: &Path) -> Result<Cache, CacheError> {
        let unusable = |source| CacheError::Unusable { dir: dir.to_owned(), source };
        for part in PARTS {
            fs::create_dir_all(dir.join(part)).map_err(unusable)?;
        }
        // Paths end up in executables, where only the canonical path can be recognised.
        let dir = dir.canonicalize().map_err(unusable)?;
        let tag = dir.join("CACHEDIR.TAG");
        if !tag.exists() {
            fs::write(&tag, CACHE_TAG).map_err(|source| CacheError::Unusable { dir: tag, source })?;
        }
        Ok(Cache { dir })
    }

    /// Its directory, an absolute path without symbolic links.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The bytes it occupies, as far as files can be read.
    pub fn size(&self) -> u64 {
        size_of(&self.dir)
    }

    /// Removes entries that have not been used for 30 days, unless this was done within a day.
    pub fn housekeep(&self) -> Result<Pruned, CacheError> {
        let marker = self.dir.join("pruned");
        if age_of(&marker).is_some_and(|age| age < PRUNE_INTERVAL) {
            return Ok(Pruned::default());
        }
        fs::write(&marker, "").map_err(|source| CacheError::Unusable { dir: marker, source })?;
        self.prune(KEPT_UNUSED)
    }

    /// Removes entries that have not been used for that long. Entries that are locked or cannot be removed
    /// stay.
    pub fn prune(&self, older_than: Duration) -> Result<Pruned, CacheError> {
        let mut pruned = Pruned::default();
        for part in PRUNED_PARTS {
            for dir in entries(&self.dir.join(part))? {
                let is_old =
                    age_of(&used_marker(&dir)).or_else(|| age_of(&dir)).is_some_and(|age| age >= older_than);
                if dir.is_dir() && is_old && self.remove(part, &dir).unwrap_or(false) {
                    pruned.entries += 1;
                }
            }
        }
        for left in entries(&self.dir.join("temporary"))? {
            if age_of(&left).is_some_and(|age| age >= KEPT_TEMPORARY) {
                // Another process may be removing it too.
                let _ = fs::remove_dir_all(&left);
            }
        }
        Ok(pruned)
    }

    fn remove(&self, part: &str, dir: &Path) -> Result<bool, CacheError> {
        let unusable = |source| CacheError::Unusable { dir: dir.to_owned(), source };
        let lock_path = self.lock_path(&lock_name(part, dir));
        let Some(_lock) = try_lock_file(&lock_path).map_err(unusable)? else { return Ok(false) };
        // The files that mark an entry as complete are removed first, so that a half-removed entry is not
        // used.
        for suffix in COMPANIONS {
            let _ = fs::remove_file(beside(dir, suffix));
        }
        fs::remove_dir_all(dir).map_err(unusable)?;
        let _ = fs::remove_file(&lock_path);
        Ok(true)
    }

    /// A directory for unfinished files, on the same file system as the cache. It is removed when dropped.
    pub(crate) fn temporary(&self) -> Result<TempDir, CacheError> {
        let dir = self.dir.join("temporary");
        tempfile::Builder::new()
            .prefix("t-")
            .tempdir_in(&dir)
            .map_err(|source| CacheError::Unusable { dir, source })
    }

    /// The directory called `name` in a part of the cache. It may not exist.
    pub(crate) fn entry(&self, part: &str, name: &str) -> PathBuf {
        self.dir.join(part).join(name)
    }

    /// Waits until no other process works on the entry, and locks it until dropped.
    pub(crate) fn lock(
        &self,
        entry: &Path,
        interrupt: Option<&benchwright_process::Interrupt>,
    ) -> Result<File, CacheError> {
        let part = entry.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let path = self.lock_path(&lock_name(&part, entry));
        lock_file(&path, interrupt).map_err(|source| CacheError::Unusable { dir: path, source })
    }

    fn lock_path(&self, name: &str) -> PathBuf {
        self.dir.join("locks").join(name)
    }

    /// Git that stores new objects in the cache and also reads those of the repository.
    pub(super) fn with_objects(&self, git: Git, repository: &Repository) -> Result<Git, VersionError> {
        let name = short_hash(&[repository.identity().as_os_str().as_encoded_bytes()]);
        let dir = self.entry("objects", &name);
        fs::create_dir_all(&dir).map_err(|source| CacheError::Unusable { dir: dir.clone(), source })?;
        mark_used(&dir);
        Ok(git
            .env("GIT_OBJECT_DIRECTORY", dir)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", path_list(&[&repository.object_dir])))
    }
}

/// Records that the entry was used now. A failure does not matter, because an entry that is removed by
/// mistake is made again.
pub(crate) fn mark_used(entry: &Path) {
    let marker = used_marker(entry);
    if let Ok(file) = File::options().create(true).append(true).open(marker) {
        let _ = file.set_modified(SystemTime::now());
    }
}

fn used_marker(entry: &Path) -> PathBuf {
    beside(entry, ".used")
}

/// The path beside an entry that has `suffix` added to the entry's name.
pub(crate) fn beside(entry: &Path, suffix: &str) -> PathBuf {
    let mut name = entry.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn lock_name(part: &str, entry: &Path) -> String {
    format!("{part}-{}", entry.file_name().unwrap_or_default().to_string_lossy())
}

/// A name that identifies these parts, 32 hexadecimal digits.
pub fn short_hash(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(&hash.finalize()[..16])
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, CacheError> {
    let read = fs::read_dir(dir).map_err(|source| CacheError::Unusable { dir: dir.to_owned(), source })?;
    Ok(read.filter_map(|entry| Some(entry.ok()?.path())).collect())
}

fn age_of(path: &Path) -> Option<Duration> {
    let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok()?;
    Some(SystemTime::now().duration_since(modified).unwrap_or_default())
}

fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    entries.filter_map(|entry| Some(size_of(&entry.ok()?.path()))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make_old(path: &Path, days: u64) {
        let file = File::open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(days * 24 * 3600)).unwrap();
    }

    #[test]
    fn what_is_old_is_forgotten_unless_somebody_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let [old, held, used] = ["old", "held", "used"].map(|name| cache.entry("builds", name));
        for entry in [&old, &held, &used] {
            fs::create_dir(entry).unwrap();
            mark_used(entry);
            make_old(&used_marker(entry), 31);
        }
        let lock = cache.lock(&held, None).unwrap();
        mark_used(&used);
        assert_eq!(cache.housekeep().unwrap(), Pruned { entries: 1 });
        assert!(!old.exists() && !used_marker(&old).exists());
        assert!(held.exists() && used.exists());
        drop(lock);
        assert_eq!(cache.housekeep().unwrap(), Pruned::default(), "it looked today already");
        make_old(&cache.dir().join("pruned"), 2);
        assert_eq!(cache.housekeep().unwrap(), Pruned { entries: 1 });
        assert!(!held.exists());
    }

    #[test]
    fn what_killed_processes_left_goes_after_a_day() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path()).unwrap();
        let [old, new] = ["t-old", "t-new"].map(|name| cache.entry("temporary", name));
        fs::create_dir(&old).unwrap();
        fs::create_dir(&new).unwrap();
        make_old(&old, 2);
        cache.prune(KEPT_UNUSED).unwrap();
        assert!(!old.exists() && new.exists());
    }
}
