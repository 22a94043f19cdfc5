//! Makes versions in which code is only moved.
//!
//! A version has additional code that is linked but never runs, so that the code after it moves. In every
//! second version the files of Go packages are also renamed, so that the compiler processes them in another
//! order.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::go_source::{blanked, package};
use super::prepare::ORIGINAL;
use crate::command::git;
use crate::command::run;

/// The file that is added to Go packages. Its name is sorted before most others.
const ADDED: &str = "aaa_benchwright_moved.go";

/// Commits the variant with this number and returns the name of the commit.
pub(crate) fn commit(repository: &Path, variant: u32) -> Result<String> {
    let tag = format!("moved-{variant}");
    let is_there = git(repository).args(["rev-parse", "--quiet", "--verify", &tag]).output();
    if is_there.context("start `git rev-parse`")?.status.success() {
        return Ok(tag);
    }
    run(git(repository).args(["checkout", "--quiet", "--force", ORIGINAL]))?;
    let mut changed = 0;
    for dir in directories(repository)? {
        changed += u32::from(move_go(&dir, variant)? || move_rust(&dir, variant)?);
    }
    if changed == 0 {
        bail!("find code that can be moved in `{}`", repository.display());
    }
    run(git(repository).args(["add", "--all", "--force", "--", ".", ":!.benchwright"]))?;
    run(git(repository).args(["commit", "--quiet", "--message", &tag]))?;
    run(git(repository).args(["tag", &tag]))?;
    run(git(repository).args(["checkout", "--quiet", "--force", ORIGINAL]))?;
    Ok(tag)
}

/// All directories that may contain code.
fn directories(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![root.to_path_buf()];
    let mut next = 0;
    while let Some(dir) = found.get(next).cloned() {
        next += 1;
        for entry in fs::read_dir(&dir).with_context(|| format!("read `{}`", dir.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_left_out = name.starts_with(['.', '_']) || name == "testdata" || name == "target";
            if entry.file_type()?.is_dir() && !is_left_out {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

/// Names of the files in a directory with this ending, sorted.
fn files(dir: &Path, ending: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(dir).with_context(|| format!("read `{}`", dir.display()))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    Ok(names)
}

/// Moves the code of a Go package that contains benchmarks.
fn move_go(dir: &Path, variant: u32) -> Result<bool> {
    let all = files(dir, ".go")?;
    let (tests, sources): (Vec<&String>, Vec<&String>) = all.iter().partition(|it| it.ends_with("_test.go"));
    let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
    let has_benchmarks = tests.iter().any(|name| text(name).contains("func Benchmark"));
    let name = sources.iter().find_map(|name| package(&blanked(&text(name))).map(str::to_owned));
    let Some(name) = name.filter(|name| has_benchmarks && name != "main") else { return Ok(false) };
    fs::write(dir.join(ADDED), go_file(&name, variant)).context("write the added file")?;
    if variant % 2 == 1 {
        for (place, source) in sources.iter().rev().enumerate() {
            let renamed = format!("m{place:03}_{source}");
            fs::rename(dir.join(source), dir.join(renamed)).context("rename a file")?;
        }
    }
    Ok(true)
}

/// Code whose size differs for each variant. The variable that enables it is always false.
fn go_file(package: &str, variant: u32) -> String {
    let mut text =
        format!("package {package}\n\n// BenchwrightMoved is never true.\nvar BenchwrightMoved bool\n");
    let count = count(variant);
    for function in 0..count {
        text.push_str(&format!("\n//go:noinline\nfunc benchwrightMoved{function}(x uint64) uint64 {{\n"));
        for line in 0..lines(variant, function) {
            text.push_str(&format!(
                "\tx = (x ^ x>>{}) * {}\n",
                7 + line % 23,
                factor(variant, function, line)
            ));
        }
        text.push_str("\treturn x\n}\n");
    }
    text.push_str("\nfunc init() {\n\tif BenchwrightMoved {\n\t\tx := uint64(1)\n");
    (0..count).for_each(|function| text.push_str(&format!("\t\tx = benchwrightMoved{function}(x)\n")));
    text.push_str("\t\tprintln(x)\n\t}\n}\n");
    text
}

/// Moves the code that a crate's bench programs call, which comes after their own code in the program.
fn move_rust(dir: &Path, variant: u32) -> Result<bool> {
    if dir.file_name().is_none_or(|name| name != "benches") {
        return Ok(false);
    }
    let mut is_changed = false;
    for name in files(dir, ".rs")? {
        let path = dir.join(name);
        let text = fs::read_to_string(&path).context("read a bench")?;
        if text.contains("fn main") || text.contains("criterion_main!") {
            fs::write(&path, format!("{text}\n{}", rust_code(variant))).context("write a bench")?;
            is_changed = true;
        }
    }
    Ok(is_changed)
}

fn rust_code(variant: u32) -> String {
    let mut text = String::from("mod benchwright_moved {\n");
    let count = count(variant);
    for function in 0..count {
        text.push_str(&format!("    #[inline(never)]\n    fn moved{function}(mut x: u64) -> u64 {{\n"));
        for line in 0..lines(variant, function) {
            let (shift, factor) = (7 + line % 23, factor(variant, function, line));
            text.push_str(&format!("        x = (x ^ (x >> {shift})).wrapping_mul({factor});\n"));
        }
        text.push_str("        x\n    }\n");
    }
    text.push_str("    extern \"C\" fn start() {\n        if std::hint::black_box(false) {\n            let mut x = 1;\n");
    (0..count).for_each(|function| text.push_str(&format!("            x = moved{function}(x);\n")));
    text.push_str("            std::hint::black_box(x);\n        }\n    }\n    #[used]\n");
    text.push_str(
        "    #[unsafe(link_section = \".init_array\")]\n    static START: extern \"C\" fn() = start;\n}\n",
    );
    text
}

fn count(variant: u32) -> u32 {
    3 + variant * 5 % 11
}

fn lines(variant: u32, function: u32) -> u32 {
    2 + (variant * 7 + function * 13) % 29
}

fn factor(variant: u32, function: u32, line: u32) -> u64 {
    0x9e37_79b9_7f4a_7c15 ^ (u64::from(variant) << 40 | u64::from(function) << 20 | u64::from(line) << 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_with_benchmarks_get_code_and_other_names() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        write("a.go", "// about\npackage p\n");
        write("b_linux.go", "package p\n");
        assert!(!move_go(dir.path(), 0).unwrap(), "no benchmarks");
        write("a_test.go", "package p\n\nfunc BenchmarkA(b *testing.B) {}\n");
        assert!(move_go(dir.path(), 0).unwrap());
        assert_eq!(files(dir.path(), ".go").unwrap(), ["a.go", "a_test.go", ADDED, "b_linux.go"]);
        fs::remove_file(dir.path().join(ADDED)).unwrap();
        assert!(move_go(dir.path(), 1).unwrap());
        assert_eq!(files(dir.path(), ".go").unwrap(), ["a_test.go", ADDED, "m000_b_linux.go", "m001_a.go"]);
    }

    #[test]
    fn variants_add_code_of_different_size() {
        let sizes: Vec<usize> = (0..6).map(|variant| go_file("p", variant).len()).collect();
        let mut different = sizes.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), sizes.len());
        assert!(go_file("p", 1).starts_with("package p\n"));
        assert!(rust_code(1).contains("fn moved0(mut x: u64) -> u64 {"));
    }
}
