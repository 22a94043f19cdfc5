//! One lock file for the versions of a package that commits none.
//!
//! Without one, the manager installs the newest dependencies on the day of the build, and a new release of
//! one would look like a change of the project. So the lock file made for the first version built is lent to
//! all others. The manager changes it only where the manifest of a version requires it.

use std::fs;
use std::path::{Path, PathBuf};

use super::manager::Manager;

/// A package's lock file, and the copy that versions share.
pub(super) struct LentLock {
    own: PathBuf,
    shared: PathBuf,
}

impl LentLock {
    /// Copies the shared lock file into the package in `dir`, which has none. `place` is the path of the
    /// package in the version.
    pub(super) fn lend(manager: Manager, dir: &Path, place: &Path, shared: &Path) -> LentLock {
        let flat = place.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("@");
        let shared = shared.join(format!("{flat}@{}", manager.lock_file()));
        let own = dir.join(manager.lock_file());
        // If there is none to lend yet, the manager makes it.
        let _ = fs::copy(&shared, &own);
        LentLock { own, shared }
    }

    /// Keeps the lock file of the first version built for later ones.
    pub(super) fn keep(&self) {
        if self.own.exists() && !self.shared.exists() {
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
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (first, second, shared) = (make("first"), make("second"), make("shared"));
        let lend = |dir: &Path, place: &str| LentLock::lend(Manager::Npm, dir, Path::new(place), &shared);
        let lock = lend(&first, "packages/a");
        assert!(!first.join("package-lock.json").exists());
        fs::write(first.join("package-lock.json"), "made by npm").unwrap();
        lock.keep();
        lend(&second, "packages/a").keep();
        assert_eq!(fs::read_to_string(second.join("package-lock.json")).unwrap(), "made by npm");
        let other = make("other");
        lend(&other, "packages/b");
        assert!(!other.join("package-lock.json").exists(), "another package has its own");
    }
}
