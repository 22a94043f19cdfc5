//! Files on disk, for tests of what reads them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A directory with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary directory");
    write(root.path(), files);
    root
}

/// Writes files below a directory, each with the directories it is in.
pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
}
