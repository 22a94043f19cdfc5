//! Files of a check-out: which are source, which have `#[bench]`, and how to make all of them look new.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

/// Whether a path of the project, relative and with `/`, is compiled into the executables or cannot matter to
/// them.
pub(super) fn is_source(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let directories = path.strip_suffix(name).unwrap_or_default();
    name.ends_with(".rs")
        || crate::document::is_document(path)
        || matches!(name, "Cargo.toml" | "Cargo.lock")
        || name.starts_with("rust-toolchain")
        || directories.split('/').any(|part| part.starts_with('.') && part.len() > 1)
}

/// Sets the modification time of every file of the check-out to the present time.
///
/// Cargo considers a unit fresh if no source is newer than the unit's own record, and identifies sources by
/// their path relative to the workspace. So two versions that share a target directory look the same, unless
/// the files of the version to be built are newer than everything built before. Files that cannot be touched
/// are skipped: the build notices units that Cargo considered fresh.
pub(super) fn touch(directory: &Path) {
    let now = SystemTime::now();
    walk(directory, &mut |name| name == ".git", &mut |path| {
        if let Ok(file) = File::open(path) {
            // The build detects an error here, see above.
            let _ = file.set_modified(now);
        }
    });
}

/// Whether any Rust file at or below `path` has a `#[bench]` function.
pub(super) fn has_bench_attribute(path: &Path) -> bool {
    let mut found = false;
    let mut look = |path: &Path| {
        if !found && path.extension().is_some_and(|extension| extension == "rs") {
            found = fs::read(path).is_ok_and(|bytes| contains(&bytes, b"#[bench]"));
        }
    };
    if path.is_file() {
        look(path);
    } else {
        walk(path, &mut |name| name == "target" || name.starts_with('.'), &mut look);
    }
    found
}

/// Calls `file` with every plain file below `directory`; symbolic links are not followed.
fn walk(directory: &Path, skip: &mut dyn FnMut(&str) -> bool, file: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if !skip(&entry.file_name().to_string_lossy()) {
                walk(&entry.path(), skip, file);
            }
        } else if kind.is_file() {
            file(&entry.path());
        }
    }
}

/// Whether `bytes` contain `text`.
pub(super) fn contains(bytes: &[u8], text: &[u8]) -> bool {
    occurrences(bytes, text).next().is_some()
}

/// Where `text` begins in `bytes`; nowhere if it is empty.
pub(super) fn occurrences<'a>(bytes: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let first = text.first().copied();
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = first?;
        loop {
            let start = at + bytes.get(at..)?.iter().position(|&byte| byte == first)?;
            at = start + 1;
            if bytes[start..].starts_with(text) {
                return Some(start);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_manifests_and_hidden_directories_are_source() {
        let check = |path: &str, expected: bool| assert_eq!(is_source(path), expected, "{path}");
        check("src/lib.rs", true);
        check("crates/a/Cargo.toml", true);
        check("Cargo.lock", true);
        check("rust-toolchain.toml", true);
        check(".cargo/config.toml", true);
        check(".github/workflows/ci.yml", true);
        check("README.md", true);
        check("benches/data/text.txt", false);
        check("build/table.bin", false);
        check(".env", false);
        check("rs", false);
    }

    #[test]
    fn occurrences_are_found_even_where_they_overlap() {
        let check = |bytes: &str, text: &str, expected: &[usize]| {
            let found: Vec<usize> = occurrences(bytes.as_bytes(), text.as_bytes()).collect();
            assert_eq!(found, expected, "{text} in {bytes}");
        };
        check("aaaa", "aa", &[0, 1, 2]);
        check("xabxab", "ab", &[1, 4]);
        check("ab", "abc", &[]);
        check("ab", "", &[]);
        check("", "a", &[]);
    }

    #[test]
    fn touching_makes_every_file_new_but_leaves_git_alone() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        for name in ["a.rs", "deep/er/b.txt", ".cargo/config.toml", ".git/index"] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(&path, "x").expect("a file");
            File::open(&path).expect("the file").set_modified(old).expect("a time");
        }
        touch(dir.path());
        let time = |name: &str| fs::metadata(dir.path().join(name)).expect(name).modified().expect("a time");
        assert!(time("a.rs") > old && time("deep/er/b.txt") > old && time(".cargo/config.toml") > old);
        assert_eq!(time(".git/index"), old);
    }
}
