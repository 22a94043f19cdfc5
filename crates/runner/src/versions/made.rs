//! Files that builds put among a version's files.
//!
//! Most tools build elsewhere. If one does not (`cargo build` in the check-out, a script that generates
//! data), the sweeping between runs must keep the files, and a cached build without them cannot be used.
//! Every such build has a list of its own. The list beside the check-out names the files of all its builds.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::cache::beside;
use super::git::path_of;
use super::listing;

/// Records all files below `root` that the version's `listing` does not name, in the build's own list `made`
/// and in the list beside the check-out.
pub(crate) fn keep_made(root: &Path, listing: &Path, made: &Path) -> io::Result<()> {
    let files = listing::read(listing).unwrap_or_default();
    let known: HashSet<PathBuf> = files.into_iter().map(|file| file.path).collect();
    let mut found = Vec::new();
    collect(root, Path::new(""), &known, &mut found)?;
    found.sort();
    write(made, &found)?;
    let before = self::made(root);
    let added: Vec<PathBuf> = found.into_iter().filter(|path| !before.contains(path)).collect();
    match added.is_empty() {
        true => Ok(()),
        false => write(&beside(root, SUFFIX), &before.into_iter().chain(added).collect::<Vec<_>>()),
    }
}

/// Suffix that is added to the name of the check-out.
const SUFFIX: &str = ".made";

/// All files that builds put below `root`, relative to it.
pub(super) fn made(root: &Path) -> HashSet<PathBuf> {
    read(&beside(root, SUFFIX)).unwrap_or_default().into_iter().collect()
}

/// Whether all files of a build's list still exist. False if there is no list.
pub(crate) fn are_there(root: &Path, made: &Path) -> bool {
    let is_there = |path: &PathBuf| fs::symlink_metadata(root.join(path)).is_ok();
    read(made).is_some_and(|paths| paths.iter().all(is_there))
}

fn collect(root: &Path, dir: &Path, known: &HashSet<PathBuf>, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(dir))? {
        let entry = entry?;
        let path = dir.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, known, found)?;
        } else if !known.contains(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// Writes a list in one step, so that it is either complete or absent.
fn write(list: &Path, paths: &[PathBuf]) -> io::Result<()> {
    let mut temporary = tempfile::NamedTempFile::new_in(list.parent().unwrap_or(Path::new(".")))?;
    for path in paths {
        temporary.write_all(path.as_os_str().as_bytes())?;
        temporary.write_all(&[0])?;
    }
    temporary.persist(list).map_err(|error| error.error)?;
    Ok(())
}

fn read(list: &Path) -> Option<Vec<PathBuf>> {
    let bytes = fs::read(list).ok()?;
    let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Some(paths.map(|path| path_of(path).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_made_is_known_until_it_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let (root, listing, made_list) =
            (dir.path().join("tree"), dir.path().join("tree.files"), dir.path().join("made"));
        fs::create_dir_all(root.join("target/release")).unwrap();
        fs::write(root.join("target/release/x"), "x").unwrap();
        fs::write(root.join("main.rs"), "x").unwrap();
        let tracked = super::super::TreeFile {
            path: "main.rs".into(),
            mode: "100644".into(),
            id: "0".repeat(40),
            size: 1,
        };
        listing::write(&listing, &[tracked]).unwrap();
        assert!(!are_there(&root, &made_list), "no list, no build");
        keep_made(&root, &listing, &made_list).unwrap();
        assert!(are_there(&root, &made_list));
        assert_eq!(made(&root), HashSet::from(["target/release/x".into()]));
        // Another build of the same check-out adds to the list.
        fs::write(root.join("data"), "x").unwrap();
        keep_made(&root, &listing, &dir.path().join("other")).unwrap();
        assert_eq!(made(&root).len(), 2);
        fs::remove_file(root.join("target/release/x")).unwrap();
        assert!(!are_there(&root, &made_list));
    }
}
