//! A simulated machine for tests.

use std::fs;

use super::SystemFiles;

/// A directory with the files of a simulated machine. It is removed when dropped.
pub(super) struct TestMachine {
    pub(super) files: SystemFiles,
    _directory: tempfile::TempDir,
}

impl TestMachine {
    /// A machine with these files: path below the root and text.
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a file has a directory")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        TestMachine { files: SystemFiles::below(directory.path()), _directory: directory }
    }
}
