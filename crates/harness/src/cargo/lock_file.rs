//! One lock file for the versions of a library that commits none.
//!
//! Without a `Cargo.lock`, Cargo uses the newest dependencies on the day of the build. Two versions built on
//! different days would then have different dependencies, and a new release of one would look like a change
//! of the project. So the lock file that Cargo makes for the first version built is lent to all later ones.
//! Cargo changes it only where the manifest of a version requires it.

use std::fs;
use std::path::{Path, PathBuf};

/// Marks a check-out whose lock file is not its own, because Cargo leaves the file there.
const MARKER: &str = ".Cargo.lock-is-lent";

/// A project's lock file, and the copy that versions share.
pub(super) struct SharedLock {
    own: PathBuf,
    shared: PathBuf,
    /// Whether the version has no lock file of its own.
    is_lent: bool,
}

impl SharedLock {
    /// Puts the shared lock file into a project that has none of its own. `shared` belongs to all versions.
    pub(super) fn lend(project: &Path, shared: &Path) -> SharedLock {
        let (own, shared) = (project.join("Cargo.lock"), shared.join("Cargo.lock"));
        let marker = project.join(MARKER);
        let is_lent = !own.exists() || marker.exists();
        if is_lent {
            // If it cannot be marked or there is none to lend, Cargo makes its own.
            let _ = fs::write(&marker, "");
            let _ = fs::copy(&shared, &own);
        }
        SharedLock { own, shared, is_lent }
    }

    /// Keeps the lock file of the first version built for later ones.
    pub(super) fn keep(&self) {
        if self.is_lent && self.own.exists() && !self.shared.exists() {
            // A failure only means that the versions may have different dependencies.
            let _ = fs::copy(&self.own, &self.shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_versions_lock_file_serves_all_others() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let make = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(&path).expect("a directory");
            path
        };
        let read = |dir: &Path| fs::read_to_string(dir.join("Cargo.lock")).expect("a lock file");
        let write = |dir: &Path, text: &str| fs::write(dir.join("Cargo.lock"), text).expect("a file");
        let (first, second, committed, shared) =
            (make("first"), make("second"), make("committed"), make("shared"));
        let lock = SharedLock::lend(&first, &shared);
        assert!(!first.join("Cargo.lock").exists());
        write(&first, "made by Cargo");
        lock.keep();
        SharedLock::lend(&second, &shared).keep();
        assert_eq!(read(&second), "made by Cargo");
        // A lock file that Cargo left in a check-out is still lent the next time.
        write(&second, "made by Cargo, and more for this version");
        SharedLock::lend(&second, &shared).keep();
        assert_eq!(read(&second), "made by Cargo");
        write(&committed, "committed");
        SharedLock::lend(&committed, &shared).keep();
        assert_eq!((read(&committed), read(&shared)), ("committed".to_owned(), "made by Cargo".to_owned()));
    }
}
