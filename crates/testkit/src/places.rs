//! Where tests find things that are not code.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a captured output below `fixtures/`. Panics with the path if it cannot be read.
pub fn fixture(path: &str) -> String {
    let path = repository().join("fixtures").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("fixture `{}`: {error}", path.display()))
}

/// A file or directory of the recorded measurements: below the directory `BENCHWRIGHT_DATA`, else below
/// `../shared/data` beside the repository. Without it the test should return; the reason is on standard error.
pub fn data(path: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("BENCHWRIGHT_DATA").map(PathBuf::from);
    let directory = directory.unwrap_or_else(|| repository().join("../shared/data"));
    let found = Some(directory.join(path)).filter(|path| path.exists());
    if found.is_none() {
        say_skipped("no data");
    }
    found
}

/// A program that `cargo xtask setup` installs into `.tools`, or one of that name in PATH. Without it the test
/// should return; the reason is on standard error.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let local = [".tools/bin", ".tools/python/bin"].map(|directory| repository().join(directory));
    let directories = local.into_iter().chain(std::env::split_paths(&path));
    let found = directories.map(|directory| directory.join(name)).find(|file| file.is_file());
    if found.is_none() {
        say_skipped(&format!("no program `{name}`"));
    }
    found
}

/// Straight to standard error: what tests print is hidden when they pass.
fn say_skipped(reason: &str) {
    let thread = std::thread::current();
    let _ = writeln!(io::stderr(), "skipped: {reason} ({})", thread.name().unwrap_or("a test"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(data("no/such/file"), None);
        assert_eq!(tool("no-such-program-anywhere"), None);
    }

    #[test]
    fn programs_in_path_are_found() {
        assert!(tool("sh").is_some());
    }

    #[test]
    fn the_repository_is_where_the_workspace_is() {
        let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("[workspace]"));
    }
}
