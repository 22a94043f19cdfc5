//! Documents that are named in code and therefore count as data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::workspace;
use crate::document::is_document;

/// Larger files are not written by hand.
const LARGEST: u64 = 1 << 20;

/// The names of documents in the tree that occur in its code. Markdown parsers are benchmarked with a README.
pub(super) fn mentioned(tree: &Path) -> Vec<String> {
    let mut files = Vec::new();
    collect(tree, PathBuf::new(), &mut files);
    let name_of = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let documents: BTreeSet<String> =
        files.iter().filter(|path| path.to_str().is_some_and(is_document)).filter_map(name_of).collect();
    let mut found = BTreeSet::new();
    for path in files.iter().filter(|path| is_code(path)) {
        let path = tree.join(path);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= LARGEST) {
            let text = fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            found.extend(documents.iter().filter(|name| text.contains(name.as_str())).cloned());
        }
    }
    found.into_iter().collect()
}

fn collect(tree: &Path, at: PathBuf, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(tree.join(&at)).into_iter().flatten().flatten();
    let plain = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.extend(plain.map(|entry| at.join(entry.file_name())));
    for name in workspace::directories(&tree.join(&at)) {
        collect(tree, at.join(name), files);
    }
}

fn is_code(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    matches!(ending, "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" | "json")
}

/// Whether a path of the project, relative and with `/`, cannot matter to its benchmarks: a document, or a
/// file in a directory for tools such as `.github`. All other files may be imported or read.
pub(super) fn is_irrelevant(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let directories = path.strip_suffix(name).unwrap_or_default();
    is_document(path) || directories.split('/').any(|part| part.starts_with('.') && part.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_named_in_code_are_found() {
        let dir = crate::test_files::tree(&[
            ("README.md", ""),
            ("CHANGELOG.md", "see LICENSE"),
            ("LICENSE", ""),
            ("docs/guide.md", ""),
            ("bench/parse.js", "readFileSync('../docs/guide.md')"),
            ("src/a.ts", "// README.md says why"),
            ("node_modules/x/index.js", "LICENSE"),
        ]);
        assert_eq!(mentioned(dir.path()), ["README.md", "guide.md"]);
    }

    #[test]
    fn only_documents_and_files_for_tools_are_irrelevant() {
        let check = |path: &str, expected| assert_eq!(is_irrelevant(path), expected, "{path}");
        check("README.md", true);
        check(".github/workflows/ci.yml", true);
        check("docs/a.md", true);
        check("src/index.js", false);
        check("package-lock.json", false);
        check(".npmrc", false);
        check("bench/README.md", false);
        check("data.md", false);
    }
}
