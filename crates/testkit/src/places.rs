//! Paths of test data and tools.

use std::fs;
use std::path::{Path, PathBuf};

use crate::skip::{Lack, record};

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a captured output below `fixtures/`. Panics with the path if it cannot be read.
pub fn fixture(path: &str) -> String {
    let path = repository().join("fixtures").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("fixture `{}`: {error}", path.display()))
}

/// A file or directory of the recorded measurements: below the directory `BENCHWRIGHT_DATA`, or else below
/// `../shared/data` beside the repository. If it is missing, this test is skipped and should return.
pub fn data(path: &str) -> Option<PathBuf> {
    let found = find_data(path);
    if found.is_none() {
        record(Lack::Machine, &format!("no recorded measurements `{path}`"));
    }
    found
}

fn find_data(path: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("BENCHWRIGHT_DATA").map(PathBuf::from);
    let directory = directory.unwrap_or_else(|| repository().join("../shared/data"));
    Some(directory.join(path)).filter(|path| path.exists())
}

/// A program that `cargo xtask setup` installs: in `.tools`, in PATH, or in the directories of
/// administrators' programs. If it is missing, this test is skipped and should return; CI then fails.
pub fn tool(name: &str) -> Option<PathBuf> {
    let found = find_tool(name);
    if found.is_none() {
        record(Lack::Setup, &format!("no program `{name}`"));
    }
    found
}

fn find_tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let local = [".tools/bin", ".tools/python/bin"].map(|directory| repository().join(directory));
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    let directories = local.into_iter().chain(std::env::split_paths(&path)).chain(system);
    directories.map(|directory| directory.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_none() {
        assert_eq!(find_data("no/such/file"), None);
        assert_eq!(find_tool("no-such-program-anywhere"), None);
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
