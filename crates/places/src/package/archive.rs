//! Makes an archive from files, with an address that depends on its contents.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A program and its files, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The address: 32 hexadecimal digits computed from the contents.
    pub id: String,
    /// The compressed archive.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The size of its contents.
    pub unpacked_bytes: u64,
}

/// Why a program could not be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file of it cannot be read.
    #[error("read `{}` for its package", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The archive cannot be written.
    #[error("write the package `{}`", .path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl PackageError {
    /// Advice for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            PackageError::Read { .. } => "was the build removed while it was in use?",
            PackageError::Write { .. } => "check the directory's rights and the space left on its disk",
        }
    }
}

/// Packs `files` (from path in the archive to path on this machine) into a file in `dir`, which must exist. A
/// directory is included without its contents. The same files have the same address, because owners, times
/// and other facts about this machine are left out.
pub fn pack(files: &BTreeMap<PathBuf, PathBuf>, dir: &Path) -> Result<Package, PackageError> {
    let write_error = |path: &Path, source| PackageError::Write { path: path.into(), source };
    let temporary = tempfile::NamedTempFile::new_in(dir).map_err(|source| write_error(dir, source))?;
    let compressed = GzEncoder::new(BufWriter::new(temporary), Compression::default());
    let mut archive = tar::Builder::new(Addressed { inner: compressed, digest: Sha256::new(), bytes: 0 });
    archive.mode(tar::HeaderMode::Deterministic);
    archive.follow_symlinks(false);
    for (name, path) in files {
        append(&mut archive, name, path)
            .map_err(|source| PackageError::Read { path: path.clone(), source })?;
    }
    let finished = archive.into_inner().and_then(|addressed| {
        let (id, unpacked_bytes) = (hex::encode(&addressed.digest.finalize()[..16]), addressed.bytes);
        let file = addressed.inner.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((id, unpacked_bytes, file))
    });
    let (id, unpacked_bytes, file) = finished.map_err(|source| write_error(dir, source))?;
    let path = dir.join(format!("{id}.tar.gz"));
    let bytes = file.as_file().metadata().map_err(|source| write_error(&path, source))?.len();
    file.persist(&path).map_err(|error| write_error(&path, error.error))?;
    Ok(Package { id, path, bytes, unpacked_bytes })
}

fn append(archive: &mut tar::Builder<impl Write>, name: &Path, path: &Path) -> io::Result<()> {
    let metadata = path.symlink_metadata()?;
    let mut header = tar::Header::new_gnu();
    header.set_mtime(0);
    if metadata.is_symlink() {
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        header.set_mode(0o777);
        return archive.append_link(&mut header, name, std::fs::read_link(path)?);
    }
    if metadata.is_dir() {
        header.set_entry_type(tar::EntryType::Directory);
        header.set_size(0);
        header.set_mode(0o755);
        return archive.append_data(&mut header, name, io::empty());
    }
    // Of the permissions, only the executable bit matters.
    let mode = if metadata.permissions().mode() & 0o111 == 0 { 0o644 } else { 0o755 };
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(metadata.len());
    header.set_mode(mode);
    archive.append_data(&mut header, name, File::open(path)?)
}

/// Counts the bytes written, and computes their digest.
struct Addressed<W> {
    inner: W,
    digest: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Addressed<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(buffer)?;
        self.digest.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn packed(dir: &Path, files: &[(&str, &str)]) -> Package {
        let here = tempfile::tempdir().unwrap();
        let mut map = BTreeMap::new();
        for (name, text) in files {
            let path = here.path().join(name.replace('/', "-"));
            fs::write(&path, text).unwrap();
            map.insert(PathBuf::from(name), path);
        }
        pack(&map, dir).unwrap()
    }

    #[test]
    fn the_same_contents_have_the_same_address_and_others_another() {
        let dir = tempfile::tempdir().unwrap();
        let first = packed(dir.path(), &[("out/p", "program"), ("root/a", "1")]);
        let again = packed(dir.path(), &[("root/a", "1"), ("out/p", "program")]);
        assert_eq!(first, again);
        assert_ne!(first.id, packed(dir.path(), &[("out/p", "program"), ("root/a", "2")]).id);
        assert_ne!(first.id, packed(dir.path(), &[("out/p", "program"), ("root/b", "1")]).id);
        assert_eq!(first.id.len(), 32);
    }

    #[test]
    fn an_archive_gives_back_files_rights_and_links() {
        let (dir, here, there) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let program = here.path().join("p");
        fs::write(&program, "program").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let link = here.path().join("link");
        std::os::unix::fs::symlink("p", &link).unwrap();
        let long = format!("root/{}/x", "long".repeat(40));
        let map = BTreeMap::from([
            (PathBuf::from("root/empty"), here.path().to_path_buf()),
            (PathBuf::from("out/p"), program.clone()),
            (PathBuf::from("out/link"), link),
            (PathBuf::from(&long), program),
        ]);
        let package = pack(&map, dir.path()).unwrap();
        let file = flate2::read::GzDecoder::new(File::open(&package.path).unwrap());
        tar::Archive::new(file).unpack(there.path()).unwrap();
        assert_eq!(fs::read_to_string(there.path().join("out/link")).unwrap(), "program");
        assert_eq!(fs::read_to_string(there.path().join(long)).unwrap(), "program");
        assert_eq!(there.path().join("out/p").metadata().unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(there.path().join("root/empty")).unwrap().count(), 0);
        assert!(package.unpacked_bytes >= 14 && package.bytes > 0);
    }

    #[test]
    fn a_missing_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let map = BTreeMap::from([(PathBuf::from("out/p"), PathBuf::from("/no/such/program"))]);
        let error = pack(&map, dir.path()).unwrap_err();
        assert_eq!(error.to_string(), "read `/no/such/program` for its package");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
