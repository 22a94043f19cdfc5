//! Reads a `package.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// The file's name.
pub(super) const FILE: &str = "package.json";

/// The libraries benchmarks are written for, by package name.
const LIBRARIES: [&str; 3] = ["benchmark", "tinybench", "vitest"];

/// The required parts of a manifest. A part that is missing or of another type is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Package {
    /// Its name. Empty if it has none.
    pub(super) name: String,
    /// Its own version. Empty if it has none.
    pub(super) version: String,
    /// Scripts by name.
    pub(super) scripts: BTreeMap<String, String>,
    /// Names of all direct dependencies of any kind.
    pub(super) dependencies: Vec<String>,
    /// Whether some of them are needed at run time, not only for development.
    pub(super) has_runtime_dependencies: bool,
    /// Patterns of the directories of its members, if it is a workspace.
    pub(super) workspaces: Vec<String>,
    /// The manager it asks for, such as `pnpm@9.1.0`.
    pub(super) package_manager: String,
    /// The files that others import: `./dist/index.js`.
    pub(super) entries: Vec<String>,
}

impl Package {
    /// The manifest in `dir`. `None` if there is none or it is not readable.
    pub(super) fn read(dir: &Path) -> Option<Package> {
        Package::parse(&fs::read(dir.join(FILE)).ok()?)
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Package> {
        // Some editors put a byte order mark at the beginning of UTF-8 files.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let wire: Wire = serde_json::from_slice(bytes).ok()?;
        let kinds = [&wire.dependencies, &wire.dev, &wire.optional, &wire.peer];
        let dependencies = kinds.into_iter().flat_map(keys).collect();
        let mut entries: Vec<String> = wire.main.as_str().map(str::to_owned).into_iter().collect();
        entries.extend(wire.module.as_str().map(str::to_owned));
        collect_targets(&wire.exports, &mut entries);
        Some(Package {
            name: text(&wire.name),
            version: text(&wire.version),
            scripts: texts_by_name(&wire.scripts),
            dependencies,
            has_runtime_dependencies: !keys(&wire.dependencies).is_empty()
                || !keys(&wire.optional).is_empty(),
            workspaces: patterns(&wire.workspaces),
            package_manager: text(&wire.package_manager),
            entries,
        })
    }

    /// Whether it names a library that benchmarks are written for.
    pub(super) fn has_library(&self) -> bool {
        self.dependencies.iter().any(|name| LIBRARIES.contains(&name.as_str()))
    }

    /// Whether it depends on the package called `name`.
    pub(super) fn depends_on(&self, name: &str) -> bool {
        self.dependencies.iter().any(|dependency| dependency == name)
    }
}

/// Every field accepts any value, so that one odd field does not hide the others.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire {
    name: Value,
    version: Value,
    scripts: Value,
    dependencies: Value,
    #[serde(rename = "devDependencies")]
    dev: Value,
    #[serde(rename = "optionalDependencies")]
    optional: Value,
    #[serde(rename = "peerDependencies")]
    peer: Value,
    workspaces: Value,
    #[serde(rename = "packageManager")]
    package_manager: Value,
    main: Value,
    module: Value,
    exports: Value,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

fn texts_by_name(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// A list, or an object with a list `packages`.
fn patterns(value: &Value) -> Vec<String> {
    let list = value.as_array().or_else(|| value.get("packages").and_then(Value::as_array));
    list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The files in `exports` for imported or required code. Type declarations are not code.
fn collect_targets(exports: &Value, found: &mut Vec<String>) {
    match exports {
        Value::String(target) => found.push(target.clone()),
        Value::Array(choices) => choices.iter().take(1).for_each(|choice| collect_targets(choice, found)),
        Value::Object(conditions) => {
            for (condition, target) in conditions {
                if condition != "types" && condition != "browser" {
                    collect_targets(target, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Package {
        Package::parse(text.as_bytes()).expect("a manifest")
    }

    #[test]
    fn everything_that_matters_is_read() {
        let package = parse(
            r#"{"name": "a", "version": "1.2.3", "packageManager": "pnpm@9.1.0", "main": "index.js",
                "scripts": {"bench": "node bench.js", "odd": 1},
                "dependencies": {"x": "^1"}, "devDependencies": {"tinybench": "^2"},
                "workspaces": {"packages": ["packages/*"]},
                "exports": {".": {"types": "./t.d.ts", "import": "./dist/a.mjs", "require": ["./dist/a.cjs", "./b"]}}}"#,
        );
        assert_eq!((package.name.as_str(), package.version.as_str()), ("a", "1.2.3"));
        assert_eq!(package.scripts.keys().collect::<Vec<_>>(), ["bench"]);
        assert_eq!(package.dependencies, ["x", "tinybench"]);
        assert_eq!(package.workspaces, ["packages/*"]);
        assert_eq!(package.entries, ["index.js", "./dist/a.mjs", "./dist/a.cjs"]);
        assert!(package.has_library() && package.depends_on("x") && !package.depends_on("y"));
    }

    #[test]
    fn odd_fields_do_not_hide_the_others() {
        let package =
            parse(r#"{"name": ["a"], "dependencies": "none", "devDependencies": {"benchmark": 7}}"#);
        assert_eq!(
            (package.name.as_str(), package.dependencies.as_slice()),
            ("", &["benchmark".to_owned()][..])
        );
        assert_eq!(parse("\u{feff}{\"name\": \"marked\"}").name, "marked");
        assert!(Package::parse(b"{\"name\": ").is_none() && Package::parse(b"[]\xff").is_none());
    }

    #[test]
    fn a_workspace_may_be_a_plain_list() {
        assert_eq!(parse(r#"{"workspaces": ["a", "b/*"]}"#).workspaces, ["a", "b/*"]);
    }
}
