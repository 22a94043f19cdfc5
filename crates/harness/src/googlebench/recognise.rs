//! Finds projects that use the library.

use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::BuildArguments;
use super::harness::NAME;
use crate::Project;

/// How deep below the root manifests are searched for.
const DEPTH: usize = 12;

/// Manifests are read up to this length.
const LONGEST: usize = 1 << 20;

/// Texts in a manifest that uses the library, in lower case and without blanks.
const SIGNS: [&str; 7] = [
    "benchmark::benchmark",
    "benchmark_main",
    "find_package(benchmark",
    "find_package(googlebenchmark",
    "google/benchmark",
    "googlebenchmark",
    "google-benchmark",
];

/// The projects at or below `root`, by path: every top-most directory with a `CMakeLists.txt` that uses the
/// library there or below. If the settings name programs, only the root.
pub(super) fn projects(root: &Path) -> Vec<Project> {
    let mut found = Vec::new();
    if has_given_programs(root) {
        found.push(PathBuf::new());
    } else {
        visit(root, Path::new(""), 0, &mut found);
        found.sort();
    }
    found.into_iter().map(|dir| Project { harness: NAME.into(), dir }).collect()
}

/// Whether the version's settings file names programs.
fn has_given_programs(root: &Path) -> bool {
    let text = fs::read_to_string(root.join("benchwright.toml")).unwrap_or_default();
    let Ok(settings) = text.parse::<toml::Table>() else { return false };
    let args = settings.get(NAME).and_then(|table| table.get("build-args")).and_then(|args| args.as_array());
    let args: Vec<String> =
        args.into_iter().flatten().filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    !BuildArguments::parse(&args).programs.is_empty()
}

fn visit(root: &Path, dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let whole = root.join(dir);
    if whole.join("CMakeLists.txt").is_file() {
        if mentions_library(&whole, depth) {
            found.push(dir.to_owned());
        }
        return;
    }
    // C++ code in a Rust package is built by the package's build script, and its benchmarks belong to another
    // project.
    let is_package = fs::read_to_string(whole.join("Cargo.toml"))
        .is_ok_and(|text| text.lines().any(|line| line.trim() == "[package]"));
    if depth == DEPTH || is_package {
        return;
    }
    for name in directories(&whole) {
        visit(root, &dir.join(name), depth + 1, found);
    }
}

/// Whether a manifest at or below `dir` uses the library.
fn mentions_library(dir: &Path, depth: usize) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    let is_manifest = |name: &str| name == "CMakeLists.txt" || name.ends_with(".cmake");
    let has_sign = files.any(|entry| {
        is_manifest(&entry.file_name().to_string_lossy())
            && fs::read(entry.path()).is_ok_and(|bytes| uses_library(&bytes[..bytes.len().min(LONGEST)]))
    });
    has_sign
        || depth < DEPTH && directories(dir).iter().any(|name| mentions_library(&dir.join(name), depth + 1))
}

/// Directories to search: not those of foreign code, build directories or hidden ones.
fn directories(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = directories.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter(|name| !is_foreign(name) && !dir.join(name).join(".git").exists()).collect();
    names.sort();
    names
}

fn is_foreign(name: &str) -> bool {
    const FOREIGN: [&str; 12] = [
        "_deps",
        "build",
        "deps",
        "extern",
        "external",
        "node_modules",
        "submodules",
        "target",
        "third-party",
        "third_party",
        "thirdparty",
        "vendor",
    ];
    name.starts_with('.')
        || name.starts_with("cmake-build-")
        || FOREIGN.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether the text of a manifest names the library outside comments.
fn uses_library(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let code: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let dense: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    SIGNS.iter().any(|sign| dense.contains(sign)) || links_by_plain_name(&code)
}

/// `target_link_libraries(x benchmark)`: a target of that name made by the same build.
fn links_by_plain_name(code: &str) -> bool {
    code.split("target_link_libraries").skip(1).any(|rest| {
        let inside = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split(')').next());
        inside
            .unwrap_or_default()
            .split_whitespace()
            .skip(1)
            .any(|word| word.trim_matches('"') == "benchmark")
    })
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

    const USER: &str = "find_package(benchmark REQUIRED)\n";

    #[test]
    fn the_top_most_manifest_is_the_project() {
        check(
            &[("CMakeLists.txt", "project(p)\nadd_subdirectory(bench)"), ("bench/CMakeLists.txt", USER)],
            &[""],
        );
        check(
            &[
                ("a/CMakeLists.txt", USER),
                ("b/c/CMakeLists.txt", "include(cmake/x.cmake)"),
                (
                    "b/c/cmake/x.cmake",
                    "FetchContent_Declare(gb GIT_REPOSITORY https://example.com/google/benchmark.git)",
                ),
                ("none/CMakeLists.txt", "project(none)"),
            ],
            &["a", "b/c"],
        );
    }

    #[test]
    fn the_library_is_known_by_every_usual_name() {
        let check =
            |text: &str, expected: bool| assert_eq!(uses_library(text.as_bytes()), expected, "{text}");
        check("find_package (Benchmark 1.6 CONFIG)", true);
        check("target_link_libraries(x PRIVATE\n  benchmark::benchmark)", true);
        check("target_link_libraries( x PRIVATE benchmark pthread )", true);
        check("target_link_libraries(x benchmark_main)", true);
        check("# find_package(benchmark)", false);
        check("add_executable(benchmark main.cc)\ntarget_link_libraries(benchmark pthread)", false);
        check("find_package(GTest)", false);
    }

    #[test]
    fn other_peoples_code_is_passed_by() {
        check(
            &[
                ("CMakeLists.txt", "project(p)"),
                ("third_party/x/CMakeLists.txt", USER),
                ("build/CMakeLists.txt", USER),
                ("sub/.git", "gitdir: elsewhere"),
                ("sub/CMakeLists.txt", USER),
            ],
            &[],
        );
        check(
            &[
                ("Cargo.toml", "[package]\nname = 'x-sys'"),
                ("x/CMakeLists.txt", USER),
                (".x/CMakeLists.txt", USER),
            ],
            &[],
        );
        check(&[("Cargo.toml", "[workspace]"), ("cpp/CMakeLists.txt", USER)], &["cpp"]);
    }

    #[test]
    fn named_programs_make_the_root_a_project() {
        let settings = "[googlebench]\nbuild-args = ['--make', 'make bench', '--program', 'bench']\n";
        check(&[("benchwright.toml", settings), ("Makefile", "bench:")], &[""]);
        check(&[("benchwright.toml", "[googlebench]\nbuild-args = ['-DX=ON']\n")], &[]);
        check(&[("benchwright.toml", "googlebench = ["), ("a/CMakeLists.txt", USER)], &["a"]);
    }
}
