//! Finds Cargo workspaces and stand-alone packages.

use std::fs;
use std::path::{Path, PathBuf};

use super::harness::NAME;
use super::manifest::Manifest;
use super::sources;
use crate::Project;

/// How deep below the root manifests are searched for.
const DEPTH: usize = 12;

/// The projects at or below `root`, by path.
pub(super) fn projects(root: &Path) -> Vec<Project> {
    let mut search = Search { root, found: Vec::new() };
    search.visit(Path::new(""), &[], 0);
    let mut found = search.found;
    found.sort();
    found.into_iter().map(|dir| Project { harness: NAME.into(), dir }).collect()
}

struct Search<'a> {
    root: &'a Path,
    found: Vec<PathBuf>,
}

impl Search<'_> {
    /// Visits `dir` (relative to the root). `outer` are the workspaces around it, outermost first.
    fn visit(&mut self, dir: &Path, outer: &[(PathBuf, Manifest)], depth: usize) {
        let manifest = Manifest::read(&self.root.join(dir));
        if manifest.as_ref().is_some_and(|manifest| self.is_project(dir, manifest, outer)) {
            self.found.push(dir.to_owned());
        }
        if depth == DEPTH {
            return;
        }
        let is_package = manifest.as_ref().is_some_and(|manifest| manifest.is_package);
        let mut outer = outer.to_vec();
        if let Some(manifest) = manifest.filter(|manifest| manifest.is_workspace) {
            outer.push((dir.to_owned(), manifest));
        }
        for name in self.directories(dir) {
            // Manifests among a package's own sources and tests are test data.
            let is_material = is_package && matches!(name.as_str(), "src" | "tests" | "testdata");
            let is_foreign = matches!(name.as_str(), "target" | "vendor" | "node_modules");
            if !is_material && !is_foreign && !name.starts_with('.') {
                self.visit(&dir.join(name), &outer, depth + 1);
            }
        }
    }

    fn is_project(&self, dir: &Path, manifest: &Manifest, outer: &[(PathBuf, Manifest)]) -> bool {
        if manifest.is_workspace {
            return true;
        }
        if !manifest.is_package || manifest.workspace.is_some() {
            return false;
        }
        // Cargo uses the innermost workspace around a package. If that workspace does not exclude the
        // package, it builds it.
        let left_out = |(root, workspace): &(PathBuf, Manifest)| {
            dir.strip_prefix(root).is_ok_and(|below| workspace.leaves_out(below))
        };
        if outer.last().is_some_and(|innermost| !left_out(innermost)) {
            return false;
        }
        // Many repositories contain small packages (examples, fuzz targets) that would only cost time here.
        dir.as_os_str().is_empty() || self.may_have_benchmarks(dir, manifest)
    }

    fn may_have_benchmarks(&self, dir: &Path, manifest: &Manifest) -> bool {
        let dir = self.root.join(dir);
        manifest.has_bench_table
            || dir.join("benches").is_dir()
            || sources::has_bench_attribute(&dir.join("src"))
    }

    fn directories(&self, dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(dir)).into_iter().flatten().flatten();
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<String> =
            directories.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::tree;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let root = tree(files);
        let found: Vec<String> =
            projects(root.path()).iter().map(|project| project.dir.display().to_string()).collect();
        assert_eq!(found, expected);
    }

    const PACKAGE: &str = "[package]\nname = 'p'\nversion = '0.1.0'\n";

    #[test]
    fn a_workspace_is_one_project_with_all_its_members() {
        check(
            &[
                ("Cargo.toml", "[workspace]\nmembers = ['crates/*']"),
                ("crates/a/Cargo.toml", PACKAGE),
                ("crates/a/benches/b.rs", ""),
                ("crates/c/Cargo.toml", "[package]\nname = 'c'\nworkspace = '../..'"),
            ],
            &[""],
        );
    }

    #[test]
    fn packages_left_out_of_the_workspace_and_inner_workspaces_are_projects_of_their_own() {
        check(
            &[
                ("Cargo.toml", "[workspace]\nmembers = ['a']\nexclude = ['fuzz', 'speed']"),
                ("a/Cargo.toml", PACKAGE),
                ("fuzz/Cargo.toml", PACKAGE),
                ("inner/Cargo.toml", "[workspace]\n[package]\nname = 'inner'"),
                ("inner/part/Cargo.toml", PACKAGE),
                ("inner/part/benches/b.rs", ""),
                ("speed/Cargo.toml", "[package]\nname = 'speed'\n[[bench]]\nname = 'x'"),
            ],
            &["", "inner", "speed"],
        );
    }

    #[test]
    fn packages_side_by_side_need_no_workspace() {
        check(
            &[
                ("one/Cargo.toml", PACKAGE),
                ("one/benches/b.rs", ""),
                ("two/Cargo.toml", PACKAGE),
                ("two/src/lib.rs", "#[bench] fn b() {}"),
                ("none/Cargo.toml", PACKAGE),
            ],
            &["one", "two"],
        );
    }

    #[test]
    fn foreign_hidden_broken_and_test_manifests_are_passed_by() {
        let bench = "[package]\nname = 'p'\n[[bench]]\nname = 'x'";
        check(
            &[
                ("Cargo.toml", PACKAGE),
                ("target/package/p/Cargo.toml", bench),
                ("vendor/p/Cargo.toml", bench),
                ("node_modules/p/Cargo.toml", bench),
                (".hidden/Cargo.toml", bench),
                ("tests/fixtures/p/Cargo.toml", bench),
                ("broken/Cargo.toml", "[package"),
                ("other/Cargo.toml", bench),
            ],
            &["", "other"],
        );
    }

    #[test]
    fn a_directory_without_manifests_has_no_projects() {
        check(&[("go.mod", "module m")], &[]);
    }
}
