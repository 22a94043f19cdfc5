//! Builds the sources of the standard library as a project.
//!
//! The go command accepts module `std` as the standard library only inside its own GOROOT. So an overlay puts
//! a check-out elsewhere over the installed one: every file that differs is replaced for the compiler, and
//! generated files of the installation stay. Both versions are built by the installed tool chain, which must
//! be of about the same release.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::HarnessError;

/// Where the go command builds a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its working directory.
    pub(super) dir: PathBuf,
    /// The file for `-overlay`, if there is one.
    pub(super) overlay: Option<PathBuf>,
    /// The directory of the version that corresponds to `dir`.
    own_dir: PathBuf,
}

impl Place {
    /// The version's own directory of a package that the go command reads in `dir`.
    pub(super) fn own(&self, dir: &str) -> PathBuf {
        match Path::new(dir).strip_prefix(&self.dir) {
            Ok(relative) => self.own_dir.join(relative),
            Err(_) => PathBuf::from(dir),
        }
    }
}

/// The place for the module in `module`. Writes the overlay into `out` if one is needed.
pub(super) fn place(module: &Path, goroot: &Path, out: &Path) -> Result<Place, HarnessError> {
    let here = Place { dir: module.into(), overlay: None, own_dir: module.into() };
    let installed = goroot.join("src");
    let name = fs::read_to_string(module.join("go.mod")).ok().and_then(|text| module_name(&text));
    let is_installed = fs::canonicalize(module).ok() == fs::canonicalize(&installed).ok();
    if name.as_deref() != Some("std") || is_installed || !installed.is_dir() {
        return Ok(here);
    }
    let replace = differences(module, &installed)?;
    let file = out.join("overlay.json");
    let text = serde_json::to_vec(&Overlay { replace }).map_err(io::Error::from);
    text.and_then(|text| fs::write(&file, text))
        .map_err(|source| HarnessError::File { path: file.clone(), source })?;
    Ok(Place { dir: installed, overlay: Some(file), own_dir: module.into() })
}

/// The format of an overlay file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Overlay {
    replace: BTreeMap<PathBuf, PathBuf>,
}

fn module_name(go_mod: &str) -> Option<String> {
    let line = go_mod.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(line.split("//").next()?.trim().trim_matches('"').to_owned())
}

/// For every file that differs, the installed path and its own path. The own path is empty if the version
/// does not have the file.
fn differences(own: &Path, installed: &Path) -> Result<BTreeMap<PathBuf, PathBuf>, HarnessError> {
    let mut replace = BTreeMap::new();
    for file in files(own)? {
        let (ours, theirs) = (own.join(&file), installed.join(&file));
        if read(&ours)? != fs::read(&theirs).ok() {
            replace.insert(theirs, ours);
        }
    }
    for file in files(installed)? {
        if !own.join(&file).exists() && !is_generated(&file) {
            replace.insert(installed.join(&file), PathBuf::new());
        }
    }
    Ok(replace)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, HarnessError> {
    fs::read(path).map(Some).map_err(|source| HarnessError::File { path: path.into(), source })
}

/// Files that are written when Go itself is built and that no check-out has.
fn is_generated(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    matches!(
        &*name,
        "zbootstrap.go" | "zversion.go" | "zcgo.go" | "zosarch.go" | "zdefaultcc.go" | "zosarch_test.go"
    )
}

/// The files below `root` that the compiler uses, relative to it. `cmd` is a module of its own.
fn files(root: &Path) -> Result<Vec<PathBuf>, HarnessError> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(dir) = waiting.pop() {
        let path = root.join(&dir);
        let entries = fs::read_dir(&path).map_err(|source| HarnessError::File { path, source })?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            let is_top = dir.as_os_str().is_empty();
            if kind.is_dir() && name != "testdata" && !(is_top && name == "cmd") {
                waiting.push(dir.join(name));
            } else if kind.is_file() {
                found.push(dir.join(name));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::{tree, write};

    #[test]
    fn a_checkout_of_the_standard_library_is_laid_over_the_installed_one() {
        let dir = tempfile::tempdir().unwrap();
        let (own, goroot) = (dir.path().join("own"), dir.path().join("go"));
        write(
            &own,
            &[("go.mod", "module std\n"), ("sort/a.go", "new"), ("sort/same.go", "s"), ("sort/b.go", "b")],
        );
        write(
            &goroot.join("src"),
            &[
                ("go.mod", "module std\n"),
                ("sort/a.go", "old"),
                ("sort/same.go", "s"),
                ("sort/gone.go", "g"),
                ("internal/zbootstrap.go", "generated"),
                ("cmd/x.go", "x"),
            ],
        );
        let place = place(&own, &goroot, dir.path()).unwrap();
        let installed = goroot.join("src");
        assert_eq!(place.dir, installed);
        assert_eq!(place.own(&installed.join("sort").display().to_string()), own.join("sort"));
        let text = fs::read_to_string(place.overlay.unwrap()).unwrap();
        let found: BTreeMap<String, BTreeMap<PathBuf, PathBuf>> = serde_json::from_str(&text).unwrap();
        let expected: BTreeMap<PathBuf, PathBuf> = [
            (installed.join("sort/a.go"), own.join("sort/a.go")),
            (installed.join("sort/b.go"), own.join("sort/b.go")),
            (installed.join("sort/gone.go"), PathBuf::new()),
        ]
        .into();
        assert_eq!(found["Replace"], expected);
    }

    #[test]
    fn any_other_module_is_built_where_it_is() {
        let dir =
            tree(&[("a/go.mod", "// about\nmodule example.com/a // x\n"), ("go/src/go.mod", "module std")]);
        let check = |module: &str| {
            let module = dir.path().join(module);
            let place = place(&module, &dir.path().join("go"), dir.path()).unwrap();
            assert_eq!((place.dir, place.overlay), (module, None));
        };
        check("a");
        check("go/src");
        check("missing");
    }
}
