//! The workspace according to `cargo metadata`.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::cargo;

/// A package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name, `benchwright-model`.
    pub name: String,
    /// Packages of the workspace that it uses.
    pub uses: Vec<Dependency>,
    /// Names of its bench targets.
    pub benches: Vec<String>,
}

/// A dependency of one package on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The package that is used.
    pub name: String,
    /// Whether only tests use it.
    pub is_for_tests: bool,
}

/// Any package, with the licence from its manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licensed {
    /// Its name.
    pub name: String,
    /// An SPDX expression. Empty if there is none.
    pub licence: String,
}

/// The packages of the workspace.
pub fn packages(root: &Path) -> Result<Vec<Package>> {
    parse(&metadata(root, &["--no-deps"])?)
}

/// The licences of all packages that are built on this platform. Packages for other platforms may not be
/// downloaded.
pub fn licences(root: &Path) -> Result<Vec<Licensed>> {
    let metadata = metadata(root, &["--filter-platform", "host-tuple"])?;
    let licence = |package: &Value| package["license"].as_str().unwrap_or_default().to_owned();
    let one = |package| Ok(Licensed { name: text(package, "name")?, licence: licence(package) });
    list(&metadata, "packages").iter().map(one).collect()
}

/// Runs `cargo metadata` without using the network.
fn metadata(root: &Path, arguments: &[&str]) -> Result<Value> {
    let output = cargo(root)
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(arguments)
        .output()
        .context("start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("read what `cargo metadata` printed")
}

fn parse(metadata: &Value) -> Result<Vec<Package>> {
    list(metadata, "packages").iter().map(package).collect()
}

fn package(package: &Value) -> Result<Package> {
    // Only packages of the workspace are given by a path.
    let is_ours = |dependency: &&Value| dependency["path"].is_string();
    let uses = list(package, "dependencies").iter().filter(is_ours).map(|dependency| {
        Ok(Dependency { name: text(dependency, "name")?, is_for_tests: dependency["kind"] == "dev" })
    });
    let is_bench = |target: &&Value| list(target, "kind").iter().any(|kind| kind == "bench");
    let benches = list(package, "targets").iter().filter(is_bench).map(|target| text(target, "name"));
    Ok(Package {
        name: text(package, "name")?,
        uses: uses.collect::<Result<_>>()?,
        benches: benches.collect::<Result<_>>()?,
    })
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> Result<String> {
    Ok(value[key]
        .as_str()
        .with_context(|| format!("find `{key}` in what `cargo metadata` printed"))?
        .to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_with_a_path_are_ours_and_dev_is_told_apart() {
        let json = r#"{"packages": [{"name": "a",
            "dependencies": [{"name": "b", "path": "x/b", "kind": null}, {"name": "serde", "kind": null},
                             {"name": "kit", "path": "x/kit", "kind": "dev"}],
            "targets": [{"name": "a", "kind": ["lib"]}, {"name": "speed", "kind": ["bench"]}]}]}"#;
        let uses = vec![
            Dependency { name: "b".into(), is_for_tests: false },
            Dependency { name: "kit".into(), is_for_tests: true },
        ];
        let expected = Package { name: "a".into(), uses, benches: vec!["speed".into()] };
        let read = |text: &str| parse(&serde_json::from_str(text).expect("JSON"));
        assert_eq!(read(json).expect("the text is right"), [expected]);
        assert!(read("{\"packages\": [{}]}").is_err());
    }
}
