//! Compiled programs: where they are stored, which paths they contain, and what they need to run.

use std::fs;
use std::path::{Path, PathBuf};

use super::configuration::in_root;
use super::messages::Messages;
use super::metadata::Package;
use super::sources;
use crate::HarnessError;

/// Copies a program below `out`. Its name does not depend on its contents.
pub(super) fn copy(program: &Path, out: &Path, label: &str) -> Result<PathBuf, HarnessError> {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '+' };
    let path = Path::new("bin").join(label.chars().map(safe).collect::<String>());
    fs::create_dir_all(out.join("bin")).map_err(file_error(out))?;
    fs::copy(program, out.join(&path)).map_err(file_error(program))?;
    Ok(path)
}

/// Whether a program contains the path of the target directory in a way that matters. The output directory of
/// a foreign package's build script does not matter, because it is the same for every version.
pub(super) fn knows_directory(messages: &Messages, target_dir: &Path) -> Result<bool, HarnessError> {
    let foreign: Vec<Vec<u8>> = messages
        .scripts
        .iter()
        .filter(|script| script.is_foreign)
        .map(|script| script.out_dir.as_os_str().as_encoded_bytes().to_vec())
        .collect();
    let names = [Some(target_dir.to_owned()), target_dir.canonicalize().ok()];
    for (_, program) in messages.programs() {
        let bytes = fs::read(program).map_err(file_error(program))?;
        for name in names.iter().flatten() {
            let name = name.as_os_str().as_encoded_bytes();
            let matters = |at: usize| !foreign.iter().any(|out_dir| bytes[at..].starts_with(out_dir));
            if sources::occurrences(&bytes, name).any(matters) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Removes files from a private target directory that no program reads, because a build is kept for a long
/// time.
pub(super) fn drop_intermediate_files(target_dir: &Path) {
    let below = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    // Programs for another machine have their own directory with profiles.
    for profile in below(target_dir).flat_map(|dir| std::iter::once(dir.clone()).chain(below(&dir))) {
        for name in ["deps", "incremental", ".fingerprint", "examples"] {
            // Files that cannot be removed only take space.
            let _ = fs::remove_dir_all(profile.join(name));
        }
    }
}

/// Environment variables that `cargo bench` sets for the programs it runs.
pub(super) fn environment(package: &Package, dir: &Path) -> Vec<(String, String)> {
    let (numbers, pre) = match package.version.split('+').next().unwrap_or_default().split_once('-') {
        Some((numbers, pre)) => (numbers, pre),
        None => (package.version.split('+').next().unwrap_or_default(), ""),
    };
    let mut numbers = numbers.split('.');
    let mut number = || numbers.next().unwrap_or_default().to_owned();
    let pairs = [
        ("CARGO_MANIFEST_DIR", in_root(dir)),
        ("CARGO_MANIFEST_PATH", in_root(&dir.join("Cargo.toml"))),
        ("CARGO_PKG_NAME", package.name.clone()),
        ("CARGO_PKG_VERSION", package.version.clone()),
        ("CARGO_PKG_VERSION_MAJOR", number()),
        ("CARGO_PKG_VERSION_MINOR", number()),
        ("CARGO_PKG_VERSION_PATCH", number()),
        ("CARGO_PKG_VERSION_PRE", pre.to_owned()),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Converts an error about a file into an error of the harness.
pub(super) fn file_error(path: &Path) -> impl FnOnce(std::io::Error) -> HarnessError {
    let path = path.to_owned();
    move |source| HarnessError::File { path, source }
}
