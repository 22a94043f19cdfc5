//! Finds the function of a benchmark if its name identifies one, otherwise the file of its target.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::BenchmarkId;
use toml::{Table, Value};

use crate::Project;
use crate::own_code::{OwnCode, files_below};

/// The code of a benchmark of a bench target. Benchmarks of other targets (`#[bench]` beside unit tests) are
/// not searched for.
pub(super) fn find(root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
    let (package, target) = benchmark.package.split_once('/')?;
    let is_manifest = |path: &Path| path.file_name().is_some_and(|name| name == "Cargo.toml");
    let manifests = files_below(&root.join(&project.dir), &is_manifest);
    let file = manifests.iter().find_map(|manifest| source_file(manifest, package, target))?;
    let text = fs::read_to_string(file).ok()?;
    // Criterion's names are chosen by the author. Those of the other libraries contain the names of the
    // functions.
    if !text.contains("#[bench]") && !text.contains("divan::bench") {
        return Some(OwnCode::File(text));
    }
    let parts: Vec<&str> = benchmark.name.split(['/', ':', ' ']).filter(|part| !part.is_empty()).collect();
    let is_function = |line: &str, name: &str| {
        let after = line
            .strip_prefix("pub ")
            .unwrap_or(line)
            .strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name));
        after.is_some_and(|rest| rest.starts_with(['(', '<']))
    };
    let named =
        parts.into_iter().rev().find(|part| text.lines().any(|line| is_function(line.trim_start(), part)));
    match named {
        Some(name) => {
            let begins = |line: &str| is_function(line, name);
            Some(OwnCode::in_braces(text.clone(), begins))
        }
        None => Some(OwnCode::File(text)),
    }
}

/// The file of a bench target, if the manifest is that of the package and has the target.
fn source_file(manifest: &Path, package: &str, target: &str) -> Option<PathBuf> {
    let table: Table = fs::read_to_string(manifest).ok()?.parse().ok()?;
    if table.get("package")?.get("name")?.as_str() != Some(package) {
        return None;
    }
    let dir = manifest.parent()?;
    let listed = table.get("bench").and_then(Value::as_array).into_iter().flatten();
    let own = listed.into_iter().find(|bench| bench.get("name").and_then(Value::as_str) == Some(target));
    let written = own.and_then(|bench| bench.get("path")).and_then(Value::as_str);
    let usual = [format!("benches/{target}.rs"), format!("benches/{target}/main.rs")];
    let candidates = written.map(str::to_owned).into_iter().chain(usual);
    candidates.map(|path| dir.join(path)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifest: &str, file: &str, text: &str, benchmark: (&str, &str), expected: Option<OwnCode>) {
        let root = tempfile::tempdir().unwrap();
        let member = root.path().join("crates/member");
        fs::create_dir_all(member.join(file).parent().unwrap()).unwrap();
        fs::write(root.path().join("Cargo.toml"), "[workspace]\nmembers = ['crates/*']\n").unwrap();
        fs::write(member.join("Cargo.toml"), manifest).unwrap();
        fs::write(member.join(file), text).unwrap();
        let project = Project { harness: "cargo".into(), dir: PathBuf::new() };
        let id = BenchmarkId::new("cargo", benchmark.0, benchmark.1);
        assert_eq!(find(root.path(), &project, &id), expected);
    }

    const PLAIN: &str = "[package]\nname = 'member'\n";

    #[test]
    fn criterion_has_the_file() {
        let text = "fn bench(c: &mut Criterion) {\n}\n";
        let file = Some(OwnCode::File(text.into()));
        check(PLAIN, "benches/words.rs", text, ("member/words", "bench/large"), file.clone());
        check(PLAIN, "benches/words/main.rs", text, ("member/words", "x"), file.clone());
        let manifest = "[package]\nname = 'member'\n[[bench]]\nname = 'words'\npath = 'perf/w.rs'\n";
        check(manifest, "perf/w.rs", text, ("member/words", "x"), file);
        check(PLAIN, "benches/words.rs", text, ("other/words", "x"), None);
        check(PLAIN, "benches/words.rs", text, ("member/letters", "x"), None);
    }

    #[test]
    fn divan_and_libtest_have_the_function() {
        let text = "#[divan::bench]\nfn sum() {\n    all()\n}\n\nmod sub {\n    #[divan::bench(args = [1])]\n    pub fn sum_of<T>(n: u32) {\n        some(n)\n    }\n}\n";
        let function = |text: &str| Some(OwnCode::Function(text.to_owned()));
        let sum = function("fn sum() {\n    all()\n}");
        check(PLAIN, "benches/words.rs", text, ("member/words", "words/sum"), sum);
        let inner = function("    pub fn sum_of<T>(n: u32) {\n        some(n)\n    }");
        check(PLAIN, "benches/words.rs", text, ("member/words", "words/sub/sum_of/1"), inner);
        let file = Some(OwnCode::File(text.into()));
        check(PLAIN, "benches/words.rs", text, ("member/words", "words/renamed"), file);
        let text = "#[bench]\nfn sum(b: &mut Bencher) { b.iter(all) }\n";
        let sum = function("fn sum(b: &mut Bencher) { b.iter(all) }");
        check(PLAIN, "benches/words.rs", text, ("member/words", "sum"), sum);
    }
}
