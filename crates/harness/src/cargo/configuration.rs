//! The `[env]` table of `.cargo/config.toml`, which `cargo bench` passes to the programs it runs.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::steps::relative;

/// Variables from the configuration files between the project and the version's root. The innermost file
/// takes precedence. Paths relative to a configuration file are written with `{root}`.
pub(super) fn variables(root: &Path, project: &Path) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for directory in project.ancestors() {
        let Some(below) = relative(root, directory) else { break };
        let files = [".cargo/config.toml", ".cargo/config"].map(|name| directory.join(name));
        let text = files.iter().find_map(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        for (name, value) in parse(&text, &below) {
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, value));
            }
        }
        if below.as_os_str().is_empty() {
            break;
        }
    }
    found
}

fn parse(text: &str, below: &Path) -> Vec<(String, String)> {
    let table: Table = text.parse().unwrap_or_default();
    let entries = table.get("env").and_then(Value::as_table).into_iter().flatten();
    let value = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Table(entry) => {
            let text = entry.get("value")?.as_str()?;
            let is_path = entry.get("relative").and_then(Value::as_bool).unwrap_or(false);
            Some(if is_path { in_root(&below.join(text)) } else { text.to_owned() })
        }
        _ => None,
    };
    entries.filter_map(|(name, entry)| Some((name.clone(), value(entry)?))).collect()
}

/// A path below the version's root, in the form used in an executable's variables.
pub(super) fn in_root(below: &Path) -> String {
    if below.as_os_str().is_empty() { "{root}".into() } else { format!("{{root}}/{}", below.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files;

    #[test]
    fn variables_come_from_the_innermost_file_and_relative_ones_name_the_root() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let write = |path: &str, text: &str| test_files::write(root.path(), &[(path, text)]);
        write(".cargo/config.toml", "[env]\nA = 'outer'\nB = { value = 'x', force = true }\n");
        write("p/.cargo/config.toml", "[env]\nA = 'inner'\nC = { value = 'data', relative = true }\n");
        let pairs = |expected: &[(&str, &str)]| {
            expected.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Vec<_>>()
        };
        let expected = pairs(&[("A", "inner"), ("C", "{root}/p/data"), ("B", "x")]);
        assert_eq!(variables(root.path(), &root.path().join("p")), expected);
        assert_eq!(variables(root.path(), root.path()), pairs(&[("A", "outer"), ("B", "x")]));
    }
}
