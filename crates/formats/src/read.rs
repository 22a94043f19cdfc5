//! Reads results from a path or from bytes.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::criterion;
use crate::format::READERS;
use crate::reading::encoding::{Decoded, decode};
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::{Imported, Limits, ReadError};

/// Reads a file, or a directory of Criterion, within the default limits. The content determines the format.
/// The result is never empty: if nothing in a file was understood, it is one set without benchmarks, with
/// diagnostics.
pub fn read_path(path: &Path) -> Result<Vec<Imported>, ReadError> {
    Limits::default().read_path(path)
}

/// Reads bytes in memory within the default limits. `name` is used in diagnostics.
pub fn read(name: &str, bytes: &[u8]) -> Result<Vec<Imported>, ReadError> {
    Limits::default().read(name, bytes)
}

impl Limits {
    /// Like [`read_path`] within these limits.
    pub fn read_path(self, path: &Path) -> Result<Vec<Imported>, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.into(), source };
        if fs::metadata(path).map_err(unreadable)?.is_dir() {
            return criterion::read_folder(path, self);
        }
        if let Some(folder) = criterion::folder_of(path) {
            return criterion::read_folder(folder, self);
        }
        let file = File::open(path).map_err(unreadable)?;
        self.read(&path.display().to_string(), file)
    }

    /// Reads a stream within these limits. `name` is used in diagnostics.
    pub fn read<'a>(self, name: &str, source: impl Read + 'a) -> Result<Vec<Imported>, ReadError> {
        read_stream(name, Box::new(source), self)
    }
}

fn read_stream<'a>(
    name: &str,
    source: Box<dyn Read + 'a>,
    limits: Limits,
) -> Result<Vec<Imported>, ReadError> {
    let unreadable = |source| ReadError::Unreadable { path: PathBuf::from(name), source };
    let Decoded { source, undone } = decode(source).map_err(unreadable)?;
    let mut input = Input::new(name, source, limits);
    for encoding in undone.iter().filter(|encoding| **encoding != "gzip") {
        input.diagnostics.note(format!("is {encoding}; it is read as that"));
    }
    let head = Head::of(&mut input);
    if head.text.trim_ascii().is_empty() && head.text.len() < 1024 {
        return match input.take_error() {
            Some(error) => Err(unreadable(error)),
            None => Err(ReadError::Empty { name: name.into() }),
        };
    }
    match READERS.iter().find(|reader| (reader.recognise)(&head)) {
        Some(reader) => Ok((reader.read)(input)),
        None => Err(match input.take_error() {
            Some(error) => unreadable(error),
            None => ReadError::Unknown { name: name.into(), found: head.describe() },
        }),
    }
}
