//! Packages, which are unpacked once per instance.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::{fs, process};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use benchwright_worker::envelope::{Archive, Failed, PackageSource};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use crate::download;

/// Unpacks the packages that are not there yet. Returns the addresses of packages that are neither there nor
/// in the request; the same request is then sent again with them.
pub(crate) fn unpack_all(sources: &[PackageSource]) -> Result<Vec<String>, Failed> {
    let is_there = |source: &&PackageSource| Path::new(&source.dir).is_dir();
    let wanted: Vec<&PackageSource> = sources.iter().filter(|source| !is_there(source)).collect();
    let withheld: Vec<String> = wanted
        .iter()
        .filter(|source| source.archive == Archive::Withheld)
        .map(|source| source.id.clone())
        .collect();
    for source in wanted.into_iter().filter(|source| source.archive != Archive::Withheld) {
        match unpack(source) {
            Err(Problem::Full) => {
                // The disk may be full of programs of earlier comparisons.
                remove_others(sources);
                unpack(source)?;
            }
            result => result?,
        }
    }
    Ok(withheld)
}

/// Why a package is missing.
#[derive(Debug)]
enum Problem {
    /// No space is left.
    Full,
    /// Another failure.
    Failed(Failed),
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Failed {
        match problem {
            Problem::Failed(failed) => failed,
            Problem::Full => Failed {
                message: "unpack a package: no space is left in /tmp".into(),
                hint: "raise `lambda.tmp-size`".into(),
                may_pass: false,
            },
        }
    }
}

fn unpack(source: &PackageSource) -> Result<(), Problem> {
    let reader: Box<dyn Read> = match &source.archive {
        Archive::Url(url) => Box::new(download::get(url).map_err(Problem::Failed)?),
        Archive::Inline(text) => {
            let bytes = STANDARD.decode(text).map_err(|error| broken(source, &error.to_string()))?;
            Box::new(Cursor::new(bytes))
        }
        Archive::Withheld => return Err(broken(source, "it was not sent with the request")),
    };
    let target = PathBuf::from(&source.dir);
    // The package appears in one step, because an emulator runs several instances in one file system, and a
    // process may be ended at any time.
    let part = target.with_extension(format!("{}.part", process::id()));
    let unpacked = unpack_into(source, reader, &part).and_then(|()| place(source, &part, &target));
    if unpacked.is_err() {
        let _ = fs::remove_dir_all(&part);
    }
    unpacked
}

fn unpack_into(source: &PackageSource, reader: Box<dyn Read>, dir: &Path) -> Result<(), Problem> {
    let of_disk = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => Problem::Full,
        _ => broken(source, &error.to_string()),
    };
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).map_err(of_disk)?;
    // A program may have no data, but its working directory must exist.
    fs::create_dir_all(dir.join("root")).map_err(of_disk)?;
    let mut addressed = Addressed { inner: GzDecoder::new(reader), digest: Sha256::new() };
    tar::Archive::new(&mut addressed).unpack(dir).map_err(|error| match full(&error) {
        true => Problem::Full,
        false => broken(source, &error.to_string()),
    })?;
    // The end of an archive is padding that the archive reader does not read.
    io::copy(&mut addressed, &mut io::sink()).map_err(of_disk)?;
    let id = hex::encode(&addressed.digest.finalize()[..16]);
    if id != source.id {
        return Err(broken(source, &format!("what came is {id}")));
    }
    Ok(())
}

/// The archive reader wraps errors of the system in its own.
fn full(error: &io::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if kind == Some(io::ErrorKind::StorageFull) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn place(source: &PackageSource, part: &Path, target: &Path) -> Result<(), Problem> {
    match fs::rename(part, target) {
        // Another process has already unpacked the same package.
        Err(_) if target.is_dir() => {
            let _ = fs::remove_dir_all(part);
            Ok(())
        }
        result => result.map_err(|error| broken(source, &error.to_string())),
    }
}

/// Removes everything beside these packages.
fn remove_others(sources: &[PackageSource]) {
    let kept: Vec<&Path> = sources.iter().map(|source| Path::new(&source.dir)).collect();
    let Some(parent) = kept.first().and_then(|path| path.parent()) else { return };
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if !kept.contains(&path.as_path()) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

fn broken(source: &PackageSource, why: &str) -> Problem {
    Problem::Failed(Failed {
        message: format!("unpack the package {}: {why}", source.id),
        hint: String::new(),
        may_pass: true,
    })
}

/// Computes the digest of the bytes that are read.
struct Addressed<R> {
    inner: R,
    digest: Sha256,
}

impl<R: Read> Read for Addressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.digest.update(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A package with one file, and its address.
    fn package(text: &str) -> (String, String) {
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o755);
        archive.append_data(&mut header, "out/p", text.as_bytes()).unwrap();
        let bytes = archive.into_inner().unwrap();
        let id = hex::encode(&Sha256::digest(&bytes)[..16]);
        let mut compressed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        compressed.write_all(&bytes).unwrap();
        (id, STANDARD.encode(compressed.finish().unwrap()))
    }

    fn source(dir: &Path, id: &str, archive: Archive) -> PackageSource {
        PackageSource { id: id.into(), dir: dir.join(id).display().to_string(), archive }
    }

    #[test]
    fn a_package_is_unpacked_once_and_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let (id, text) = package("program");
        let inline = source(dir.path(), &id, Archive::Inline(text));
        let withheld = source(dir.path(), &id, Archive::Withheld);
        assert_eq!(unpack_all(std::slice::from_ref(&withheld)).unwrap(), std::slice::from_ref(&id));
        assert_eq!(unpack_all(&[inline]).unwrap(), Vec::<String>::new());
        assert_eq!(unpack_all(&[withheld]).unwrap(), Vec::<String>::new());
        assert_eq!(fs::read_to_string(dir.path().join(&id).join("out/p")).unwrap(), "program");
        assert!(dir.path().join(&id).join("root").is_dir());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_not_what_it_should_be_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let (_, text) = package("program");
        let check = |archive: Archive, word: &str| {
            let failed = unpack_all(&[source(dir.path(), "abc", archive)]).unwrap_err();
            assert!(failed.message.contains(word), "{failed:?}");
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        };
        check(Archive::Inline(text.clone()), "what came is");
        check(Archive::Inline("!".into()), "abc");
        check(Archive::Inline(text[..text.len() / 2 / 4 * 4].into()), "abc");
    }

    #[test]
    fn other_packages_make_room() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["old", "kept"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        remove_others(&[source(dir.path(), "kept", Archive::Withheld)]);
        assert!(dir.path().join("kept").is_dir() && !dir.path().join("old").exists());
    }
}
