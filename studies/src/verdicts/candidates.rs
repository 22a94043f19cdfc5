//! Finds the functions of a project that its benchmarks measure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::build_constraint::is_built;
use super::go_source::{Call, Function, blanked, calls, functions, package};
use super::product::Listed;

/// A function that a benchmark calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target {
    /// The benchmark's package, as the product names it.
    pub(crate) package: String,
    pub(crate) benchmark: String,
    /// The directory of the benchmark, relative to the repository. Empty for its root.
    pub(crate) dir: String,
    /// The function's file, relative to the repository.
    pub(crate) file: String,
    /// The function's name, as `Type.name` or `name`.
    pub(crate) function: String,
}

/// The Go files of a project, read once.
#[derive(Debug, Default)]
pub(crate) struct Project {
    dirs: BTreeMap<String, Vec<GoFile>>,
}

#[derive(Debug)]
struct GoFile {
    name: String,
    package: String,
    code: String,
    functions: Vec<Function>,
}

impl GoFile {
    fn new(name: String, source: &str) -> GoFile {
        let code = blanked(source);
        let package = package(&code).unwrap_or_default().to_string();
        GoFile { name, package, functions: functions(&code), code }
    }

    fn is_test(&self) -> bool {
        self.name.ends_with("_test.go")
    }

    fn body(&self, name: &str) -> Option<&str> {
        let function =
            self.functions.iter().find(|function| function.name == name && function.receiver.is_none())?;
        Some(&self.code[function.start..function.end])
    }
}

/// Maximum depth of calls from one test helper to another.
const DEPTH: usize = 2;

/// Maximum number of functions for one benchmark.
const PER_BENCHMARK: usize = 2;

impl Project {
    /// Reads the Go files below `root` that are in one of `dirs`, or all files if `dirs` is empty.
    pub(crate) fn read(root: &Path, dirs: &[&str]) -> Result<Project> {
        let mut project = Project::default();
        let wanted: Vec<&str> = dirs.iter().map(|dir| dir.trim_start_matches("./")).collect();
        let mut waiting =
            if wanted.is_empty() { vec![PathBuf::new()] } else { wanted.iter().map(PathBuf::from).collect() };
        while let Some(dir) = waiting.pop() {
            for entry in fs::read_dir(root.join(&dir)).with_context(|| format!("read `{}`", dir.display()))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_hidden = name.starts_with(['.', '_']) || name == "testdata" || name == "vendor";
                if entry.file_type()?.is_dir() && !is_hidden && wanted.is_empty() {
                    waiting.push(dir.join(&name));
                } else if name.ends_with(".go") && !is_hidden {
                    let source = fs::read_to_string(entry.path()).unwrap_or_default();
                    if is_built(&name, &source) {
                        project.add(&dir.to_string_lossy(), name, &source);
                    }
                }
            }
        }
        Ok(project)
    }

    fn add(&mut self, dir: &str, name: String, source: &str) {
        self.dirs.entry(dir.to_string()).or_default().push(GoFile::new(name, source));
    }

    /// The functions that the benchmarks call. Each top-level function `Benchmark…` counts as one benchmark,
    /// with some functions.
    pub(crate) fn targets(&self, benchmarks: &[Listed]) -> Vec<Target> {
        let mut by_function: BTreeMap<(&str, &str), Vec<&Listed>> = BTreeMap::new();
        for benchmark in benchmarks {
            let top = benchmark.name.split('/').next().unwrap_or_default();
            by_function.entry((&benchmark.package, top)).or_default().push(benchmark);
        }
        let mut targets = Vec::new();
        for ((package, top), variants) in by_function {
            let Some((dir, calls)) = self.calls_of(package, top) else { continue };
            // This is usually neither the smallest nor the largest case.
            let benchmark = variants[variants.len() / 2];
            let found = calls.iter().flat_map(|call| self.resolve(&dir, call));
            targets.extend(found.take(PER_BENCHMARK).map(|(file, function)| Target {
                package: package.into(),
                benchmark: benchmark.name.clone(),
                dir: dir.clone(),
                file,
                function: function.label(),
            }));
        }
        targets
    }

    /// The directory of a benchmark, and the calls that it makes directly or through helpers in its package's
    /// tests.
    fn calls_of(&self, package: &str, benchmark: &str) -> Option<(String, Vec<Call>)> {
        let is_dir = |dir: &&String| {
            dir.is_empty() || package == dir.as_str() || package.ends_with(&format!("/{dir}"))
        };
        let has_benchmark = |dir: &&String| self.test_body(dir, benchmark).is_some();
        // The longest matching directory is used, because the root matches every package.
        let dir = self.dirs.keys().filter(is_dir).filter(has_benchmark).max_by_key(|dir| dir.len())?;
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        self.follow(dir, benchmark, DEPTH, &mut seen, &mut found);
        Some((dir.clone(), found))
    }

    fn follow(
        &self,
        dir: &str,
        function: &str,
        depth: usize,
        seen: &mut BTreeSet<String>,
        found: &mut Vec<Call>,
    ) {
        if !seen.insert(function.to_string()) {
            return;
        }
        let Some(body) = self.test_body(dir, function) else { return };
        for call in calls(body) {
            if call.qualifier.is_none() && depth > 0 && self.test_body(dir, &call.name).is_some() {
                self.follow(dir, &call.name, depth - 1, seen, found);
            } else if !found.contains(&call) {
                found.push(call);
            }
        }
    }

    fn test_body(&self, dir: &str, function: &str) -> Option<&str> {
        self.dirs.get(dir)?.iter().filter(|file| file.is_test()).find_map(|file| file.body(function))
    }

    /// The files and functions that a call may refer to. They are in the package that the qualifier names, or
    /// in the benchmark's own package. The type of a method is not determined, because a wrong method causes
    /// no slowdown.
    fn resolve(&self, dir: &str, call: &Call) -> Vec<(String, &Function)> {
        let is_called = |files: &[GoFile]| {
            files.iter().any(|file| !file.is_test() && Some(&file.package) == call.qualifier.as_ref())
        };
        let packages = self.dirs.iter().filter(|(_, files)| is_called(files));
        let named: Vec<_> = packages.flat_map(|(dir, files)| find(dir, files, &call.name, false)).collect();
        if !named.is_empty() {
            return named;
        }
        self.dirs
            .get(dir)
            .map(|files| find(dir, files, &call.name, call.qualifier.is_some()))
            .unwrap_or_default()
    }
}

/// The functions or methods with this name in a package's own code.
fn find<'a>(dir: &str, files: &'a [GoFile], name: &str, is_method: bool) -> Vec<(String, &'a Function)> {
    let own = files.iter().filter(|file| !file.is_test());
    let all = own.flat_map(|file| file.functions.iter().map(move |function| (file, function)));
    all.filter(|(_, function)| function.name == name && function.receiver.is_some() == is_method)
        .map(|(file, function)| {
            let path = if dir.is_empty() { file.name.clone() } else { format!("{dir}/{}", file.name) };
            (path, function)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> Project {
        let mut project = Project::default();
        project.add("", "tree.go".into(), "package tree\n\nfunc New() *Tree { return nil }\n\nfunc (t *Tree) Insert(i int) {\n}\n\nfunc (t *Tree) Len() int { return 0 }\n\nfunc (l list) Len() int { return 0 }\n");
        project.add("vm", "vm.go".into(), "package vm\n\nfunc Run(p int) {\n}\n");
        project.add(
            "",
            "tree_test.go".into(),
            "package tree\n\nfunc BenchmarkInsert(b *testing.B) {\n\tt := New()\n\tfor i := 0; i < b.N; i++ {\n\t\tt.Insert(i)\n\t\tt.Len()\n\t}\n}\n\nfunc BenchmarkHelped(b *testing.B) { help(b) }\n\nfunc help(b *testing.B) {\n\tfor range b.N {\n\t\tvm.Run(1)\n\t}\n}\n\nfunc BenchmarkOther(b *testing.B) { strings.Repeat() }\n",
        );
        project
    }

    fn check(benchmarks: &[&str], expected: &[(&str, &str, &str)]) {
        let listed = |name: &&str| Listed { package: "example.org/tree".into(), name: name.to_string() };
        let targets = project().targets(&benchmarks.iter().map(listed).collect::<Vec<_>>());
        let found: Vec<(&str, &str, &str)> =
            targets.iter().map(|t| (t.benchmark.as_str(), t.file.as_str(), t.function.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn functions_that_benchmarks_call_are_found() {
        check(
            &["BenchmarkInsert"],
            &[("BenchmarkInsert", "tree.go", "Tree.Insert"), ("BenchmarkInsert", "tree.go", "Tree.Len")],
        );
    }

    #[test]
    fn helpers_are_followed_and_qualifiers_are_packages() {
        check(&["BenchmarkHelped"], &[("BenchmarkHelped", "vm/vm.go", "Run")]);
        check(&["BenchmarkOther", "BenchmarkMissing"], &[]);
    }

    #[test]
    fn of_many_variants_the_middle_one_is_taken() {
        let all = ["BenchmarkHelped/a", "BenchmarkHelped/b", "BenchmarkHelped/c"];
        check(&all, &[("BenchmarkHelped/b", "vm/vm.go", "Run")]);
    }
}
