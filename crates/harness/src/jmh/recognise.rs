//! Finds projects that can be built or run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::harness::NAME;
use super::jar::{self, Jar};
use super::pom::Pom;
use super::{gradle, maven};
use crate::Project;

/// How a project is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// With Maven: the modules that use JMH.
    Maven(Vec<maven::Module>),
    /// With Gradle's wrapper: the directories, relative to the project's, whose build uses the JMH plugin.
    Gradle(Vec<PathBuf>),
    /// Not built: the jars, relative to the version's root.
    Jars(Vec<PathBuf>),
}

/// The relevant files in a tree, by directory relative to its root.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Every `pom.xml`.
    pub(super) poms: BTreeMap<PathBuf, Pom>,
    /// Every Gradle build file with the JMH plugin.
    pub(super) gradle_builds: BTreeSet<PathBuf>,
    /// Every Gradle wrapper.
    pub(super) gradle_wrappers: BTreeSet<PathBuf>,
    /// Every jar with benchmarks and JMH in it.
    pub(super) jars: BTreeMap<PathBuf, Vec<PathBuf>>,
}

/// The projects at or below `root`, ordered by path.
pub(super) fn projects(root: &Path) -> Vec<Project> {
    let kinds = kinds(&Files::of(root));
    kinds.into_keys().map(|dir| Project { harness: NAME.into(), dir }).collect()
}

/// How the project in `dir` is built. `None` if there is none.
pub(super) fn kind_of(root: &Path, dir: &Path) -> Option<Kind> {
    kinds(&Files::of(root)).remove(dir)
}

/// Every project by directory. Sources take precedence over a jar in the same place, and Maven over Gradle.
fn kinds(files: &Files) -> BTreeMap<PathBuf, Kind> {
    let jars = files.jars.iter().map(|(dir, jars)| (dir.clone(), Kind::Jars(jars.clone())));
    let gradle = gradle::projects(files).into_iter().map(|(dir, builds)| (dir, Kind::Gradle(builds)));
    let maven = maven::reactors(files).into_iter().map(|(dir, modules)| (dir, Kind::Maven(modules)));
    jars.chain(gradle).chain(maven).collect()
}

impl Files {
    /// Searches the tree below `root`.
    pub(super) fn of(root: &Path) -> Files {
        let mut files = Files::default();
        let mut waiting = vec![PathBuf::new()];
        while let Some(dir) = waiting.pop() {
            let Ok(entries) = fs::read_dir(root.join(&dir)) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    if !is_ignored(&name) {
                        waiting.push(dir.join(&name));
                    }
                } else {
                    files.note(root, &dir, &name);
                }
            }
        }
        for jars in files.jars.values_mut() {
            jars.sort();
        }
        files
    }

    fn note(&mut self, root: &Path, dir: &Path, name: &str) {
        let path = root.join(dir).join(name);
        match name {
            "pom.xml" => {
                // The file may not be valid UTF-8, but only ASCII texts are searched for.
                let text = fs::read(&path).unwrap_or_default();
                self.poms.insert(dir.into(), Pom::parse(&String::from_utf8_lossy(&text)));
            }
            "build.gradle" | "build.gradle.kts" => {
                let text = fs::read(&path).unwrap_or_default();
                if gradle::uses_jmh(&String::from_utf8_lossy(&text)) {
                    self.gradle_builds.insert(dir.into());
                }
            }
            "gradlew" => {
                self.gradle_wrappers.insert(dir.into());
            }
            _ if name.ends_with(".jar") && jar::look(&path) == Jar::Runnable => {
                self.jars.entry(dir.into()).or_default().push(dir.join(name));
            }
            _ => {}
        }
    }
}

/// Whether a directory contains results of build tools or foreign code.
fn is_ignored(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "target" | "build" | "out" | "node_modules" | "src")
}

/// A relative path without `.` and `..`. `None` if it leads out of the tree.
pub(super) fn normalised(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::Normal(name) => plain.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::jmh::jar::{BENCHMARK_LIST, tests::zip};

    /// A tree of files. A text with the names of a jar's entries becomes a jar.
    pub(in crate::jmh) fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match path.extension().is_some_and(|ending| ending == "jar") {
                true => fs::write(path, zip(&text.split(' ').collect::<Vec<_>>(), b"")).unwrap(),
                false => fs::write(path, text).unwrap(),
            }
        }
        root
    }

    /// A project file with modules, and optionally with JMH.
    pub(in crate::jmh) fn pom(name: &str, modules: &[&str], uses_jmh: bool) -> String {
        let modules: String = modules.iter().map(|module| format!("<module>{module}</module>")).collect();
        let dependency = match uses_jmh {
            true => {
                "<dependencies><dependency><groupId>org.openjdk.jmh</groupId></dependency></dependencies>"
            }
            false => "",
        };
        format!("<project><artifactId>{name}</artifactId><modules>{modules}</modules>{dependency}</project>")
    }

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let root = tree(files);
        let dirs: Vec<_> = projects(root.path()).into_iter().map(|project| project.dir).collect();
        assert_eq!(dirs, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn a_reactor_is_one_project_and_other_modules_are_their_own() {
        let (all, with, without) =
            (pom("all", &["a", "b"], false), pom("a", &[], true), pom("b", &[], false));
        check(&[("pom.xml", &all), ("a/pom.xml", &with), ("b/pom.xml", &without)], &[""]);
        check(&[("x/pom.xml", &all), ("x/a/pom.xml", &with), ("y/pom.xml", &with)], &["x", "y"]);
        check(&[("pom.xml", &without)], &[]);
        check(&[("target/pom.xml", &with), (".m/pom.xml", &with)], &[]);
    }

    #[test]
    fn jars_and_gradle_builds_are_projects() {
        let runnable = format!("{BENCHMARK_LIST} org/openjdk/jmh/runner/Runner.class");
        check(&[("bin/benchmarks.jar", &runnable), ("lib/other.jar", "a.class")], &["bin"]);
        check(&[("gradlew", ""), ("p/build.gradle.kts", "id(\"me.champeau.jmh\")")], &[""]);
        check(&[("p/build.gradle", "id 'me.champeau.jmh'")], &[]);
    }

    #[test]
    fn nothing_has_no_projects() {
        check(&[("README.md", "")], &[]);
        assert_eq!(projects(Path::new("missing")), []);
    }

    #[test]
    fn paths_are_made_plain_or_refused() {
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(normalised(Path::new(path)), expected.map(PathBuf::from));
        };
        check("a/./b/../c", Some("a/c"));
        check("a/..", Some(""));
        check("../a", None);
    }
}
