//! Chooses which of a project's requirements are installed: those that its benchmarks need, judged by names.
//!
//! Extras, dependency groups, environments and requirement files are chosen if their name is about benchmarks
//! or tests, or if they name a benchmark tool. Lists for development in general, which also contain linters
//! and documentation tools, are chosen only if no tool is among the others. The user can add extras and
//! groups by name, and switch off the automatic choice.

use std::fs;
use std::path::{Path, PathBuf};

use super::description::Flavour;
use super::manifest::{self, Group, Manifest};
use super::recognise::BenchmarkFile;
use super::requirement::{is_tool, normal};

/// Words in names of lists that are about benchmarks or tests.
const MEASURING: [&str; 13] = [
    "bench",
    "benches",
    "benchmark",
    "benchmarking",
    "benchmarks",
    "perf",
    "performance",
    "pytest",
    "speed",
    "test",
    "testing",
    "tests",
    "unit",
];
/// Words in names of lists for development.
const DEVELOPING: [&str; 5] = ["default", "dev", "develop", "development", "developer"];
/// Words in names of lists that are about something else, whatever other words there are.
const OTHER: [&str; 8] = ["doc", "docs", "fuzz", "lint", "mypy", "release", "type", "typing"];

/// The user's wishes in the build arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// `--python PROGRAM`.
    pub(super) python: Option<String>,
    /// `--extra NAME`.
    extras: Vec<String>,
    /// `--group NAME`.
    groups: Vec<String>,
    /// `--no-default-groups`: only those.
    is_exact: bool,
    /// All others, for `pip install`.
    pub(super) pip: Vec<String>,
}

impl Wishes {
    /// Takes the arguments apart.
    pub(super) fn parse(args: &[String]) -> Wishes {
        let mut wishes = Wishes::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (arg.as_str(), None),
            };
            let mut value = || value.clone().or_else(|| args.next().cloned());
            match name {
                "--python" => wishes.python = value(),
                "--extra" => wishes.extras.extend(value()),
                "--group" => wishes.groups.extend(value()),
                "--no-default-groups" => wishes.is_exact = true,
                _ => wishes.pip.push(arg.clone()),
            }
        }
        wishes
    }
}

/// The requirements to install.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// Extras of the project.
    pub(super) extras: Vec<String>,
    /// Requirements, each as pip reads it.
    pub(super) requirements: Vec<String>,
    /// Requirement files, relative to the project.
    pub(super) files: Vec<PathBuf>,
    /// Files beside those with benchmarks. Without them the others can still run.
    pub(super) inner_files: Vec<PathBuf>,
}

/// Chooses for a project in `dir` with these benchmarks.
pub(super) fn choose(dir: &Path, manifest: &Manifest, files: &[BenchmarkFile], wishes: &Wishes) -> Choice {
    let mut choice = Chooser { dir, manifest, wishes }.choose();
    for inner in files.iter().filter_map(|file| file.path.parent()) {
        let entries = fs::read_dir(dir.join(inner)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<PathBuf> =
            names.filter(|name| manifest::is_requirement_file(name)).map(|name| inner.join(name)).collect();
        let is_known = |file: &PathBuf| choice.files.contains(file) || choice.inner_files.contains(file);
        found.retain(|file| !inner.as_os_str().is_empty() && !is_known(file));
        found.sort();
        choice.inner_files.extend(found);
    }
    let mut tools: Vec<&str> = Vec::new();
    if files.iter().any(|file| file.flavour == Flavour::PytestBenchmark) {
        tools.extend(["pytest", "pytest-benchmark"]);
    }
    if files.iter().any(|file| file.flavour == Flavour::Pyperf) {
        tools.push("pyperf");
    }
    choice.requirements.extend(tools.into_iter().map(str::to_owned));
    choice
}

struct Chooser<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
    wishes: &'a Wishes,
}

impl Chooser<'_> {
    fn choose(&self) -> Choice {
        let manifest = self.manifest;
        let measuring = |name: &str| is_about(name, &MEASURING);
        let mut extras = self.groups(&manifest.extras, &self.wishes.extras, &measuring);
        let mut groups = self.groups(&manifest.groups, &self.wishes.groups, &measuring);
        let mut files: Vec<&String> =
            manifest.files.iter().filter(|file| measuring(file) || self.has_tool(file)).collect();
        let is_complete = extras.iter().chain(&groups).any(|group| group.names_tool())
            || files.iter().any(|file| self.has_tool(file));
        if !is_complete {
            let developing = |name: &str| is_about(name, &DEVELOPING);
            extras.extend(self.groups(&manifest.extras, &self.wishes.extras, &developing));
            groups.extend(self.groups(&manifest.groups, &self.wishes.groups, &developing));
            files.extend(manifest.files.iter().filter(|file| developing(file)));
        }
        // The plain file is the one that every user installs.
        let plain = ["requirements.txt", "requirements/base.txt", "requirements/requirements.txt"];
        files.extend(manifest.files.iter().filter(|file| plain.contains(&file.as_str())));
        let mut files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
        let mut extras: Vec<String> = extras.into_iter().map(|group| group.name.clone()).collect();
        extras.extend(self.wishes.extras.iter().filter(|_| self.manifest.is_package).cloned());
        let lists = groups.into_iter().flat_map(|group| group.requirements.iter().cloned());
        let mut requirements: Vec<String> = manifest.dependencies.iter().cloned().chain(lists).collect();
        for list in [&mut extras, &mut requirements] {
            list.sort();
            list.dedup();
        }
        files.sort();
        files.dedup();
        Choice { extras, requirements, files, inner_files: Vec::new() }
    }

    /// The groups that the user names, and those with a fitting name or with a tool.
    fn groups<'b>(&self, all: &'b [Group], wished: &[String], fits: &dyn Fn(&str) -> bool) -> Vec<&'b Group> {
        let is_wished = |group: &Group| wished.iter().any(|name| normal(name) == normal(&group.name));
        let is_chosen = |group: &Group| !self.wishes.is_exact && (fits(&group.name) || group.names_tool());
        all.iter().filter(|group| is_wished(group) || is_chosen(group)).collect()
    }

    fn has_tool(&self, file: &str) -> bool {
        let text = fs::read(self.dir.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(is_tool)
    }
}

fn is_about(name: &str, words: &[&str]) -> bool {
    let stem = name.strip_suffix(".txt").unwrap_or(name).to_ascii_lowercase();
    let mut parts = stem.split(|c: char| !c.is_ascii_alphanumeric());
    let is_other = parts.clone().any(|part| OTHER.contains(&part));
    !is_other && parts.any(|part| words.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    fn group(name: &str, requirements: &[&str]) -> Group {
        Group { name: name.into(), requirements: strings(requirements) }
    }

    fn check(manifest: &Manifest, args: &[&str], extras: &[&str], requirements: &[&str]) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let choice = choose(dir.path(), manifest, &[], &Wishes::parse(&strings(args)));
        assert_eq!((choice.extras, choice.requirements), (strings(extras), strings(requirements)));
    }

    #[test]
    fn lists_about_benchmarks_and_tests_are_chosen() {
        let manifest = Manifest {
            is_package: true,
            extras: vec![group("test", &["pytest"]), group("dev", &["black"]), group("docs", &["sphinx"])],
            groups: vec![group("bench-numpy", &["pytest-benchmark"]), group("docs-test", &["furo"])],
            ..Manifest::default()
        };
        check(&manifest, &[], &["test"], &["pytest-benchmark"]);
        check(&manifest, &["--extra", "docs"], &["docs", "test"], &["pytest-benchmark"]);
        let exact = ["--extra", "dev", "--group=docs-test", "--no-default-groups"];
        check(&manifest, &exact, &["dev"], &["furo"]);
    }

    #[test]
    fn lists_for_development_are_chosen_where_no_other_names_a_tool() {
        let manifest = Manifest {
            extras: vec![group("test", &["pytest"]), group("dev", &["black"])],
            groups: vec![group("all-of-it", &["pytest-benchmark"])],
            ..Manifest::default()
        };
        check(&manifest, &[], &["test"], &["pytest-benchmark"]);
        let manifest = Manifest { groups: Vec::new(), ..manifest };
        check(&manifest, &[], &["dev", "test"], &[]);
    }

    #[test]
    fn an_extra_that_only_a_program_knows_can_be_wished_for() {
        check(&Manifest { is_package: true, ..Manifest::default() }, &["--extra=fast"], &["fast"], &[]);
    }

    #[test]
    fn files_beside_the_benchmarks_and_the_plain_one_count() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let write = |path: &str, text: &str| test_files::write(dir.path(), &[(path, text)]);
        write("requirements.txt", "a\n");
        write("requirements-docs.txt", "sphinx\n");
        write("requirements-ci.txt", "pytest-benchmark==4\n");
        write("requirements-dev.txt", "black\n");
        write("bench/requirements.txt", "b\n");
        let file = BenchmarkFile { path: "bench/bench_a.py".into(), flavour: Flavour::Pyperf };
        let manifest = Manifest::read(dir.path());
        let choice = choose(dir.path(), &manifest, &[file], &Wishes::default());
        assert_eq!(choice.files, ["requirements-ci.txt", "requirements.txt"].map(PathBuf::from));
        assert_eq!(choice.inner_files, [PathBuf::from("bench/requirements.txt")]);
        assert_eq!(choice.requirements, ["pyperf"]);
    }

    #[test]
    fn wishes_are_told_from_arguments_for_pip() {
        let args =
            strings(&["--python", "python3.12", "--pre", "--index-url=https://example.com", "--extra=a"]);
        let wishes = Wishes::parse(&args);
        assert_eq!(wishes.python.as_deref(), Some("python3.12"));
        assert_eq!(wishes.pip, strings(&["--pre", "--index-url=https://example.com"]));
        assert_eq!(Wishes::parse(&strings(&["--python"])).python, None);
    }
}
