//! The workspace as Cargo sees it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::command::cargo;

/// A package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    /// Its name, `benchwright-model`.
    pub(crate) name: String,
    /// Packages of the workspace that it uses.
    pub(crate) uses: Vec<Dependency>,
    /// Names of its bench targets.
    pub(crate) benches: Vec<String>,
}

/// One package using another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether only tests use it.
    pub(crate) is_for_tests: bool,
}

/// Asks Cargo, without the network.
pub(crate) fn packages(root: &Path) -> Result<Vec<Package>> {
    let output = cargo(root)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .context("start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    parse(&output.stdout)
}

fn parse(json: &[u8]) -> Result<Vec<Package>> {
    let metadata: Value = serde_json::from_slice(json).context("read what `cargo metadata` printed")?;
    list(&metadata, "packages").iter().map(package).collect()
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
        let json = br#"{"packages": [{"name": "a",
            "dependencies": [{"name": "b", "path": "x/b", "kind": null}, {"name": "serde", "kind": null},
                             {"name": "kit", "path": "x/kit", "kind": "dev"}],
            "targets": [{"name": "a", "kind": ["lib"]}, {"name": "speed", "kind": ["bench"]}]}]}"#;
        let uses = vec![
            Dependency { name: "b".into(), is_for_tests: false },
            Dependency { name: "kit".into(), is_for_tests: true },
        ];
        let expected = Package { name: "a".into(), uses, benches: vec!["speed".into()] };
        assert_eq!(parse(json).expect("the text is right"), [expected]);
        assert!(parse(b"{\"packages\": [{}]}").is_err());
    }
}
