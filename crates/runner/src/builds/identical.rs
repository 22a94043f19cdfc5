//! Finds benchmarks that need no measuring.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use benchwright_harness::{Executable, Harness};
use benchwright_model::BenchmarkId;
use memchr::memmem;

use super::{Build, BuiltExecutable, digest};
use crate::versions::{TreeFile, read_listing};

/// The benchmarks that both builds have with the same executable and the same data: every file of the
/// repository that is not source of the executable is the same. Doubtful benchmarks are not included.
pub fn identical(base: &Build, head: &Build, harnesses: &[Box<dyn Harness>]) -> HashSet<BenchmarkId> {
    let (Some(base_files), Some(head_files)) = (read_listing(&base.listing), read_listing(&head.listing))
    else {
        return HashSet::new();
    };
    let changed = changed_paths(&base_files, &head_files);
    let mut found = HashSet::new();
    for built in &head.executables {
        let Some(harness) = harnesses.iter().find(|harness| harness.name() == built.executable.harness)
        else {
            continue;
        };
        let Some(other) = base.executables.iter().find(|other| is_same_program(other, built)) else {
            continue;
        };
        let Ok(program) = fs::read(built.program()) else { continue };
        // C++ compilers put the bare names of source files into the symbol table.
        let program = digest::seen_when_running(program);
        let is_harmless = |path: &PathBuf| {
            is_source(harness.as_ref(), &built.project.dir, path) && !names(&program, &head.root, path)
        };
        if changed.iter().all(is_harmless) {
            let both = built.benchmarks.iter().filter(|id| other.benchmarks.contains(id));
            found.extend(both.cloned());
        }
    }
    found
}

fn is_same_program(left: &BuiltExecutable, right: &BuiltExecutable) -> bool {
    // The path within the build directory is chosen by the build tool and may contain hashes.
    let facts = |built: &BuiltExecutable| Executable { path: PathBuf::new(), ..built.executable.clone() };
    left.digest == right.digest && left.project == right.project && facts(left) == facts(right)
}

/// Files that only one version has, or whose contents or mode differ.
fn changed_paths(base: &[TreeFile], head: &[TreeFile]) -> Vec<PathBuf> {
    let mut old: HashMap<&Path, (&str, &str)> =
        base.iter().map(|file| (file.path.as_path(), (file.mode.as_str(), file.id.as_str()))).collect();
    let mut changed = Vec::new();
    for file in head {
        if old.remove(file.path.as_path()) != Some((&file.mode, &file.id)) {
            changed.push(file.path.clone());
        }
    }
    changed.extend(old.into_keys().map(Path::to_owned));
    changed
}

/// Whether the program names the file other than as one of its own sources. Then it may read the file at run
/// time: parsers, formatters and linters have source files as input.
fn names(program: &[u8], root: &Path, path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.as_encoded_bytes()) else { return false };
    let whole = root.join(path);
    let (whole, relative) = (whole.as_os_str().as_encoded_bytes(), path.as_os_str().as_encoded_bytes());
    // Compilers record a source file by its absolute path, or by its path relative to the project or package.
    let from_directories = (0..relative.len()).filter(|&i| i == 0 || relative[i - 1] == b'/');
    let noted: Vec<&[u8]> =
        from_directories.map(|i| &relative[i..]).filter(|rest| rest.contains(&b'/')).chain([whole]).collect();
    memmem::find_iter(program, name).any(|at| {
        let before = &program[..at + name.len()];
        let is_noted = noted.iter().any(|known| before.ends_with(known));
        !is_noted || goes_up(&program[..at])
    })
}

/// Whether the path at the end of `text` contains `..`, which only paths written by hand do.
fn goes_up(text: &[u8]) -> bool {
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-@+".contains(byte);
    let length = text.iter().rev().take_while(|byte| is_path(byte)).count();
    memmem::find(&text[text.len() - length..], b"../").is_some()
}

fn is_source(harness: &dyn Harness, project: &Path, path: &Path) -> bool {
    // Source outside the project counts as source too: if it is used, the executable has changed with it.
    let path = path.strip_prefix(project).unwrap_or(path);
    path.to_str().is_some_and(|path| harness.is_source(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_the_program_names_by_hand_is_data() {
        let check = |program: &str, path: &str, expected: bool| {
            assert_eq!(
                names(program.as_bytes(), Path::new("/c/tree"), Path::new(path)),
                expected,
                "{program}"
            );
        };
        check("x/c/tree/printer/nodes.go\0y", "printer/nodes.go", false);
        check("open ../printer/nodes.go failed", "printer/nodes.go", true);
        check("nodes.go", "printer/nodes.go", true);
        check("panicked at src/lib.rs:1", "crates/a/src/lib.rs", false);
        check("nothing of the kind", "crates/a/src/lib.rs", false);
        check("/c/tree/main.go", "main.go", false);
        check("read main.go", "main.go", true);
    }
}
