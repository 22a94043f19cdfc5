//! The copy of a version in which packages are installed and benchmarks run.
//!
//! Node finds a module by walking up from the importing file's real path. In a copy below the build's own directory it meets
//! this version's `node_modules` and no other; what installing and building generate stays with the build, while the
//! check-out keeps nothing but the version's own files.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The copy's directory in the build's.
pub(super) const TREE: &str = "tree";

/// The file that remembers which files the copy had after the build, in the build's directory.
const LISTING: &str = "tree.files";

/// What tools keep in `node_modules` between runs.
const CACHES: [&str; 5] = [".cache", ".vite", ".vite-temp", ".vitest", ".vitest-results"];

const MODULES: &str = "node_modules";

/// Copies the version at `root` to `tree`. Symbolic links stay what they are. `installed` are the directories, relative to the
/// root, whose `node_modules` are made again.
pub(super) fn copy(root: &Path, tree: &Path, installed: &[PathBuf]) -> io::Result<()> {
    copy_directory(root, tree, Path::new(""), installed)
}

fn copy_directory(root: &Path, tree: &Path, at: &Path, installed: &[PathBuf]) -> io::Result<()> {
    fs::create_dir_all(tree.join(at))?;
    for entry in fs::read_dir(root.join(at))? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let path = at.join(&name);
        let is_left_out = name == ".git" || name == MODULES && installed.iter().any(|dir| dir == at);
        if is_left_out {
            continue;
        }
        if kind.is_dir() {
            copy_directory(root, tree, &path, installed)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, tree.join(&path))?;
        } else if kind.is_file() {
            fs::copy(entry.path(), tree.join(&path))?;
        }
    }
    Ok(())
}

/// Remembers which files the copy has now.
pub(super) fn remember(out: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    walk(&out.join(TREE), &mut |path| {
        bytes.extend_from_slice(path.as_os_str().as_bytes());
        bytes.push(0);
    });
    fs::write(out.join(LISTING), bytes)
}

/// Removes what benchmarks of earlier runs left in the copy: a file that grows from run to run would make an old build slower
/// than a fresh one. `node_modules` stay, but for what tools keep there between runs.
pub(super) fn sweep(out: &Path) {
    let Ok(bytes) = fs::read(out.join(LISTING)) else { return };
    let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let known: HashSet<PathBuf> =
        paths.map(|path| PathBuf::from(std::ffi::OsString::from_vec(path.to_vec()))).collect();
    let tree = out.join(TREE);
    walk(&tree, &mut |path| {
        if !known.contains(path) {
            // What cannot be removed stays, as it would have before.
            let _ = fs::remove_file(tree.join(path));
        }
    });
    remove_caches(&tree);
}

/// Calls `visit` with every file of the copy, relative to it; passes by installed packages.
fn walk(tree: &Path, visit: &mut dyn FnMut(&Path)) {
    let mut waiting = vec![PathBuf::new()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(tree.join(&at)).into_iter().flatten().flatten() {
            let path = at.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != MODULES => waiting.push(path),
                Ok(kind) if !kind.is_dir() => visit(&path),
                _ => {}
            }
        }
    }
}

fn remove_caches(tree: &Path) {
    let mut waiting = vec![tree.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && entry.file_name() == MODULES {
                for cache in CACHES {
                    let _ = fs::remove_dir_all(entry.path().join(cache));
                }
            } else if is_directory {
                waiting.push(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files;

    fn write(root: &Path, paths: &[&str]) {
        test_files::write(root, &paths.iter().map(|path| (*path, "x")).collect::<Vec<_>>());
    }

    fn files(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![root.to_owned()];
        while let Some(at) = waiting.pop() {
            for entry in fs::read_dir(at).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => waiting.push(entry.path()),
                    false => found.push(entry.path().strip_prefix(root).unwrap().display().to_string()),
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn the_copy_has_everything_but_what_is_installed_anew() {
        let dir = tempfile::tempdir().unwrap();
        let (root, tree) = (dir.path().join("root"), dir.path().join("tree"));
        write(&root, &["a.js", ".git/HEAD", "node_modules/x/i.js", "test/node_modules/y/i.js", ".eslintrc"]);
        std::os::unix::fs::symlink("../a.js", root.join("test/link.js")).unwrap();
        copy(&root, &tree, &[PathBuf::new()]).unwrap();
        assert_eq!(files(&tree), [".eslintrc", "a.js", "test/link.js", "test/node_modules/y/i.js"]);
        assert_eq!(fs::read_link(tree.join("test/link.js")).unwrap(), Path::new("../a.js"));
    }

    #[test]
    fn sweeping_leaves_what_was_built_and_installed() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), &["tree/a.js", "tree/dist/b.js", "tree/node_modules/x/i.js"]);
        remember(dir.path()).unwrap();
        write(dir.path(), &["tree/results.json", "tree/dist/log/c.txt", "tree/node_modules/.vite/r.json"]);
        sweep(dir.path());
        assert_eq!(files(&dir.path().join("tree")), ["a.js", "dist/b.js", "node_modules/x/i.js"]);
        // Without a listing nobody knows what belongs there.
        fs::remove_file(dir.path().join("tree.files")).unwrap();
        write(dir.path(), &["tree/more.js"]);
        sweep(dir.path());
        assert!(dir.path().join("tree/more.js").exists());
    }
}
