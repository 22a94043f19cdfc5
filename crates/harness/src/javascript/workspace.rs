//! The packages of a workspace.

use std::fs;
use std::path::{Path, PathBuf};

use super::package::Package;

/// The depth of `**`.
const DEPTH: usize = 6;

/// The patterns of a workspace's members, including those in pnpm's own file. Empty for a plain package.
pub(super) fn patterns(dir: &Path, package: &Package) -> Vec<String> {
    let pnpm = fs::read_to_string(dir.join("pnpm-workspace.yaml")).unwrap_or_default();
    package.workspaces.iter().cloned().chain(yaml_list(&pnpm, "packages")).collect()
}

/// The directories of the members, relative to `dir`, sorted by path. Only those with a manifest.
pub(super) fn members(dir: &Path, package: &Package) -> Vec<PathBuf> {
    let patterns = patterns(dir, package);
    let mut found = Vec::new();
    for pattern in patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        expand(dir, PathBuf::new(), &parts, DEPTH, &mut found);
    }
    found.retain(|member| !patterns.iter().any(|pattern| is_left_out(pattern, member)));
    found.sort();
    found.dedup();
    found
}

fn expand(root: &Path, at: PathBuf, parts: &[&str], depth: usize, found: &mut Vec<PathBuf>) {
    let Some((first, rest)) = parts.split_first() else {
        if !at.as_os_str().is_empty() && Package::read(&root.join(&at)).is_some() {
            found.push(at);
        }
        return;
    };
    if !first.contains('*') {
        return expand(root, at.join(first), rest, depth, found);
    }
    if *first == "**" {
        expand(root, at.clone(), rest, depth, found);
    }
    for name in directories(&root.join(&at)) {
        if *first == "**" && depth > 0 {
            expand(root, at.join(&name), parts, depth - 1, found);
        } else if *first != "**" && matches(first, &name) {
            expand(root, at.join(&name), rest, depth, found);
        }
    }
}

/// Names of the directories in `dir` that can contain packages of the project.
pub(super) fn directories(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = directories.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| !is_foreign(name)).collect();
    names.sort();
    names
}

/// Directories with other people's packages, and hidden ones.
fn is_foreign(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "node_modules" | "bower_components" | "jspm_packages" | "vendor")
}

/// Whether `pattern` begins with an exclamation mark and matches the member.
fn is_left_out(pattern: &str, member: &Path) -> bool {
    let Some(pattern) = pattern.strip_prefix('!') else { return false };
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let parts: Vec<&str> = member.iter().filter_map(|part| part.to_str()).collect();
    matches_path(&pattern, &parts)
}

fn matches_path(pattern: &[&str], parts: &[&str]) -> bool {
    match pattern.split_first() {
        None => parts.is_empty(),
        Some((&"**", rest)) => (0..=parts.len()).any(|skipped| matches_path(rest, &parts[skipped..])),
        Some((first, rest)) => parts
            .split_first()
            .is_some_and(|(part, others)| matches(first, part) && matches_path(rest, others)),
    }
}

/// Whether a name matches a pattern with stars.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(before) else { return false };
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    ends.into_iter().any(|at| matches(after, &rest[at..]))
}

/// The items of a top-level list of a YAML file. This supports what is common in pnpm's files.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut items = Vec::new();
    for line in text.lines() {
        let plain = line.split(" #").next().unwrap_or_default().trim_end();
        if !plain.starts_with([' ', '-', '\t']) && !plain.is_empty() {
            is_inside = plain.strip_suffix(':') == Some(key);
        } else if let (true, Some(item)) = (is_inside, plain.trim_start().strip_prefix('-')) {
            items.push(item.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::tree;

    fn check(files: &[&str], manifest: &str, pnpm: &str, expected: &[&str]) {
        let files: Vec<String> = files.iter().map(|dir| format!("{dir}/package.json")).collect();
        let root = tree(&files.iter().map(|path| (path.as_str(), "{}")).collect::<Vec<_>>());
        if !pnpm.is_empty() {
            fs::write(root.path().join("pnpm-workspace.yaml"), pnpm).unwrap();
        }
        let package = Package::parse(manifest.as_bytes()).unwrap();
        let found = members(root.path(), &package);
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{manifest} {pnpm}");
    }

    const FILES: [&str; 6] =
        ["packages/a", "packages/b", "packages/b/deep", "tools/x", "packages/node_modules/c", "other"];

    #[test]
    fn members_are_found_by_every_kind_of_pattern() {
        check(&FILES, r#"{"workspaces": ["packages/*"]}"#, "", &["packages/a", "packages/b"]);
        check(&FILES, r#"{"workspaces": ["./tools/x/", "missing"]}"#, "", &["tools/x"]);
        check(
            &FILES,
            r#"{"workspaces": ["packages/**"]}"#,
            "",
            &["packages/a", "packages/b", "packages/b/deep"],
        );
        check(&FILES, r#"{"workspaces": ["pack*/a", "*her"]}"#, "", &["other", "packages/a"]);
        check(&FILES, r#"{"workspaces": ["packages/*", "!packages/b"]}"#, "", &["packages/a"]);
        check(&FILES, "{}", "", &[]);
    }

    #[test]
    fn pnpms_own_file_counts() {
        let text = "# all\npackages:\n  - 'packages/*' # these\n  - \"!**/b\"\ncatalog:\n  - no\n";
        check(&FILES, "{}", text, &["packages/a"]);
    }
}
