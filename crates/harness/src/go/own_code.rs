//! Finds the function of a benchmark.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_model::BenchmarkId;

use crate::Project;
use crate::own_code::{OwnCode, block_in_braces};

/// The function in one of the package's test files.
pub(super) fn find(root: &Path, project: &Project, benchmark: &BenchmarkId) -> Option<OwnCode> {
    let module = root.join(&project.dir);
    let dir = package_dir(&module, &benchmark.package)?;
    let mut files: Vec<PathBuf> = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with("_test.go"));
    files.sort();
    let top = benchmark.name.split('/').next().unwrap_or_default();
    // With several processor counts, the name ends with one of them.
    let bare = top.rsplit_once('-').filter(|(_, count)| count.bytes().all(|c| c.is_ascii_digit()));
    let names = [Some(top), bare.map(|(name, _)| name)];
    names
        .into_iter()
        .flatten()
        .find_map(|name| {
            let beginning = format!("func {name}(");
            let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
            texts.filter_map(|text| block_in_braces(&text, |line| line.starts_with(&beginning))).next()
        })
        .map(OwnCode::Function)
}

/// The directory of the package with this import path, if it belongs to the module.
fn package_dir(module: &Path, package: &str) -> Option<PathBuf> {
    let text = fs::read_to_string(module.join("go.mod")).ok()?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let own = line.split("//").next().unwrap_or_default().trim().trim_matches(['"', '`']);
    let below = package.strip_prefix(own)?;
    match below.strip_prefix('/') {
        Some(below) => Some(module.join(below)),
        None => below.is_empty().then(|| module.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "package sum\n\nfunc BenchmarkSum(b *testing.B) {\n\tsum(b)\n}\n\nfunc BenchmarkSums(b *testing.B) {\n\tb.Run(\"x\", f)\n}\n";

    fn check(package: &str, name: &str, expected: Option<&str>) {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("lib/inner");
        fs::create_dir_all(&inner).unwrap();
        fs::write(root.path().join("lib/go.mod"), "module example.com/lib // a comment\n\ngo 1.24\n")
            .unwrap();
        fs::write(inner.join("sum_test.go"), TEST).unwrap();
        fs::write(inner.join("sum.go"), "package sum\n\nfunc BenchmarkOther() {\n}\n").unwrap();
        let project = Project { harness: "go".into(), dir: "lib".into() };
        let found = find(root.path(), &project, &BenchmarkId::new("go", package, name));
        assert_eq!(found, expected.map(|text| OwnCode::Function(text.to_owned())), "{package} {name}");
    }

    #[test]
    fn the_function_is_found_for_benchmarks_sub_benchmarks_and_processor_counts() {
        let sum = "func BenchmarkSum(b *testing.B) {\n\tsum(b)\n}";
        check("example.com/lib/inner", "BenchmarkSum", Some(sum));
        check("example.com/lib/inner", "BenchmarkSum-4", Some(sum));
        let sums = "func BenchmarkSums(b *testing.B) {\n\tb.Run(\"x\", f)\n}";
        check("example.com/lib/inner", "BenchmarkSums/x-y", Some(sums));
        check("example.com/lib/inner", "BenchmarkOther", None);
        check("example.com/lib", "BenchmarkSum", None);
        check("example.com/library/inner", "BenchmarkSum", None);
    }
}
