//! Reading the bytes of a journal.

use std::path::Path;

use benchwright_model::Diagnostic;

use super::frame::{FORMAT, FirstRecord, Format, Record, unframe};
use super::{JournalContent, JournalError};

/// The content of a journal's bytes.
pub(super) struct Scan {
    pub(super) content: JournalContent,
    /// Number of bytes up to the end of the last complete line, or of a complete record that lacks only its
    /// newline.
    pub(super) good_length: u64,
    /// Whether that newline is missing.
    pub(super) lacks_newline: bool,
}

pub(super) fn scan(path: &Path, bytes: &[u8]) -> Result<Scan, JournalError> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut scan = Scan {
        content: first_record(path, first)?,
        good_length: first.len() as u64,
        lacks_newline: !first.ends_with(b"\n"),
    };
    for (index, line) in lines.enumerate() {
        scan.take(path, index as u32 + 2, line);
    }
    Ok(scan)
}

impl Scan {
    fn take(&mut self, path: &Path, number: u32, line: &[u8]) {
        let (text, is_ended) = match line.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (line, false),
        };
        let record = unframe(text).ok_or("its checksum does not match".to_owned());
        let record = record.and_then(|json| serde_json::from_slice(json).map_err(|error| error.to_string()));
        match record {
            Ok(Record::Trial(trial)) => self.content.trials.push(trial),
            Ok(Record::Instance(instance)) => self.content.instances.push(instance),
            Ok(Record::Note(note)) => self.content.notes.push(note),
            Err(_) if !is_ended => {
                self.content.diagnostics.push(torn(path, number, line.len()));
                return;
            }
            Err(why) => self.content.diagnostics.push(skipped(path, number, &why)),
        }
        self.good_length += line.len() as u64;
        self.lacks_newline = !is_ended;
    }
}

fn first_record(path: &Path, line: &[u8]) -> Result<JournalContent, JournalError> {
    let is_ended = line.ends_with(b"\n");
    let damaged = |what: String| match is_ended {
        true => JournalError::BadHeader { path: path.to_owned(), what },
        false => JournalError::NoHeader { path: path.to_owned() },
    };
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let json = unframe(text).ok_or_else(|| damaged("its checksum does not match".into()))?;
    let format: Format = serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
    if format.format > FORMAT {
        let (path, written_by) = (path.to_owned(), format.written_by);
        return Err(JournalError::Newer { path, written_by, format: format.format });
    }
    let header = FirstRecord::header(json).map_err(|error| damaged(error.to_string()))?;
    Ok(JournalContent {
        header,
        trials: Vec::new(),
        instances: Vec::new(),
        notes: Vec::new(),
        diagnostics: Vec::new(),
    })
}

fn torn(path: &Path, line: u32, bytes: usize) -> Diagnostic {
    let message = format!("the last record is incomplete, {bytes} bytes of it are left out");
    Diagnostic::warning(path.display().to_string(), message)
        .at(line, 1)
        .hint("the trial that was being written when the run was killed is measured again")
}

fn skipped(path: &Path, line: u32, why: &str) -> Diagnostic {
    let message = format!("a record is damaged and left out: {why}");
    Diagnostic::warning(path.display().to_string(), message)
        .at(line, 1)
        .hint("all other records are used; check the disk if the file was not edited")
}
