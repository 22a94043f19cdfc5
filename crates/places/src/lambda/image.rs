//! The function's program in the format of the platform.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::lambda::LambdaError;
use crate::package::elf::{Facts, remedy};
use crate::package::{Architecture, Runtime};

/// The name of the program that the platform starts.
const ENTRY: &str = "bootstrap";

/// The function's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionImage {
    /// Its architecture.
    pub architecture: Architecture,
    /// The program's own size.
    pub program_bytes: u64,
    /// The archive to deploy.
    pub zip: Vec<u8>,
}

/// Possible paths of the function's program: beside benchwright's own, with or without the architecture in
/// its name.
fn candidates(architecture: Architecture) -> Vec<PathBuf> {
    let here = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
    let names = [format!("benchwright-function-{architecture}"), "benchwright-function".to_owned()];
    here.iter().flat_map(|dir| names.iter().map(|name| dir.join(name))).collect()
}

/// Finds the function's program at `path`, or beside benchwright's own, and prepares it for deployment.
pub fn find_image(path: Option<&Path>, architecture: Architecture) -> Result<FunctionImage, LambdaError> {
    let places = path.map_or_else(|| candidates(architecture), |path| vec![path.to_path_buf()]);
    let Some(found) = places.iter().find(|path| path.is_file()) else {
        return Err(LambdaError::NoImage { places });
    };
    let bytes = fs::read(found).map_err(|source| LambdaError::Image { path: found.clone(), source })?;
    let runtime = Runtime::provided_al2023(architecture);
    let unfit = |why: String, hint: String| LambdaError::UnfitImage { path: found.clone(), why, hint };
    let facts = Facts::of(&bytes).map_err(|error| unfit(error.to_string(), String::new()))?;
    let misfits = facts.misfits(&runtime);
    if let Some(first) = misfits.first() {
        return Err(unfit(first.to_string(), remedy("cargo", &misfits, &runtime)));
    }
    let zip = zip(&bytes).map_err(|source| LambdaError::Image { path: found.clone(), source })?;
    Ok(FunctionImage { architecture, program_bytes: bytes.len() as u64, zip })
}

/// An archive that contains one program. It contains no time, so that it is the same for the same program.
fn zip(program: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(program)?;
    let compressed = encoder.finish()?;
    let mut crc = flate2::Crc::new();
    crc.update(program);
    let size = |length: usize| u32::try_from(length).map_err(io::Error::other);
    let common = common_header(crc.sum(), size(compressed.len())?, size(program.len())?);
    let mut archive = Vec::with_capacity(compressed.len() + 256);
    archive.extend(0x0403_4b50u32.to_le_bytes());
    archive.extend(&common);
    archive.extend(ENTRY.as_bytes());
    archive.extend(&compressed);
    let directory_at = size(archive.len())?;
    archive.extend(0x0201_4b50u32.to_le_bytes());
    // Made on Unix, where permissions are kept.
    archive.extend(0x031eu16.to_le_bytes());
    archive.extend(&common);
    // No comment, first disk, no internal attributes, executable for all users, at offset 0.
    archive.extend([0; 6]);
    archive.extend((0o100_755u32 << 16).to_le_bytes());
    archive.extend(0u32.to_le_bytes());
    archive.extend(ENTRY.as_bytes());
    let directory_size = size(archive.len())? - directory_at;
    archive.extend(0x0605_4b50u32.to_le_bytes());
    archive.extend([0, 0, 0, 0, 1, 0, 1, 0]);
    archive.extend(directory_size.to_le_bytes());
    archive.extend(directory_at.to_le_bytes());
    archive.extend([0, 0]);
    Ok(archive)
}

/// The common part of the entry's own header and the one in the directory, from the required version to the
/// length of extra fields.
fn common_header(crc: u32, compressed: u32, size: u32) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(20u16.to_le_bytes());
    header.extend(0u16.to_le_bytes());
    header.extend(8u16.to_le_bytes());
    // Midnight of the first possible day: 1 January 1980.
    header.extend(0u16.to_le_bytes());
    header.extend(0x21u16.to_le_bytes());
    header.extend(crc.to_le_bytes());
    header.extend(compressed.to_le_bytes());
    header.extend(size.to_le_bytes());
    header.extend((ENTRY.len() as u16).to_le_bytes());
    header.extend(0u16.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The archive is checked with Python's reader: the name, the contents, the checksum and the permissions.
    #[test]
    fn another_program_reads_the_archive() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f.zip");
        let program: Vec<u8> = (0..100_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        fs::write(&path, zip(&program).unwrap()).unwrap();
        fs::write(dir.path().join("expected"), &program).unwrap();
        let script = "import sys, zipfile\n\
             z = zipfile.ZipFile(sys.argv[1])\n\
             assert z.testzip() is None\n\
             [i] = z.infolist()\n\
             assert i.filename == 'bootstrap' and i.external_attr >> 16 == 0o100755, i\n\
             assert z.read(i) == open(sys.argv[2], 'rb').read()\n";
        let Some(python) = benchwright_testkit::tool("python3") else { return };
        let mut judge = Command::new(python);
        judge.args(["-c", script]).arg(&path).arg(dir.path().join("expected"));
        assert!(judge.status().unwrap().success());
        assert_eq!(zip(&program).unwrap(), zip(&program).unwrap());
    }

    #[test]
    fn a_missing_or_unfit_program_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let error = find_image(Some(&path), Architecture::X86).unwrap_err();
        assert!(matches!(&error, LambdaError::NoImage { places } if places == std::slice::from_ref(&path)));
        fs::write(&path, "#!/bin/sh\n").unwrap();
        let error = find_image(Some(&path), Architecture::X86).unwrap_err();
        assert!(error.to_string().contains("recognise a 64-bit Linux program"), "{error}");
        let other = if Architecture::here() == Some(Architecture::X86) {
            Architecture::Arm
        } else {
            Architecture::X86
        };
        let error = find_image(Some(&env::current_exe().unwrap()), other).unwrap_err();
        assert!(error.to_string().contains("it is built for"), "{error}");
    }
}
