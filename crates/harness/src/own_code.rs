//! Finds the part of a benchmark's code that no other benchmark shares, by simple means.
//!
//! An executable changes with every change anywhere, so its digest is of no use for a single benchmark. The
//! benchmark's own code is in a function, or at least in a file. Comparing this shows whether the benchmark
//! changed.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The text in which a benchmark's own code was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCode {
    /// The function that is the benchmark.
    Function(String),
    /// The whole file, because the function was not found.
    File(String),
    /// Its definition in the configuration.
    Definition(String),
}

impl OwnCode {
    /// A short text that changes with the code. White space at the ends of lines does not matter.
    pub fn fingerprint(&self) -> String {
        let (kind, text) = match self {
            OwnCode::Function(text) => ("function", text),
            OwnCode::File(text) => ("file", text),
            OwnCode::Definition(text) => ("definition", text),
        };
        let mut hasher = Sha256::new();
        for line in text.lines() {
            hasher.update(line.trim_end().as_bytes());
            hasher.update(b"\n");
        }
        format!("{kind}:{}", hex::encode(&hasher.finalize()[..8]))
    }

    /// The function that begins at the first line for which `begins` holds, or else the whole text.
    pub(crate) fn in_braces(text: String, begins: impl Fn(&str) -> bool) -> OwnCode {
        match block_in_braces(&text, begins) {
            Some(function) => OwnCode::Function(function),
            None => OwnCode::File(text),
        }
    }

    /// The same for code in which indentation marks the end of a function.
    pub(crate) fn indented(text: String, begins: impl Fn(&str) -> bool) -> OwnCode {
        match indented_block(&text, begins) {
            Some(function) => OwnCode::Function(function),
            None => OwnCode::File(text),
        }
    }
}

/// From the first line to the closing brace with the same indentation, as in formatted code.
pub(crate) fn block_in_braces(text: &str, begins: impl Fn(&str) -> bool) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !begins(line.trim_start()));
    let first = lines.next()?;
    let count = |brace: char| first.matches(brace).count();
    if count('{') > 0 && count('{') == count('}') {
        return Some(first.to_owned());
    }
    let mut block = vec![first];
    for line in lines {
        block.push(line);
        if margin(line) == margin(first) && line.trim_start().starts_with('}') {
            return Some(block.join("\n"));
        }
    }
    None
}

/// From the first line to the last one with more indentation.
fn indented_block(text: &str, begins: impl Fn(&str) -> bool) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !begins(line.trim_start()));
    let first = lines.next()?;
    let is_inside = |line: &&str| {
        line.trim().is_empty()
            || margin(line).len() > margin(first).len()
            || line.trim_start().starts_with(')')
    };
    let mut block = vec![first];
    block.extend(lines.take_while(is_inside));
    while block.last().is_some_and(|line| line.trim().is_empty()) {
        block.pop();
    }
    Some(block.join("\n"))
}

fn margin(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The files below `directory` for which `is_wanted` holds, sorted. Hidden directories and those of builds
/// and packages are not searched, and links are not followed.
pub(crate) fn files_below(directory: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_passed_over(&name) => waiting.push(path),
                Ok(kind) if kind.is_file() && is_wanted(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "target" | "node_modules" | "vendor" | "build" | "out")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GO: &str = "package p\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tsum()\n\t}\n}\n\n\
                      func BenchmarkSumAll(b *testing.B) { all(b) }\n";

    #[test]
    fn a_function_ends_at_the_brace_below_its_beginning() {
        let check = |begin: &str, expected: Option<&str>| {
            assert_eq!(block_in_braces(GO, |line| line.starts_with(begin)).as_deref(), expected);
        };
        check(
            "func BenchmarkSum(",
            Some("func BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tsum()\n\t}\n}"),
        );
        check("func BenchmarkSumAll(", Some("func BenchmarkSumAll(b *testing.B) { all(b) }"));
        check("func BenchmarkMissing(", None);
        let inner =
            "mod a {\n    fn x(\n        b: &mut B,\n    ) {\n        y();\n    }\n    fn z() {}\n}\n";
        let found = block_in_braces(inner, |line| line.starts_with("fn x("));
        assert_eq!(found.as_deref(), Some("    fn x(\n        b: &mut B,\n    ) {\n        y();\n    }"));
    }

    #[test]
    fn indentation_ends_a_function() {
        let text = "class A:\n    def test_a(self):\n        x()\n\n        y()\n\n    def test_b(self):\n        z()\n";
        let code = OwnCode::indented(text.into(), |line| line.starts_with("def test_a("));
        assert_eq!(code, OwnCode::Function("    def test_a(self):\n        x()\n\n        y()".into()));
    }

    #[test]
    fn every_harness_finds_what_it_can() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join("project").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("tests/test_sum.py", "def test_sum(benchmark):\n    benchmark(sum, [1])\n\nX = 1\n");
        write("bench/sum.mjs", "bench.add('sum', () => 1);\n");
        write("src/jmh/java/org/acme/Sum.java", "class Sum {}\n");
        write("target/jmh/java/org/acme/Sum.java", "class Generated {}\n");
        let definitions = crate::Definitions {
            commands: vec![crate::CommandDefinition {
                parameters: vec![crate::Parameter { name: "n".into(), values: vec!["1".into(), "2".into()] }],
                ..crate::CommandDefinition::new("sum", "sum {n}")
            }],
            ..crate::Definitions::default()
        };
        let harnesses = crate::configured(&definitions);
        let find = |harness: &str, package: &str, name: &str| {
            let project = crate::Project { harness: harness.into(), dir: "project".into() };
            let id = benchwright_model::BenchmarkId::new(harness, package, name);
            let harness = harnesses.iter().find(|known| known.name() == harness).unwrap();
            harness.own_code(root.path(), &project, &id)
        };
        let function = OwnCode::Function("def test_sum(benchmark):\n    benchmark(sum, [1])".into());
        assert_eq!(find("python", "project/tests/test_sum.py", "test_sum[3]"), Some(function));
        assert_eq!(find("python", "project/tests/missing.py", "test_sum"), None);
        let file = |text: &str| Some(OwnCode::File(text.to_owned()));
        assert_eq!(
            find("javascript", "@acme/sums/bench/sum.mjs", "sum"),
            file("bench.add('sum', () => 1);\n")
        );
        assert_eq!(find("javascript", "sums/bench/other.mjs", "sum"), None);
        assert_eq!(find("jmh", "org.acme", "Sum.run/n=1"), file("class Sum {}\n"));
        assert_eq!(find("jmh", "org.other", "Sum.run"), None);
        let definition = find("command", "command", "sum(n=2)");
        assert!(matches!(&definition, Some(OwnCode::Definition(text)) if text.contains("sum {n}")));
        assert_eq!(definition, find("command", "command", "sum(n=1)"));
        assert_eq!(find("command", "command", "sum(n=3)"), None);
        assert_eq!(find("googlebench", "project/sum_bench", "BM_Sum"), None);
    }

    #[test]
    fn the_fingerprint_changes_with_the_code_and_not_with_line_ends() {
        let of = |text: &str| OwnCode::Function(text.into()).fingerprint();
        assert_eq!(of("a {\n  b\n}"), of("a {  \r\n  b\r\n}\n"));
        assert_ne!(of("a {\n  b\n}"), of("a {\n  c\n}"));
        assert_ne!(of("a"), OwnCode::File("a".into()).fingerprint());
        // sha256sum of "a" and a line end, coreutils 9.1.
        assert_eq!(of("a"), "function:87428fc522803d31");
    }
}
