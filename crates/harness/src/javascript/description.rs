//! The executable of this harness: a small file that describes how one benchmark file is run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::tree::TREE;

/// How a benchmark file is run. Its content does not depend on the location of the build, so it is equal for
/// equal versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Description {
    /// The benchmark file, relative to the version's root.
    pub(super) script: String,
    /// The working directory, relative to the version's root.
    pub(super) dir: String,
    /// Options for node.
    pub(super) node_args: Vec<String>,
    /// vitest's program, relative to the version's root. `None` if node runs the file itself.
    pub(super) vitest: Option<String>,
    /// Lines of the project's code that name a document. Such a document is data.
    pub(super) documents: Vec<String>,
}

impl Description {
    /// Writes it to `path`.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        fs::write(path, serde_json::to_vec_pretty(self).map_err(io::Error::from)?)
    }

    /// Reads it back.
    pub(super) fn read(path: &Path) -> io::Result<Description> {
        serde_json::from_slice(&fs::read(path)?).map_err(io::Error::from)
    }

    /// The path in the build's copy for a path relative to the version's root, with links resolved as node
    /// does.
    pub(super) fn locate(out: &Path, relative: &str) -> PathBuf {
        let path = match relative.is_empty() {
            true => out.join(TREE),
            false => out.join(TREE).join(relative),
        };
        path.canonicalize().unwrap_or(path)
    }
}

/// The description's name. It depends only on the file's path, so that both versions have paths of the same
/// length.
pub(super) fn file_name(script: &str) -> String {
    const LONGEST: usize = 180;
    let flat = script.replace('/', "@");
    if flat.len() <= LONGEST {
        return format!("{flat}.json");
    }
    let hash = flat.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}@{}.json", &flat[flat.ceil_char_boundary(flat.len() - 40)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_survives_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let description = Description {
            script: "bench/a.js".into(),
            dir: String::new(),
            node_args: vec!["--expose-gc".into()],
            vitest: None,
            documents: Vec::new(),
        };
        let path = dir.path().join(file_name("bench/a.js"));
        assert!(path.ends_with("bench@a.js.json"));
        description.write(&path).unwrap();
        assert_eq!(Description::read(&path).unwrap(), description);
        fs::write(&path, "{\"script\": 1").unwrap();
        assert!(Description::read(&path).is_err());
    }

    #[test]
    fn names_are_not_too_long_for_a_file_system() {
        let name = file_name(&"ä/".repeat(400));
        assert!(name.len() < 255, "{name}");
        assert_ne!(name, file_name(&"ä/".repeat(401)));
    }
}
