//! Git LFS files without Git LFS.
//!
//! The `git-lfs` program may be missing, and if it is there, it downloads missing files into the user's
//! repository. So its filter is switched off, and pointers are replaced by the contents that the repository
//! already has.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git::{Git, path_of};
use super::{Repository, TreeFile, VersionError};

const POINTER_HEADING: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// The maximum size of a pointer, as defined by the format.
const POINTER_MAX_BYTES: u64 = 1024;

/// Git that leaves the pointers of Git LFS as they are.
pub(super) fn without_filter(git: Git) -> Git {
    git.setting("filter.lfs.clean=")
        .setting("filter.lfs.smudge=")
        .setting("filter.lfs.process=")
        .setting("filter.lfs.required=false")
}

/// Replaces the pointers among `files` by their contents. Returns the files whose contents are not on this
/// machine.
pub(super) fn fill_in(
    git: &Git,
    repository: &Repository,
    dir: &Path,
    files: &[TreeFile],
) -> Result<Vec<PathBuf>, VersionError> {
    let mut pointers = Vec::new();
    for file in files.iter().filter(|file| file.mode.starts_with("100")) {
        let path = dir.join(&file.path);
        let size = fs::symlink_metadata(&path).map_err(VersionError::file("read", &path))?.len();
        if size > POINTER_MAX_BYTES || size < POINTER_HEADING.len() as u64 {
            continue;
        }
        if let Some(pointer) = Pointer::parse(&fs::read(&path).map_err(VersionError::file("read", &path))?) {
            pointers.push((file.path.clone(), pointer));
        }
    }
    if pointers.is_empty() {
        return Ok(Vec::new());
    }
    let filtered = filtered_paths(git, pointers.iter().map(|(path, _)| path.as_path()))?;
    let storage = storage(repository)?;
    let mut missing = Vec::new();
    for (path, pointer) in pointers.into_iter().filter(|(path, _)| filtered.contains(path)) {
        if !pointer.copy_contents(&storage, &dir.join(&path))? {
            missing.push(path);
        }
    }
    Ok(missing)
}

/// The `paths` that the version's attributes assign to Git LFS.
fn filtered_paths<'a>(
    git: &Git,
    paths: impl Iterator<Item = &'a Path>,
) -> Result<Vec<PathBuf>, VersionError> {
    let mut input = Vec::new();
    for path in paths {
        input.extend_from_slice(path.as_os_str().as_bytes());
        input.push(0);
    }
    let answer = git.bytes(&["check-attr", "--cached", "-z", "--stdin", "filter"], &input)?;
    let fields: Vec<&[u8]> = answer.split(|byte| *byte == 0).collect();
    let is_lfs = fields.chunks_exact(3).filter(|fields| fields[2] == b"lfs");
    Ok(is_lfs.map(|fields| path_of(fields[0]).to_owned()).collect())
}

fn storage(repository: &Repository) -> Result<PathBuf, VersionError> {
    let configured = repository.git().try_text(&["config", "--get", "lfs.storage"])?;
    Ok(repository.common_dir.join(configured.as_deref().unwrap_or("lfs")).join("objects"))
}

/// The content of a pointer file.
#[derive(Debug, PartialEq, Eq)]
struct Pointer {
    id: String,
    size: u64,
}

impl Pointer {
    fn parse(bytes: &[u8]) -> Option<Pointer> {
        let text = std::str::from_utf8(bytes.strip_prefix(POINTER_HEADING)?).ok()?;
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        let id = value("oid")?.strip_prefix("sha256:")?;
        let is_id = id.len() == 64 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(Pointer { id: is_id.then(|| id.to_owned())?, size: value("size")?.parse().ok()? })
    }

    /// Replaces the pointer by the contents. Returns `false` if they are not on this machine.
    fn copy_contents(&self, storage: &Path, to: &Path) -> Result<bool, VersionError> {
        let from = storage.join(&self.id[..2]).join(&self.id[2..4]).join(&self.id);
        if !fs::metadata(&from).is_ok_and(|metadata| metadata.len() == self.size) {
            // No object is stored for an empty file.
            return Ok(self.size == 0 && fs::write(to, b"").is_ok());
        }
        let mut source = File::open(&from).map_err(VersionError::file("read", &from))?;
        let mut target = File::create(to).map_err(VersionError::file("write", to))?;
        io::copy(&mut source, &mut target).map_err(VersionError::file("write", to))?;
        Ok(true)
    }
}
