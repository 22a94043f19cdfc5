//! Reads the parts of `Cargo.toml` and `Cargo.lock` that are needed in addition to the output of Cargo.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The data of a manifest that is needed to find projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Whether it has a `[workspace]` table.
    pub(super) is_workspace: bool,
    /// Whether it has a `[package]` table.
    pub(super) is_package: bool,
    /// `workspace.members`, as written.
    members: Vec<String>,
    /// `workspace.exclude`, as written.
    exclude: Vec<String>,
    /// `package.workspace`: the root it belongs to, as written.
    pub(super) workspace: Option<String>,
    /// Whether it names bench targets.
    pub(super) has_bench_table: bool,
}

impl Manifest {
    /// Reads the manifest in `directory`. `None` if there is none or it is invalid.
    pub(super) fn read(directory: &Path) -> Option<Manifest> {
        Manifest::parse(&fs::read_to_string(directory.join("Cargo.toml")).ok()?)
    }

    fn parse(text: &str) -> Option<Manifest> {
        let table: Table = text.parse().ok()?;
        let workspace = table.get("workspace").and_then(Value::as_table);
        let package = table.get("package").or_else(|| table.get("project")).and_then(Value::as_table);
        let list = |key: &str| strings(workspace.and_then(|workspace| workspace.get(key)));
        Some(Manifest {
            is_workspace: workspace.is_some(),
            is_package: package.is_some(),
            members: list("members"),
            exclude: list("exclude"),
            workspace: package.and_then(|package| package.get("workspace")?.as_str()).map(str::to_owned),
            has_bench_table: table.contains_key("bench"),
        })
    }

    /// Whether a package at `below` (relative to this workspace) is left out of the workspace: below an
    /// excluded directory and not below an explicit member. This is Cargo's rule.
    pub(super) fn leaves_out(&self, below: &Path) -> bool {
        let covers = |written: &String| below.starts_with(normal(written));
        self.exclude.iter().any(covers) && !self.members.iter().any(covers)
    }
}

/// The versions of packages in a lock file, and their dependencies.
#[derive(Debug, Default)]
pub(super) struct Lock {
    packages: Vec<LockedPackage>,
}

#[derive(Debug)]
struct LockedPackage {
    name: String,
    version: String,
    dependencies: Vec<String>,
}

impl Lock {
    /// Reads `Cargo.lock` in the workspace's root. Empty if there is none or it is invalid.
    pub(super) fn read(workspace_root: &Path) -> Lock {
        fs::read_to_string(workspace_root.join("Cargo.lock"))
            .map(|text| Lock::parse(&text))
            .unwrap_or_default()
    }

    fn parse(text: &str) -> Lock {
        let table: Table = text.parse().unwrap_or_default();
        let packages = table.get("package").and_then(Value::as_array).into_iter().flatten();
        let field = |package: &Value, key: &str| package.get(key)?.as_str().map(str::to_owned);
        let packages = packages.filter_map(|package| {
            Some(LockedPackage {
                name: field(package, "name")?,
                version: field(package, "version")?,
                dependencies: strings(package.get("dependencies")),
            })
        });
        Lock { packages: packages.collect() }
    }

    /// The version of `dependency` that `package` uses directly. `None` if it does not use it.
    pub(super) fn dependency(&self, package: &str, version: &str, dependency: &str) -> Option<&str> {
        let package = self.packages.iter().find(|known| known.name == package && known.version == version)?;
        // `name`, or `name version` and `name version (source)` if the name alone is ambiguous.
        package.dependencies.iter().find_map(|entry| {
            let mut words = entry.split(' ');
            if words.next() != Some(dependency) {
                return None;
            }
            let named = |known: &&LockedPackage| known.name == dependency;
            match words.next() {
                Some(version) => Some(version),
                None => self.packages.iter().find(named).map(|known| known.version.as_str()),
            }
        })
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
}

/// The path without `.` components and slashes at its end.
fn normal(written: &str) -> PathBuf {
    Path::new(written).components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exclusion_follows_cargos_order() {
        let manifest = "[workspace]\nmembers = ['crates/*', 'old/kept']\nexclude = ['./fuzz/', 'old']";
        let manifest = Manifest::parse(manifest).expect("a manifest");
        let check = |path: &str, expected: bool| {
            assert_eq!(manifest.leaves_out(Path::new(path)), expected, "{path}");
        };
        check("fuzz", true);
        check("fuzz/inner", true);
        check("fuzzy", false);
        check("old/thing", true);
        check("old/kept", false);
        check("crates/a", false);
    }

    #[test]
    fn a_manifest_that_does_not_parse_is_none() {
        assert_eq!(Manifest::parse("[package\nname = "), None);
        assert_eq!(Manifest::parse("{{ template }}"), None);
    }

    #[test]
    fn a_dependency_has_the_version_the_lock_file_says() {
        let lock = Lock::parse(
            "version = 4\n[[package]]\nname = 'a'\nversion = '0.1.0'\ndependencies = ['criterion 0.5.1', 'divan']\n\
             [[package]]\nname = 'b'\nversion = '0.1.0'\ndependencies = ['criterion 0.7.0']\n\
             [[package]]\nname = 'criterion'\nversion = '0.5.1'\n[[package]]\nname = 'criterion'\nversion = '0.7.0'\n\
             [[package]]\nname = 'divan'\nversion = '0.1.21'\n",
        );
        assert_eq!(lock.dependency("a", "0.1.0", "criterion"), Some("0.5.1"));
        assert_eq!(lock.dependency("b", "0.1.0", "criterion"), Some("0.7.0"));
        assert_eq!(lock.dependency("a", "0.1.0", "divan"), Some("0.1.21"));
        assert_eq!(lock.dependency("b", "0.1.0", "divan"), None);
        assert_eq!(lock.dependency("a", "0.2.0", "divan"), None);
        assert_eq!(Lock::parse("garbage").dependency("a", "0.1.0", "divan"), None);
    }
}
