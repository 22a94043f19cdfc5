//! Reads `CMakeCache.txt`, which contains the options of a configured project.

use std::fs;
use std::path::{Path, PathBuf};

/// The entries of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CacheFile(Vec<Entry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    kind: String,
    value: String,
}

/// Parts of names that reverse the meaning of a switch, or that are not about building.
const OTHER_SWITCHES: [&str; 7] = ["DISABLE", "SKIP", "NO_", "WITHOUT", "INSTALL", "DOWNLOAD", "SYSTEM"];

impl CacheFile {
    /// Reads the file in a build directory. Empty if there is none.
    pub(super) fn read(build: &Path) -> CacheFile {
        let bytes = fs::read(build.join("CMakeCache.txt")).unwrap_or_default();
        CacheFile::parse(&String::from_utf8_lossy(&bytes))
    }

    fn parse(text: &str) -> CacheFile {
        let entries = text.lines().filter(|line| !line.starts_with(['#', '/'])).filter_map(|line| {
            let (name, value) = line.split_once('=')?;
            let (name, kind) = name.rsplit_once(':')?;
            let value = value.trim_end_matches('\r').to_owned();
            Some(Entry { name: name.trim_matches('"').to_owned(), kind: kind.to_owned(), value })
        });
        CacheFile(entries.collect())
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|entry| entry.name == name).map(|entry| entry.value.as_str())
    }

    /// The build tool: `Unix Makefiles`, `Ninja`.
    pub(super) fn generator(&self) -> &str {
        self.value("CMAKE_GENERATOR").unwrap_or_default()
    }

    /// Names of switches of the project that are off and look as if they would add benchmarks. Switches of
    /// the library itself, which begin with its name, are not included.
    pub(super) fn benchmark_switches(&self) -> Vec<String> {
        let is_off =
            |value: &str| matches!(value.to_ascii_uppercase().as_str(), "OFF" | "FALSE" | "NO" | "0" | "N");
        let looks_so = |name: &str| {
            name.contains("BENCH")
                && !name.starts_with("BENCHMARK_")
                && !OTHER_SWITCHES.iter().any(|part| name.contains(part))
        };
        let found = self.0.iter().filter(|entry| {
            entry.kind == "BOOL" && is_off(&entry.value) && looks_so(&entry.name.to_ascii_uppercase())
        });
        found.map(|entry| entry.name.clone()).collect()
    }

    /// The version of Google Benchmark, installed or made by the same build. Empty if unknown.
    pub(super) fn library_version(&self) -> String {
        let file = |variable: &str, name: &str| {
            let dir = self.value(variable).filter(|dir| !dir.is_empty() && !dir.ends_with("-NOTFOUND"))?;
            fs::read_to_string(PathBuf::from(dir).join(name)).ok()
        };
        let installed = file("benchmark_DIR", "benchmarkConfigVersion.cmake");
        let installed = installed.and_then(|text| package_version(&text));
        let own = || file("benchmark_SOURCE_DIR", "CMakeLists.txt").and_then(|text| project_version(&text));
        installed.or_else(own).unwrap_or_default()
    }
}

/// The version in `set(PACKAGE_VERSION "1.7.1")`.
fn package_version(text: &str) -> Option<String> {
    let rest = text.split("PACKAGE_VERSION ").nth(1)?;
    first_version(rest)
}

/// The version in `project (benchmark VERSION 1.9.1 LANGUAGES CXX)`.
fn project_version(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let project = lower.split("project").skip(1).find_map(|rest| rest.trim_start().strip_prefix('('));
    let inside = project?.split(')').next()?;
    first_version(inside.split_once("version")?.1)
}

fn first_version(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '\t', '"', '\n', '\r']);
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let version = &text[..end];
    version.contains('.').then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_whatever_stands_between_them() {
        let text = "# comment\n//help\nCMAKE_GENERATOR:INTERNAL=Ninja\nA-B:STRING=x=y:z\n\nbroken\n\"Q\":BOOL=ON\r\n";
        let cache = CacheFile::parse(text);
        assert_eq!(cache.generator(), "Ninja");
        assert_eq!(cache.value("A-B"), Some("x=y:z"));
        assert_eq!(cache.value("Q"), Some("ON"));
        assert_eq!(cache.value("broken"), None);
    }

    #[test]
    fn only_switches_of_the_project_that_add_benchmarks_are_offered() {
        let text = "SNAPPY_BUILD_BENCHMARKS:BOOL=OFF\nBUILD_BENCH:BOOL=FALSE\nX_BENCHMARK:BOOL=ON\n\
                    BENCHMARK_ENABLE_LTO:BOOL=OFF\nDISABLE_BENCHMARKS:BOOL=OFF\nBENCH_DIR:PATH=OFF\nZ_TESTS:BOOL=OFF\n";
        assert_eq!(CacheFile::parse(text).benchmark_switches(), ["SNAPPY_BUILD_BENCHMARKS", "BUILD_BENCH"]);
    }

    #[test]
    fn the_library_tells_its_version_installed_or_in_source() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("a file");
        let version = |variable: &str| {
            CacheFile::parse(&format!("{variable}:PATH={}\n", dir.path().display())).library_version()
        };
        assert_eq!(version("benchmark_DIR"), "");
        write("benchmarkConfigVersion.cmake", "# x\nset(PACKAGE_VERSION \"1.7.1\")\n");
        assert_eq!(version("benchmark_DIR"), "1.7.1");
        write(
            "CMakeLists.txt",
            "cmake_minimum_required (VERSION 3.13)\n\nproject (benchmark VERSION 1.9.1 LANGUAGES CXX)",
        );
        assert_eq!(version("benchmark_SOURCE_DIR"), "1.9.1");
        write("CMakeLists.txt", "project (benchmark CXX)\nset(X VERSION 3.4)");
        assert_eq!(version("benchmark_SOURCE_DIR"), "");
        assert_eq!(CacheFile::parse("benchmark_DIR:PATH=benchmark_DIR-NOTFOUND").library_version(), "");
    }
}
