//! Files on disk for tests.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A directory with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary directory");
    write(root.path(), files);
    root
}

/// Writes files below a directory, and makes the directories they are in.
pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}
