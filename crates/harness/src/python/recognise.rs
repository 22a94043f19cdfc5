//! Finds Python projects, and the files with benchmarks in them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::description::Flavour;
use super::harness::NAME;
use super::manifest;
use super::source;
use crate::Project;

/// How deep below the root files are searched for.
const DEPTH: usize = 12;
/// A larger file is generated, not written.
const LARGEST_FILE: u64 = 2 << 20;
/// Directories whose files do not belong to the project.
const FOREIGN: [&str; 13] = [
    "__pycache__",
    "__pypackages__",
    "_vendor",
    "build",
    "dist",
    "env",
    "node_modules",
    "site-packages",
    "target",
    "third_party",
    "vendor",
    "vendored",
    "venv",
];

/// A file with benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BenchmarkFile {
    /// Path from the directory where the search began.
    pub(super) path: PathBuf,
    /// The tool that runs them.
    pub(super) flavour: Flavour,
}

/// The projects at or below `root`, by path. Of the directories above a file with benchmarks, it is the
/// outermost one that is a package, or else the outermost one with any manifest. Projects that require
/// pytest-benchmark are included even if no test shows its use.
pub(super) fn projects(root: &Path) -> Vec<Project> {
    let tree = Tree::walk(root);
    let mut found: BTreeSet<PathBuf> = BTreeSet::new();
    for file in tree.benchmark_files() {
        found.extend(tree.owner(&file.path));
    }
    for dir in &tree.manifests {
        let is_covered = found.iter().any(|known| dir.starts_with(known) || known.starts_with(dir));
        if !is_covered && manifest::names_tool(&root.join(dir)) {
            found.insert(dir.clone());
        }
    }
    found.into_iter().map(|dir| Project { harness: NAME.into(), dir }).collect()
}

/// The files with benchmarks of the project in `dir`, a directory below `root`, by path. Files of nested
/// projects are not included.
pub(super) fn files(root: &Path, dir: &Path) -> Vec<BenchmarkFile> {
    let tree = Tree::walk(root);
    let mut files: Vec<BenchmarkFile> = tree
        .benchmark_files()
        .into_iter()
        .filter(|file| tree.owner(&file.path).as_deref() == Some(dir))
        .filter_map(|file| Some(BenchmarkFile { path: file.path.strip_prefix(dir).ok()?.into(), ..file }))
        .collect();
    files.sort();
    files
}

/// The relevant files below a directory. Paths are relative to it.
struct Tree<'a> {
    root: &'a Path,
    /// Directories with a manifest.
    manifests: Vec<PathBuf>,
    /// The directories that pip can install.
    packages: BTreeSet<PathBuf>,
    python_files: Vec<PathBuf>,
}

impl<'a> Tree<'a> {
    fn walk(root: &'a Path) -> Tree<'a> {
        let mut tree =
            Tree { root, manifests: Vec::new(), packages: BTreeSet::new(), python_files: Vec::new() };
        tree.visit(Path::new(""), 0);
        tree
    }

    fn visit(&mut self, dir: &Path, depth: usize) {
        let entries = fs::read_dir(self.root.join(dir)).into_iter().flatten().flatten();
        let (mut directories, mut files) = (Vec::new(), Vec::new());
        for entry in entries {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            if kind.is_dir() && !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                directories.push(name);
            } else if kind.is_file() {
                files.push(name);
            }
        }
        // A virtual environment of any name, or the metadata of an installed package.
        if files.iter().any(|name| name == "pyvenv.cfg" || name == "RECORD" && dir.ends_with("dist-info")) {
            return;
        }
        if files.iter().any(|name| manifest::is_manifest(name)) {
            self.manifests.push(dir.to_owned());
            if manifest::is_package(&self.root.join(dir)) {
                self.packages.insert(dir.to_owned());
            }
        }
        let python = files.iter().filter(|name| name.ends_with(".py"));
        self.python_files.extend(python.map(|name| dir.join(name)));
        directories.sort();
        for name in directories.iter().filter(|_| depth < DEPTH) {
            self.visit(&dir.join(name), depth + 1);
        }
    }

    fn owner(&self, file: &Path) -> Option<PathBuf> {
        let above: Vec<&Path> = file.ancestors().skip(1).collect();
        let outermost = |is_it: &dyn Fn(&Path) -> bool| {
            above.iter().rev().find(|dir| is_it(dir)).map(|dir| dir.to_path_buf())
        };
        outermost(&|dir| self.packages.contains(dir))
            .or_else(|| outermost(&|dir| self.manifests.iter().any(|known| known == dir)))
    }

    fn benchmark_files(&self) -> Vec<BenchmarkFile> {
        let mut fixtures = BTreeSet::from(["benchmark".to_owned()]);
        let mut found = Vec::new();
        for path in &self.python_files {
            let Some(text) =
                self.text(path).filter(|text| text.contains("benchmark") || text.contains("pyperf"))
            else {
                continue;
            };
            if source::is_pyperf_script(&text) {
                found.push(BenchmarkFile { path: path.clone(), flavour: Flavour::Pyperf });
            } else if source::has_test_with(&text, &fixtures) {
                found.push(BenchmarkFile { path: path.clone(), flavour: Flavour::PytestBenchmark });
            }
            if text.contains("fixture") {
                fixtures.extend(source::fixtures_on(&text, &fixtures.clone()));
            }
        }
        if fixtures.len() > 1 {
            self.add_tests_with(&fixtures, &mut found);
        }
        found
    }

    /// Adds the tests that use the fixture through another one.
    fn add_tests_with(&self, fixtures: &BTreeSet<String>, found: &mut Vec<BenchmarkFile>) {
        let known: BTreeSet<PathBuf> = found.iter().map(|file| file.path.clone()).collect();
        for path in self.python_files.iter().filter(|path| !known.contains(*path)) {
            if self.text(path).is_some_and(|text| source::has_test_with(&text, fixtures)) {
                found.push(BenchmarkFile { path: path.clone(), flavour: Flavour::PytestBenchmark });
            }
        }
    }

    fn text(&self, path: &Path) -> Option<String> {
        let path = self.root.join(path);
        let size = fs::metadata(&path).ok()?.len();
        let bytes = (size <= LARGEST_FILE).then(|| fs::read(&path).ok()).flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::tree;

    const TEST: &str = "def test_a(benchmark): pass\n";
    const SCRIPT: &str = "import pyperf\npyperf.Runner().timeit('1 + 1')\n";
    const PACKAGE: &str = "[build-system]\nrequires = []\n[project]\nname = 'a'\n";

    fn check(files: &[(&str, &str)], expected: &[(&str, &[&str])]) {
        let root = tree(files);
        let found = projects(root.path());
        let dirs: Vec<&str> = found.iter().filter_map(|project| project.dir.to_str()).collect();
        assert_eq!(dirs, expected.iter().map(|(dir, _)| *dir).collect::<Vec<_>>());
        for (dir, paths) in expected {
            let found = super::files(root.path(), Path::new(dir));
            let found: Vec<&str> = found.iter().filter_map(|file| file.path.to_str()).collect();
            assert_eq!(found, *paths, "{dir}");
        }
    }

    #[test]
    fn the_outermost_package_owns_its_benchmarks() {
        let files = [
            ("pyproject.toml", PACKAGE),
            ("tests/test_a.py", TEST),
            ("bench/requirements.txt", "pyperf\n"),
            ("bench/bench_a.py", SCRIPT),
            ("bench/other.py", "print('no benchmark')\n"),
        ];
        check(&files, &[("", &["bench/bench_a.py", "tests/test_a.py"])]);
    }

    #[test]
    fn packages_of_a_repository_that_is_none_are_projects_of_their_own() {
        let files = [
            ("pyproject.toml", "[tool.ruff]\n"),
            ("one/pyproject.toml", PACKAGE),
            ("one/test_a.py", TEST),
            ("two/setup.py", "from setuptools import setup\nsetup()\n"),
            ("two/tests/test_b.py", TEST),
            ("scripts/bench.py", SCRIPT),
            ("three/pyproject.toml", PACKAGE),
        ];
        check(&files, &[("", &["scripts/bench.py"]), ("one", &["test_a.py"]), ("two", &["tests/test_b.py"])]);
    }

    #[test]
    fn foreign_directories_and_files_without_a_manifest_are_none() {
        let files = [
            ("loose/test_a.py", TEST),
            ("a/requirements.txt", "pytest\n"),
            ("a/.venv/lib/test_a.py", TEST),
            ("a/my-environment/pyvenv.cfg", ""),
            ("a/my-environment/lib/test_a.py", TEST),
            ("a/node_modules/x/bench.py", SCRIPT),
            ("a/lib/site-packages/pytest_benchmark/test_a.py", TEST),
        ];
        check(&files, &[]);
    }

    #[test]
    fn tests_that_reach_the_fixture_through_another_are_found() {
        let files = [
            ("setup.cfg", "[metadata]\nname = a\n"),
            ("setup.py", ""),
            ("tests/conftest.py", "@pytest.fixture\ndef timed(benchmark):\n    return benchmark\n"),
            ("tests/test_a.py", "def test_a(timed): ...\n"),
            ("tests/test_b.py", "def test_b(tmp_path): ...\n"),
        ];
        check(&files, &[("", &["tests/test_a.py"])]);
    }

    #[test]
    fn a_project_that_names_the_tool_is_one_even_without_a_visible_test() {
        check(&[("requirements-dev.txt", "pytest\npytest_benchmark[histogram]>=4  # speed\n")], &[("", &[])]);
        check(&[("requirements-dev.txt", "pytest\npytest-benchmarking\n")], &[]);
        check(&[("tox.ini", "[testenv]\ndeps =\n    pytest-benchmark\n")], &[("", &[])]);
    }
}
