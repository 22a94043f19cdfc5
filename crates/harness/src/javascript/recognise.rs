//! Finds packages and workspaces with benchmarks.

use std::path::{Path, PathBuf};

use super::harness::NAME;
use super::package::Package;
use super::{scripts, workspace};
use crate::Project;

/// How deep below the root manifests are searched for.
const DEPTH: usize = 8;

/// The projects at or below `root`, by path. A package inside another one is a separate project unless it
/// belongs to the other's workspace.
pub(super) fn projects(root: &Path) -> Vec<Project> {
    let mut found = Vec::new();
    visit(root, PathBuf::new(), &[], 0, &mut found);
    found.sort();
    found.into_iter().map(|dir| Project { harness: NAME.into(), dir }).collect()
}

/// Visits `dir`, relative to the root. `members` belong to workspaces around it.
fn visit(root: &Path, dir: PathBuf, members: &[PathBuf], depth: usize, found: &mut Vec<PathBuf>) {
    let mut members = members.to_vec();
    let is_member = members.contains(&dir);
    if let Some(package) = Package::read(&root.join(&dir)) {
        let own = workspace::members(&root.join(&dir), &package);
        members.extend(own.into_iter().map(|member| dir.join(member)));
        if !is_member && scripts::may_have_benchmarks(&root.join(&dir)) {
            found.push(dir.clone());
        }
    }
    if depth < DEPTH {
        for name in workspace::directories(&root.join(&dir)) {
            visit(root, dir.join(name), &members, depth + 1, found);
        }
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

    const TINY: &str = r#"{"devDependencies": {"tinybench": "^2"}}"#;

    #[test]
    fn packages_with_a_library_and_files_for_it_are_projects() {
        check(&[("package.json", TINY), ("bench/a.js", "")], &[""]);
        check(&[("package.json", TINY), ("src/a.js", "")], &[]);
        check(&[("package.json", "{}"), ("bench/a.js", "")], &[]);
        check(&[("package.json", "{\"name\""), ("bench/a.js", "")], &[]);
        check(&[("go.mod", "module m")], &[]);
    }

    #[test]
    fn packages_inside_others_are_projects_of_their_own_and_members_are_not() {
        check(
            &[
                ("package.json", r#"{"workspaces": ["packages/*"]}"#),
                ("packages/a/package.json", TINY),
                ("packages/a/bench.js", ""),
                ("benchmarks/package.json", TINY),
                ("benchmarks/b.js", ""),
                ("node_modules/x/package.json", TINY),
                ("node_modules/x/bench.js", ""),
                ("vendor/x/package.json", TINY),
                ("vendor/x/bench.js", ""),
            ],
            &["", "benchmarks"],
        );
    }

    #[test]
    fn vitest_counts_where_it_has_benchmark_files() {
        let vitest = r#"{"devDependencies": {"vitest": "^3"}}"#;
        check(&[("package.json", vitest), ("src/a.bench.ts", "")], &[""]);
        check(&[("package.json", vitest), ("src/a.test.ts", "")], &[]);
    }
}
