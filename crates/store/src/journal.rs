//! The journal of a run, which holds all of its data until it ends.
//!
//! There is one record per line, preceded by the line's checksum: the header first, then trials and notes in
//! the order in which they came. A record has been passed to the system before [`Journal::append`] returns.
//! So a kill loses at most the trial that was running, and leaves at most one incomplete line at the end. The
//! write to the disk begins then, but is not waited for: waiting would cost every trial measuring time, and a
//! power failure loses only the trials of the last milliseconds.

mod error;
mod frame;
mod medium;
mod scan;

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use benchwright_model::{BenchmarkId, Diagnostic, Instance, Run, Trial};

pub use error::JournalError;
use frame::{FirstRecord, Record};
use medium::{Medium, SyncedFile};

/// The facts about a run before its first trial.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalHeader {
    /// The run.
    pub run: Run,
    /// The benchmarks that will be measured.
    pub benchmarks: Vec<BenchmarkId>,
    /// Other data that is needed to resume it, by names that the caller chooses.
    pub options: BTreeMap<String, String>,
}

/// The content of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalContent {
    /// Its first record.
    pub header: JournalHeader,
    /// The trials that ended, in order.
    pub trials: Vec<Trial>,
    /// The instances that trials ran on, in the order in which they first occurred.
    pub instances: Vec<Instance>,
    /// The diagnostics of the run, in order.
    pub notes: Vec<Diagnostic>,
    /// Errors of the file itself: an incomplete end, unreadable records.
    pub diagnostics: Vec<Diagnostic>,
}

/// A journal that is open for appending. Other processes cannot open it until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    medium: Box<dyn Medium>,
    /// Bytes of the file that hold whole records.
    length: u64,
    /// Whether bytes of a failed append may be after `length`.
    is_torn: bool,
}

impl Journal {
    /// Makes the file, which must not exist, and its directory, and writes the header to the disk.
    pub fn create(path: &Path, header: &JournalHeader) -> Result<Journal, JournalError> {
        let failed = |source| JournalError::Create { path: path.to_owned(), source };
        let dir = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(failed)?;
        let file = OpenOptions::new().append(true).create_new(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        let mut journal = Journal::over(Box::new(SyncedFile::new(file)), path, 0);
        let written =
            journal.write(&FirstRecord::text(header)).and_then(|()| sync_directory(dir).map_err(failed));
        if written.is_err() {
            // Without a header the file is useless. If it cannot be removed, reading it reports this.
            let _ = fs::remove_file(path);
        }
        written.map(|()| journal)
    }

    /// Opens the journal of a run that was killed, to continue it. An incomplete last record is cut off and
    /// reported by a diagnostic. Fails while another process has it open.
    pub fn reopen(path: &Path) -> Result<(Journal, JournalContent), JournalError> {
        let failed = |source| JournalError::Read { path: path.to_owned(), source };
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        let scan = scan::scan(path, &fs::read(path).map_err(failed)?)?;
        let mut journal = Journal::over(Box::new(SyncedFile::new(file)), path, scan.good_length);
        journal.is_torn = true;
        journal.restore()?;
        if scan.lacks_newline {
            journal.put(b"\n")?;
        }
        Ok((journal, scan.content))
    }

    /// Reads a journal without changing it, even while another process writes it.
    pub fn read(path: &Path) -> Result<JournalContent, JournalError> {
        let bytes = fs::read(path).map_err(|source| JournalError::Read { path: path.to_owned(), source })?;
        Ok(scan::scan(path, &bytes)?.content)
    }

    /// Writes a trial. After an error the journal is as it was before, and the trial may be appended again.
    pub fn append(&mut self, trial: &Trial) -> Result<(), JournalError> {
        self.write(&Record::trial_text(trial))
    }

    /// Writes a note, under the same conditions.
    pub fn append_note(&mut self, note: &Diagnostic) -> Result<(), JournalError> {
        self.write(&Record::note_text(note))
    }

    /// Writes the facts about an instance that trials ran on, under the same conditions.
    pub fn append_instance(&mut self, instance: &Instance) -> Result<(), JournalError> {
        self.write(&Record::instance_text(instance))
    }

    /// Removes the file when the run is in the store.
    pub fn discard(self) -> Result<(), JournalError> {
        let failed = |source| JournalError::Discard { path: self.path.clone(), source };
        fs::remove_file(&self.path).map_err(failed)?;
        sync_directory(self.path.parent().unwrap_or(Path::new("."))).map_err(failed)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn over(medium: Box<dyn Medium>, path: &Path, length: u64) -> Journal {
        Journal { path: path.to_owned(), medium, length, is_torn: false }
    }

    fn write(&mut self, json: &str) -> Result<(), JournalError> {
        self.put(&frame::line(json))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        self.restore()?;
        let written = self.medium.write_all(bytes).and_then(|()| self.medium.sync());
        if let Err(source) = written {
            // If even this fails, the next append tries it again, and readers accept incomplete ends.
            self.is_torn = self.medium.cut(self.length).is_err();
            return Err(JournalError::append(&self.path, source));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn restore(&mut self) -> Result<(), JournalError> {
        if self.is_torn {
            self.medium.cut(self.length).map_err(|source| JournalError::append(&self.path, source))?;
            self.is_torn = false;
        }
        Ok(())
    }
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse { path: path.to_owned() }),
        // Some network file systems have no locks. The journal works there too.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Makes a new or removed name in `dir` survive a power failure.
fn sync_directory(dir: &Path) -> std::io::Result<()> {
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests;
