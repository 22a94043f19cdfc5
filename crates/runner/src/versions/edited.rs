//! A version with other contents of some files.

use std::fs;
use std::path::PathBuf;

use benchwright_model::Version;

use super::{Cache, Repository, VersionError, lfs};

/// A file with its new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    /// Relative to the version's root.
    pub path: PathBuf,
    /// What it contains.
    pub content: Vec<u8>,
}

impl Repository {
    /// `version` with these files, which may be new ones, under the name `label`. Its objects are stored in the cache: neither the
    /// repository nor the working tree changes, and the same edits are the same version again, with the same build.
    pub fn edited(
        &self,
        cache: &Cache,
        version: &Version,
        files: &[EditedFile],
        label: &str,
    ) -> Result<Version, VersionError> {
        let scratch = cache.temporary()?;
        let index = scratch.path().join("index");
        let git = lfs::without_filter(cache.with_objects(self.git(), self)?).env("GIT_INDEX_FILE", &index);
        git.bytes(&["read-tree", &version.tree], &[])?;
        let mut contents = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let content = scratch.path().join(number.to_string());
            fs::write(&content, &file.content).map_err(VersionError::file("write", &content))?;
            contents.extend_from_slice(content.as_os_str().as_encoded_bytes());
            contents.push(b'\n');
        }
        let ids = git.bytes(&["hash-object", "-w", "--no-filters", "--stdin-paths"], &contents)?;
        let ids = String::from_utf8_lossy(&ids).into_owned();
        let mut entries = Vec::new();
        for (file, id) in files.iter().zip(ids.lines()) {
            entries.extend_from_slice(format!("100644 {id}\t").as_bytes());
            entries.extend_from_slice(file.path.as_os_str().as_encoded_bytes());
            entries.push(0);
        }
        git.bytes(&["update-index", "-z", "--index-info"], &entries)?;
        let tree = git.text(&["write-tree"])?;
        Ok(Version { label: label.to_owned(), commit: None, tree, dirty: true, subject: String::new() })
    }
}
