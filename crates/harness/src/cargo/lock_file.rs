//! One lock file for the versions of a library that commits none.
//!
//! Without a `Cargo.lock` Cargo takes the newest dependencies there are on the day of the build. Two versions built on
//! different days would then differ in their dependencies, and a release of one of those would look like a change of
//! the project. So the lock file that Cargo makes for the first version built is lent to all others; Cargo changes
//! in it only what a version's manifest demands.

use std::fs;
use std::path::{Path, PathBuf};

/// A project's lock file, and the copy that versions share.
pub(super) struct SharedLock {
    own: PathBuf,
    shared: PathBuf,
    /// Whether the version came without one.
    is_lent: bool,
}

impl SharedLock {
    /// Puts the shared lock file into a project that has none. `intermediate` is shared by all versions.
    pub(super) fn lend(project: &Path, intermediate: &Path) -> SharedLock {
        let (own, shared) = (project.join("Cargo.lock"), intermediate.join("shared-Cargo.lock"));
        let is_lent = !own.exists();
        if is_lent {
            // Where there is none to lend, or it cannot be copied, Cargo makes its own.
            let _ = fs::copy(&shared, &own);
        }
        SharedLock { own, shared, is_lent }
    }

    /// Keeps the lock file of the first version built for those after it.
    pub(super) fn keep(&self) {
        if self.is_lent && !self.shared.exists() {
            // Merely less well shared if this fails.
            let _ = fs::copy(&self.own, &self.shared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_versions_lock_file_serves_the_second() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let make = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(&path).expect("a directory");
            path
        };
        let (first, second, committed, shared) =
            (make("first"), make("second"), make("committed"), make("shared"));
        let lock = SharedLock::lend(&first, &shared);
        assert!(!first.join("Cargo.lock").exists());
        fs::write(first.join("Cargo.lock"), "made by Cargo").expect("a file");
        lock.keep();
        SharedLock::lend(&second, &shared).keep();
        assert_eq!(fs::read_to_string(second.join("Cargo.lock")).expect("lent"), "made by Cargo");
        fs::write(committed.join("Cargo.lock"), "committed").expect("a file");
        SharedLock::lend(&committed, &shared).keep();
        assert_eq!(fs::read_to_string(committed.join("Cargo.lock")).expect("kept"), "committed");
        assert_eq!(fs::read_to_string(shared.join("shared-Cargo.lock")).expect("kept"), "made by Cargo");
    }
}
