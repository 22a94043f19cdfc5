//! The list of files in a check-out, stored beside it.
//!
//! The listing is written last, so it also marks the check-out as complete. It is later used to find the
//! files that differ between two versions, without git.

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::git::path_of;

const HEADING: &str = "benchwright check-out 1";

/// A file of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the version's root.
    pub path: PathBuf,
    /// As git writes it: `100644`, `100755`, `120000` for a symbolic link.
    pub mode: String,
    /// Git's id of its contents.
    pub id: String,
    /// Bytes on disk after check-out. For a symbolic link, the length of its target.
    pub size: u64,
}

/// Writes the listing in one step, so that it is either complete or absent.
pub(super) fn write(path: &Path, files: &[TreeFile]) -> io::Result<()> {
    let mut body = Vec::new();
    for file in files {
        write!(body, "{} {} {} ", file.mode, file.id, file.size)?;
        body.extend_from_slice(file.path.as_os_str().as_bytes());
        body.push(0);
    }
    let dir = path.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(dir)?;
    writeln!(temporary, "{HEADING} {}", hex::encode(Sha256::digest(&body)))?;
    temporary.write_all(&body)?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads a listing. `None` if there is none or it is damaged.
pub(crate) fn read(path: &Path) -> Option<Vec<TreeFile>> {
    let bytes = fs::read(path).ok()?;
    let line_end = bytes.iter().position(|byte| *byte == b'\n')?;
    let body = &bytes[line_end + 1..];
    if bytes[..line_end] != *format!("{HEADING} {}", hex::encode(Sha256::digest(body))).as_bytes() {
        return None;
    }
    body.split(|byte| *byte == 0).filter(|record| !record.is_empty()).map(parse).collect()
}

fn parse(record: &[u8]) -> Option<TreeFile> {
    let mut parts = record.splitn(4, |byte| *byte == b' ');
    let mut text = || Some(std::str::from_utf8(parts.next()?).ok()?.to_owned());
    let (mode, id, size) = (text()?, text()?, text()?.parse().ok()?);
    Some(TreeFile { mode, id, size, path: path_of(parts.next()?).to_owned() })
}

/// Whether every file exists with the size it had after check-out.
pub(super) fn is_intact(root: &Path, files: &[TreeFile]) -> bool {
    root.is_dir()
        && files.iter().all(|file| {
            fs::symlink_metadata(root.join(&file.path)).is_ok_and(|metadata| {
                metadata.len() == file.size && metadata.is_symlink() == (file.mode == "120000")
            })
        })
}
