//! Reads lock files of other tools as versions by name. pip cannot install from them, but it can be limited
//! to their versions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::requirement::normal;

/// Lock files with a list of packages, and the name of that list.
const LISTS: [(&str, &str); 4] = [
    ("uv.lock", "package"),
    ("poetry.lock", "package"),
    ("pdm.lock", "package"),
    ("pylock.toml", "packages"),
];

/// The versions in the project's lock file. Empty if there is none. If a package is locked in several
/// versions for different systems, the choice is left to pip.
pub(super) fn versions(project: &Path) -> BTreeMap<String, String> {
    for (file, list) in LISTS {
        if let Ok(text) = fs::read_to_string(project.join(file)) {
            return listed(&text, list);
        }
    }
    fs::read_to_string(project.join("Pipfile.lock")).map(|text| pipfile(&text)).unwrap_or_default()
}

fn listed(text: &str, list: &str) -> BTreeMap<String, String> {
    let table: Table = text.parse().unwrap_or_default();
    let packages = table.get(list).and_then(Value::as_array).into_iter().flatten();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let field = |name: &str| package.get(name).and_then(Value::as_str);
        let (Some(name), Some(version)) = (field("name"), field("version")) else { continue };
        let source = package.get("source").and_then(Value::as_table);
        let is_local = ["editable", "virtual", "directory"]
            .iter()
            .any(|kind| source.is_some_and(|source| source.contains_key(*kind)))
            || source.and_then(|source| source.get("type")).and_then(Value::as_str) == Some("directory")
            || package.get("directory").is_some();
        if !is_local {
            let versions = found.entry(normal(name)).or_default();
            if !versions.iter().any(|known| known == version) {
                versions.push(version.to_owned());
            }
        }
    }
    let single = |(name, mut versions): (String, Vec<String>)| {
        Some((name, versions.pop()?)).filter(|_| versions.is_empty())
    };
    found.into_iter().filter_map(single).collect()
}

fn pipfile(text: &str) -> BTreeMap<String, String> {
    let lock: Json = serde_json::from_str(text).unwrap_or_default();
    let sections = ["default", "develop"].iter().filter_map(|section| lock.get(section)?.as_object());
    let pins = sections.flatten().filter_map(|(name, package)| {
        let version = package.get("version")?.as_str()?.strip_prefix("==")?;
        Some((normal(name), version.to_owned()))
    });
    pins.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, text: &str, expected: &[(&str, &str)]) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        fs::write(dir.path().join(file), text).expect("a file");
        let found = versions(dir.path());
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, version)| (name.as_str(), version.as_str())).collect();
        assert_eq!(found, expected, "{file}");
    }

    #[test]
    fn versions_are_read_from_every_kind_of_lock_file() {
        check(
            "uv.lock",
            "version = 1\n[[package]]\nname = 'Attrs'\nversion = '25.1.0'\nsource = { registry = 'x' }\n\
             [[package]]\nname = 'own'\nversion = '0.1'\nsource = { editable = '.' }\n\
             [[package]]\nname = 'numpy'\nversion = '1.26'\n[[package]]\nname = 'numpy'\nversion = '2.0'\n",
            &[("attrs", "25.1.0")],
        );
        check(
            "poetry.lock",
            "[[package]]\nname = 'a'\nversion = '1'\nfiles = []\n[[package]]\nname = 'b'\nversion = '2'\n\
             [package.source]\ntype = 'directory'\nurl = '../b'\n",
            &[("a", "1")],
        );
        check(
            "pylock.toml",
            "lock-version = '1.0'\n[[packages]]\nname = 'a'\nversion = '1'\n[[packages]]\nname = 'here'\n",
            &[("a", "1")],
        );
        check(
            "Pipfile.lock",
            r#"{"default": {"A_b": {"version": "==1.2", "hashes": []}, "c": {"git": "x"}}, "develop": {"d": {"version": "==3"}}}"#,
            &[("a-b", "1.2"), ("d", "3")],
        );
        check("uv.lock", "not = [ a lock", &[]);
        check("Pipfile.lock", "[1", &[]);
    }
}
