//! Reads a project's requirements from its files.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::requirement::is_tool;
use super::{ini, poetry};

/// A named list of requirements: an extra, a dependency group, an environment of tox or hatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Its name.
    pub(super) name: String,
    /// Its requirements, as pip reads them.
    pub(super) requirements: Vec<String>,
}

impl Group {
    /// Whether it names a tool that runs benchmarks.
    pub(super) fn names_tool(&self) -> bool {
        self.requirements.iter().any(|requirement| is_tool(requirement))
    }
}

/// The requirements of a project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Whether pip can install the project itself.
    pub(super) is_package: bool,
    /// The requirements of a project that is not a package. Those of a package are installed with it.
    pub(super) dependencies: Vec<String>,
    /// Lists that are part of the package.
    pub(super) extras: Vec<Group>,
    /// Lists for the project's developers.
    pub(super) groups: Vec<Group>,
    /// Requirement files in its directory and in `requirements/`, by path.
    pub(super) files: Vec<String>,
}

/// Whether a file makes its directory a project.
pub(super) fn is_manifest(name: &str) -> bool {
    matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "tox.ini") || is_requirement_file(name)
}

/// Whether a file lists requirements, by its name: `requirements.txt`, `requirements-dev.txt`,
/// `dev-requirements.txt`.
pub(super) fn is_requirement_file(name: &str) -> bool {
    let stem = name.strip_suffix(".txt").map(str::to_ascii_lowercase).unwrap_or_default();
    stem.split(['-', '_', '.']).any(|word| matches!(word, "requirements" | "requirement" | "reqs"))
}

/// Whether pip can install the project in `dir`.
pub(super) fn is_package(dir: &Path) -> bool {
    if dir.join("setup.py").is_file() {
        return true;
    }
    is_python_package(&pyproject(dir))
}

/// Whether a list of the project in `dir` names a tool that runs benchmarks.
pub(super) fn names_tool(dir: &Path) -> bool {
    let manifest = Manifest::read(dir);
    let in_file = |file: &String| {
        let text = fs::read(dir.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().any(is_tool)
    };
    manifest.dependencies.iter().any(|requirement| is_tool(requirement))
        || manifest.extras.iter().chain(&manifest.groups).any(Group::names_tool)
        || manifest.files.iter().any(in_file)
}

fn pyproject(dir: &Path) -> Table {
    let text = fs::read_to_string(dir.join("pyproject.toml")).unwrap_or_default();
    text.parse().unwrap_or_default()
}

/// As in uv and pdm, a `[project]` without a build system is an application whose dependencies count.
fn is_python_package(table: &Table) -> bool {
    let is_off = |path: &[&str]| at(table, path).and_then(Value::as_bool) == Some(false);
    table.contains_key("build-system")
        && !is_off(&["tool", "poetry", "package-mode"])
        && !is_off(&["tool", "uv", "package"])
        && !is_off(&["tool", "pdm", "distribution"])
}

fn at<'a>(table: &'a Table, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, name| value.get(*name))
}

fn tables<'a>(table: &'a Table, path: &[&str]) -> impl Iterator<Item = (&'a String, &'a Value)> {
    at(table, path).and_then(Value::as_table).into_iter().flatten()
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Manifest {
    /// Reads the files in `dir`. Invalid files are ignored.
    pub(super) fn read(dir: &Path) -> Manifest {
        let mut manifest = Manifest { is_package: is_package(dir), ..Manifest::default() };
        manifest.read_pyproject(&pyproject(dir));
        let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
        manifest.read_setup_cfg(&text("setup.cfg"));
        manifest.read_setup_py(&text("setup.py"));
        manifest.read_tox(&text("tox.ini"));
        manifest.read_directory(dir);
        manifest
    }

    fn read_pyproject(&mut self, table: &Table) {
        for (name, list) in tables(table, &["project", "optional-dependencies"]) {
            self.extras.push(Group { name: name.clone(), requirements: texts(list) });
        }
        for (name, list) in tables(table, &["tool", "poetry", "extras"]) {
            self.extras.push(Group { name: name.clone(), requirements: texts(list) });
        }
        for (name, _) in tables(table, &["dependency-groups"]) {
            let requirements = dependency_group(table, name, &mut Vec::new());
            self.groups.push(Group { name: name.clone(), requirements });
        }
        self.read_poetry(table);
        for (name, list) in tables(table, &["tool", "pdm", "dev-dependencies"]) {
            self.groups.push(Group { name: name.clone(), requirements: texts(list) });
        }
        if let Some(list) = at(table, &["tool", "uv", "dev-dependencies"]) {
            self.groups.push(Group { name: "dev".into(), requirements: texts(list) });
        }
        for (name, environment) in tables(table, &["tool", "hatch", "envs"]) {
            let lists = ["dependencies", "extra-dependencies"].iter().filter_map(|key| environment.get(*key));
            let requirements = lists.flat_map(texts).collect();
            self.groups.push(Group { name: name.clone(), requirements });
        }
        if !self.is_package {
            self.dependencies = at(table, &["project", "dependencies"]).map(texts).unwrap_or_default();
            if let Some(own) = at(table, &["tool", "poetry", "dependencies"]).and_then(Value::as_table) {
                self.dependencies.extend(poetry::requirements(own));
            }
        }
    }

    fn read_poetry(&mut self, table: &Table) {
        let mut add = |name: &str, dependencies: Option<&Value>| {
            if let Some(dependencies) = dependencies.and_then(Value::as_table) {
                self.groups
                    .push(Group { name: name.to_owned(), requirements: poetry::requirements(dependencies) });
            }
        };
        add("dev", at(table, &["tool", "poetry", "dev-dependencies"]));
        for (name, group) in tables(table, &["tool", "poetry", "group"]) {
            add(name, group.get("dependencies"));
        }
    }

    fn read_setup_cfg(&mut self, text: &str) {
        for entry in ini::entries(text) {
            if entry.section == "options.extras_require" {
                self.extras.push(Group { name: entry.name, requirements: entry.lines });
            }
        }
    }

    /// The file is a program, so it is not parsed but searched: names of extras are texts before a colon.
    fn read_setup_py(&mut self, text: &str) {
        let Some((_, text)) = text.split_once("extras_require") else { return };
        for line in text.split([',', '\n', '{']) {
            let Some((name, rest)) = line.split_once(':') else { continue };
            let quoted = name.trim();
            let name = quoted.trim_matches(['"', '\'']);
            let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
            if is_word && quoted.len() == name.len() + 2 {
                let first = rest.trim_start_matches([' ', '[', '\t', '"', '\'']);
                self.extras.push(Group { name: name.to_owned(), requirements: vec![first.to_owned()] });
            }
        }
    }

    fn read_tox(&mut self, text: &str) {
        for entry in ini::entries(text) {
            let Some(environment) = entry.section.strip_prefix("testenv").filter(|_| entry.name == "deps")
            else {
                continue;
            };
            let name = if environment.is_empty() { "test" } else { environment.trim_start_matches(':') };
            // Lines with a condition before a colon, files and substitutions have a syntax of tox, and are
            // left out.
            let is_plain = |line: &String| super::requirement::name(line).is_some() && !line.contains('{');
            let requirements = entry.lines.into_iter().filter(is_plain).collect();
            self.groups.push(Group { name: name.to_owned(), requirements });
        }
    }

    fn read_directory(&mut self, dir: &Path) {
        let names = |dir: &Path| -> Vec<String> {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
        };
        self.files.extend(names(dir).into_iter().filter(|name| is_requirement_file(name)));
        let inner = names(&dir.join("requirements")).into_iter().filter(|name| name.ends_with(".txt"));
        self.files.extend(inner.map(|name| format!("requirements/{name}")));
        self.files.sort();
    }
}

/// A dependency group, including the groups it includes.
fn dependency_group(table: &Table, name: &str, open: &mut Vec<String>) -> Vec<String> {
    // Names are normalised like those of packages.
    let normal = super::requirement::normal(name);
    if open.contains(&normal) {
        return Vec::new();
    }
    open.push(normal.clone());
    let mut groups = tables(table, &["dependency-groups"]);
    let found = groups.find(|(known, _)| super::requirement::normal(known) == normal);
    let mut requirements = Vec::new();
    for item in found.and_then(|(_, list)| list.as_array()).into_iter().flatten() {
        match (item.as_str(), item.get("include-group").and_then(Value::as_str)) {
            (Some(requirement), _) => requirements.push(requirement.to_owned()),
            (None, Some(other)) => requirements.extend(dependency_group(table, other, open)),
            (None, None) => {}
        }
    }
    open.pop();
    requirements
}

#[cfg(test)]
mod tests;
