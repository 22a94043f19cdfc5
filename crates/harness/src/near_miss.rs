//! Files that look like benchmarks but do not count, with the reason.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that looks like benchmarks but does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearMiss {
    /// The harness that would measure them.
    pub harness: &'static str,
    /// The file or directory, relative to the version's root.
    pub path: PathBuf,
    /// Why it does not count. This is read after the path.
    pub why: &'static str,
    /// How many other files do not count for the same reason.
    pub more: usize,
}

impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path.display(), self.why)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " (and {more} more like it)"),
        }
    }
}

/// How deep directories are searched, and the maximum number of entries.
const DEPTH: usize = 6;
const ENTRIES: usize = 20_000;

/// Searches the files below `root`. There is one finding per harness and reason, in that order. Only use this
/// for a version without benchmarks: it does not decide what is recognised.
pub fn near_misses(root: &Path) -> Vec<NearMiss> {
    let files = files(root);
    let mut reasons: BTreeMap<(&'static str, &'static str), Vec<PathBuf>> = BTreeMap::new();
    for file in &files {
        if let Some((harness, why)) = miss(root, file, &files) {
            reasons.entry((harness, why)).or_default().push(file.clone());
        }
    }
    let first = |((harness, why), paths): ((&'static str, &'static str), Vec<PathBuf>)| {
        let more = paths.len() - 1;
        paths.into_iter().next().map(|path| NearMiss { harness, path, why, more })
    };
    reasons.into_iter().filter_map(first).collect()
}

/// Why this file does not contain benchmarks that can be measured. `None` if it may contain some, or if it is
/// not relevant.
fn miss(root: &Path, file: &Path, files: &[PathBuf]) -> Option<(&'static str, &'static str)> {
    let text = || fs::read_to_string(root.join(file)).unwrap_or_default();
    let mentions = |words: &[&str]| {
        let text = text();
        words.iter().any(|word| text.contains(word))
    };
    let beside = file.parent().unwrap_or(Path::new(""));
    match file.file_name()?.to_str()? {
        "build.gradle" | "build.gradle.kts" if !mentions(&["jmh"]) => {
            Some(("jmh", "does not apply the Gradle plugin of JMH (`me.champeau.jmh`)"))
        }
        "build.gradle" | "build.gradle.kts" => {
            let has_wrapper = beside.ancestors().any(|dir| root.join(dir).join("gradlew").is_file());
            (!has_wrapper).then_some((
                "jmh",
                "uses JMH, but there is no Gradle wrapper: `gradle wrapper` adds `gradlew`",
            ))
        }
        "pom.xml" => (!mentions(&["jmh"])).then_some(("jmh", "has no dependency on JMH (`jmh-core`)")),
        "go.mod" => {
            let has_any = files
                .iter()
                .filter(|other| other.starts_with(beside))
                .any(|other| has_go_benchmark(root, other));
            (!has_any).then_some(("go", "has no `func Benchmark...` in a `_test.go` file"))
        }
        "Cargo.toml" => cargo(root, beside, &text(), files),
        "package.json" => (!mentions(&["tinybench", "vitest", "\"benchmark\""]))
            .then_some(("javascript", "depends on none of Benchmark.js, tinybench and vitest")),
        "CMakeLists.txt" => {
            (!mentions(&["benchmark::benchmark"])).then_some(("googlebench", "does not use Google Benchmark"))
        }
        "pyproject.toml" | "requirements.txt" | "setup.py" | "setup.cfg" => {
            (!mentions(&["pytest-benchmark", "pyperf"]))
                .then_some(("python", "names neither pytest-benchmark nor pyperf"))
        }
        _ => None,
    }
}

fn has_go_benchmark(root: &Path, file: &Path) -> bool {
    let is_test = file.to_str().is_some_and(|name| name.ends_with("_test.go"));
    is_test && fs::read_to_string(root.join(file)).is_ok_and(|text| text.contains("func Benchmark"))
}

/// The same for a Cargo manifest in the directory `dir`.
fn cargo(root: &Path, dir: &Path, manifest: &str, files: &[PathBuf]) -> Option<(&'static str, &'static str)> {
    let benches = dir.join("benches");
    let mut programs = files
        .iter()
        .filter(|file| file.starts_with(&benches) && file.extension().is_some_and(|ending| ending == "rs"))
        .peekable();
    if programs.peek().is_none() && !manifest.contains("[[bench]]") {
        // In a workspace, the members have the benchmarks.
        return manifest
            .contains("[package]")
            .then_some(("cargo", "has neither a `benches/` directory nor a `[[bench]]`"));
    }
    let has_library = ["criterion", "divan", "bencher"].iter().any(|name| manifest.contains(name));
    let mut has_libtest = || {
        programs.any(|file| fs::read_to_string(root.join(file)).is_ok_and(|text| text.contains("#[bench]")))
    };
    (!has_library && !has_libtest()).then_some((
        "cargo",
        "has benches that use none of Criterion, divan, bencher and `#[bench]`: their output is not known",
    ))
}

/// Files by path, without those that tools install or build.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    let mut seen = 0;
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(root.join(&dir)).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                found.sort();
                return found;
            }
            let name = entry.file_name();
            let foreign = ["node_modules", "target", "vendor", "build", "third_party", "testdata"];
            let is_foreign =
                name.to_str().is_none_or(|name| name.starts_with('.') || foreign.contains(&name));
            let path = dir.join(&name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_foreign && path.components().count() <= DEPTH => {
                    waiting.push(path)
                }
                Ok(kind) if kind.is_file() => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[(&str, &str)], expected: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in content {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found: Vec<String> = near_misses(dir.path()).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{content:?}");
    }

    #[test]
    fn gradle_needs_the_plugin_and_the_wrapper() {
        let plugin = "plugins { id 'me.champeau.jmh' version '0.7.2' }";
        check(
            &[("build.gradle", "")],
            &["`build.gradle` does not apply the Gradle plugin of JMH (`me.champeau.jmh`)"],
        );
        check(
            &[("a/build.gradle.kts", plugin)],
            &[
                "`a/build.gradle.kts` uses JMH, but there is no Gradle wrapper: `gradle wrapper` adds `gradlew`",
            ],
        );
        check(&[("a/build.gradle.kts", plugin), ("gradlew", "")], &[]);
    }

    #[test]
    fn cargo_needs_benches_of_a_known_library() {
        let package = "[package]\nname = \"x\"\n";
        let known = format!("{package}[dev-dependencies]\ncriterion = \"0.5\"\n");
        let unknown = "`Cargo.toml` has benches that use none of Criterion, divan, bencher and `#[bench]`: their output is not known";
        check(
            &[("Cargo.toml", package)],
            &["`Cargo.toml` has neither a `benches/` directory nor a `[[bench]]`"],
        );
        check(&[("Cargo.toml", package), ("benches/a.rs", "fn main() {}")], &[unknown]);
        check(&[("Cargo.toml", package), ("benches/a.rs", "#[bench] fn a() {}")], &[]);
        check(&[("Cargo.toml", &known), ("benches/a.rs", "fn main() {}")], &[]);
        check(&[("Cargo.toml", "[workspace]\n")], &[]);
    }

    #[test]
    fn other_tools_are_told_too_and_the_same_reason_once() {
        check(
            &[("go.mod", "module x"), ("x_test.go", "package x")],
            &["`go.mod` has no `func Benchmark...` in a `_test.go` file"],
        );
        check(&[("go.mod", "module x"), ("a/x_test.go", "func BenchmarkX(b *testing.B) {}")], &[]);
        check(
            &[("package.json", "{}"), ("node_modules/y/package.json", "{}")],
            &["`package.json` depends on none of Benchmark.js, tinybench and vitest"],
        );
        check(
            &[("a/pom.xml", ""), ("b/pom.xml", ""), ("pom.xml", "")],
            &["`a/pom.xml` has no dependency on JMH (`jmh-core`) (and 2 more like it)"],
        );
        check(
            &[("setup.py", ""), ("CMakeLists.txt", "")],
            &[
                "`CMakeLists.txt` does not use Google Benchmark",
                "`setup.py` names neither pytest-benchmark nor pyperf",
            ],
        );
        check(&[("README.md", "")], &[]);
    }
}
