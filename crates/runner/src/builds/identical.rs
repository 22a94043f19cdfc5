//! Benchmarks that need no measuring.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use benchwright_harness::{Executable, Harness};
use benchwright_model::BenchmarkId;

use super::{Build, BuiltExecutable};
use crate::versions::{TreeFile, read_listing};

/// The benchmarks that both builds have with the same executable and the same data: every file of the repository that
/// is not source of the executable is the same. If in doubt, a benchmark is not among them.
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
        if changed.iter().all(|path| is_source(harness.as_ref(), &built.project.dir, path)) {
            let both = built.benchmarks.iter().filter(|id| other.benchmarks.contains(id));
            found.extend(both.cloned());
        }
    }
    found
}

fn is_same_program(left: &BuiltExecutable, right: &BuiltExecutable) -> bool {
    // The path inside the build's directory is the build tool's business and may contain hashes.
    let facts = |built: &BuiltExecutable| Executable { path: PathBuf::new(), ..built.executable.clone() };
    left.digest == right.digest && left.project == right.project && facts(left) == facts(right)
}

/// Files that only one version has, or that differ in contents or mode.
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

fn is_source(harness: &dyn Harness, project: &Path, path: &Path) -> bool {
    // Source outside the project is source as well: if it is used, the executable has changed with it.
    let path = path.strip_prefix(project).unwrap_or(path);
    path.to_str().is_some_and(|path| harness.is_source(path))
}
