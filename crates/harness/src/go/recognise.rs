//! Finds modules, and the workspace of a module.

use std::fs;
use std::path::{Path, PathBuf};

use super::harness::NAME;
use crate::Project;

/// The modules at or below `root`, ordered by path. As in Go, a nested module is a project of its own.
pub(super) fn modules(root: &Path) -> Vec<Project> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = fs::read_dir(root.join(&dir)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !is_ignored(&name.to_string_lossy()) {
                waiting.push(dir.join(&name));
            } else if name == "go.mod" && !kind.is_dir() {
                found.push(Project { harness: NAME.into(), dir: dir.clone() });
            }
        }
    }
    found.sort_by(|a, b| a.dir.cmp(&b.dir));
    found
}

/// Directories in which the go command does not search for packages either. `node_modules` is added for
/// speed.
fn is_ignored(name: &str) -> bool {
    name.starts_with(['.', '_']) || matches!(name, "vendor" | "testdata" | "node_modules")
}

/// Whether a workspace file between `root` and the module applies to the module without listing it. The go
/// command then refuses to work in the module unless the workspace is switched off.
pub(super) fn is_outside_workspace(root: &Path, module: &Path) -> bool {
    let dir = root.join(module);
    let workspace = dir.ancestors().take_while(|above| above.starts_with(root)).find_map(|above| {
        let text = fs::read_to_string(above.join("go.work")).ok()?;
        Some((above, text))
    });
    let Some((base, text)) = workspace else { return false };
    let same = |used: &PathBuf| match (fs::canonicalize(base.join(used)), fs::canonicalize(&dir)) {
        (Ok(used), Ok(dir)) => used == dir,
        _ => false,
    };
    !used_directories(&text).iter().any(same)
}

/// The directories of the `use` directives in the text of a go.work file.
fn used_directories(text: &str) -> Vec<PathBuf> {
    let mut directories = Vec::new();
    let mut is_in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let argument = match (is_in_block, line.strip_prefix("use")) {
            (true, _) if line == ")" => {
                is_in_block = false;
                continue;
            }
            (true, _) => line,
            (false, Some(rest)) if rest.trim_start().starts_with('(') => {
                is_in_block = true;
                rest.trim_start().trim_start_matches('(').trim()
            }
            (false, Some(rest)) if rest.starts_with([' ', '\t']) => rest.trim(),
            _ => continue,
        };
        let path = argument.trim_matches(['"', '`']);
        if !path.is_empty() {
            directories.push(PathBuf::from(path));
        }
    }
    directories
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::tree;

    #[test]
    fn modules_are_found_outermost_first_and_ignored_directories_are_not_entered() {
        let root = tree(&[
            ("go.mod", "module a"),
            ("tools/go.mod", "module a/tools"),
            ("tools/deep/er/go.mod", "module b"),
            ("vendor/x/go.mod", ""),
            ("p/testdata/go.mod", ""),
            ("node_modules/x/go.mod", ""),
            (".cache/go.mod", ""),
            ("_old/go.mod", ""),
            ("lib/go.mod/readme.txt", "a directory of that name is no module"),
        ]);
        let dirs: Vec<_> = modules(root.path()).into_iter().map(|project| project.dir).collect();
        assert_eq!(dirs, [PathBuf::new(), "tools".into(), "tools/deep/er".into()]);
    }

    #[test]
    fn a_directory_without_modules_or_none_at_all_has_no_projects() {
        let root = tree(&[("main.go", "package main")]);
        assert_eq!(modules(root.path()), []);
        assert_eq!(modules(&root.path().join("missing")), []);
    }

    #[test]
    fn use_directives_are_read_in_every_form() {
        let check = |text: &str, expected: &[&str]| {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(used_directories(text), expected, "{text}");
        };
        check("go 1.24\nuse ./a\nuse \"./b c\" // why\n", &["./a", "./b c"]);
        check("use (\n\t./a\n\t// ./no\n\t./b\n)\nreplace x => ./c\n", &["./a", "./b"]);
        check("use(\n.\n)\n", &["."]);
        check("useful ./a\n", &[]);
    }

    #[test]
    fn only_modules_a_workspace_leaves_out_are_outside_it() {
        let root = tree(&[
            ("go.work", "go 1.24\nuse (\n\t.\n\t./in\n)\n"),
            ("go.mod", ""),
            ("in/go.mod", ""),
            ("out/go.mod", ""),
        ]);
        let check =
            |module: &str, expected| assert_eq!(is_outside_workspace(root.path(), module.as_ref()), expected);
        check("", false);
        check("in", false);
        check("out", true);
        let alone = tree(&[("go.mod", "")]);
        assert!(!is_outside_workspace(alone.path(), "".as_ref()));
    }
}
