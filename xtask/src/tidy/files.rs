//! Reads the files of the repository.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A file of the repository.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// Relative to the repository, with `/`.
    pub(crate) path: String,
    /// Its text. Empty for files that are not text.
    pub(crate) text: String,
}

impl File {
    /// Whether it is Rust code of this project. The bundled examples, which imitate other projects, are not.
    pub(crate) fn is_rust(&self) -> bool {
        let is_ours = |directory: &&str| self.path.starts_with(directory);
        self.path.ends_with(".rs") && ["crates/", "xtask/", "studies/src/"].iter().any(is_ours)
    }

    /// Whether it holds only tests or benchmarks.
    pub(crate) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name == "tests.rs"
            || name.starts_with("test_")
            || name.ends_with("_tests.rs")
            || ["/tests/", "/benches/"].iter().any(|part| self.path.contains(part))
            || self.path.starts_with("crates/testkit/")
    }

    /// Whether it was captured from another program and must not be changed.
    pub(crate) fn is_captured(&self) -> bool {
        self.path.starts_with("fixtures/") || self.path.contains("/fixtures/")
    }
}

/// Directories that are not part of the repository or not checked.
const LEFT_OUT: [&str; 6] = [".git", "target", ".tools", ".benchwright", "node_modules", "snapshots"];

/// All files of the repository, sorted by path.
pub(crate) fn read(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    collect(root, "", &mut files)?;
    files.sort_by(|a: &File, b: &File| a.path.cmp(&b.path));
    Ok(files)
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("read `{}`", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("read `{path}`"))?;
            files.push(File { path, text: String::from_utf8(bytes).unwrap_or_default() });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) fn file(path: &str, text: &str) -> File {
    File { path: path.into(), text: text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_outputs_are_left_out_and_paths_are_relative() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for path in ["crates/a/src/lib.rs", "target/x.rs", "README.md"] {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, "text").expect("a file");
        }
        let paths: Vec<String> =
            read(directory.path()).expect("readable").into_iter().map(|f| f.path).collect();
        assert_eq!(paths, ["README.md", "crates/a/src/lib.rs"]);
    }

    #[test]
    fn tests_are_told_by_name_and_directory() {
        let check = |path: &str, expected: bool| assert_eq!(file(path, "").is_test(), expected, "{path}");
        check("crates/a/src/lib.rs", false);
        check("crates/a/src/tests.rs", true);
        check("crates/a/tests/all.rs", true);
        check("crates/a/benches/speed.rs", true);
        check("crates/a/src/test_machine.rs", true);
        check("crates/a/src/latest.rs", false);
    }
}
