//! Errors of the store.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use benchwright_model::RunId;
use rusqlite::ErrorCode;

/// Why an operation of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The results directory could not be made.
    #[error("make the results directory `{}`", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The store does not exist yet.
    #[error("no store at `{}`", path.display())]
    Missing {
        /// The database file.
        path: PathBuf,
    },
    /// The database or its directory is not writable, or cannot even be opened.
    #[error("open the store `{}`", path.display())]
    Denied {
        /// The database file.
        path: PathBuf,
        /// The error of SQLite, if it was used.
        source: Option<rusqlite::Error>,
    },
    /// The database is not writable, and copying it for reading failed.
    #[error("copy the store `{}` to read it", path.display())]
    Copy {
        /// The database file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a database, or not one of benchwright.
    #[error("open the store `{}`: it is not a benchwright database", path.display())]
    NotAStore {
        /// The database file.
        path: PathBuf,
        /// The error of SQLite, if SQLite found the problem.
        source: Option<rusqlite::Error>,
    },
    /// The database is damaged.
    #[error("{action} `{}`: the file is damaged", path.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// The operation.
        action: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The system cannot read the database, which SQLite reports as damage.
    #[error("{action} `{}`: the file cannot be read", path.display())]
    Unreadable {
        /// The database file.
        path: PathBuf,
        /// The operation.
        action: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The database was written by a later version.
    #[error("open the store `{}`: its format {found} is newer than {known}, the newest known here", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest supported format.
        known: i64,
    },
    /// The database has an older format and is not writable.
    #[error("open the store `{}` for reading: its format {found} is older than {known}", path.display())]
    Older {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The required format.
        known: i64,
    },
    /// Another process locked the database for longer than the time limit.
    #[error("{action} `{}`: another process keeps it locked", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
        /// The operation.
        action: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The disk is full. The database has not changed.
    #[error("{action} `{}`: the disk is full", path.display())]
    Full {
        /// The database file.
        path: PathBuf,
        /// The operation.
        action: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// Any other error of SQLite.
    #[error("{action} `{}`", path.display())]
    Sql {
        /// The database file.
        path: PathBuf,
        /// The operation.
        action: &'static str,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// No run has this name.
    #[error("unknown run `{asked}`")]
    UnknownRun {
        /// The requested name.
        asked: String,
        /// The newest existing runs.
        newest: Vec<RunId>,
    },
    /// Several runs' names begin like this.
    #[error("several runs begin with `{asked}`")]
    AmbiguousRun {
        /// The requested name.
        asked: String,
        /// The matching runs, newest first.
        candidates: Vec<RunId>,
    },
    /// The comparison in a record belongs to another run than the record.
    #[error("save the run `{run}` with the comparison of run `{comparison}`")]
    ForeignComparison {
        /// The record's run.
        run: RunId,
        /// The comparison's.
        comparison: RunId,
    },
}

impl StoreError {
    /// Classifies an error of SQLite.
    pub(crate) fn of(path: &Path, action: &'static str, source: rusqlite::Error) -> StoreError {
        use rusqlite::Error;
        let path = path.to_owned();
        match (source.sqlite_error_code(), &source) {
            (Some(ErrorCode::NotADatabase), _) => StoreError::NotAStore { path, source: Some(source) },
            (Some(ErrorCode::DatabaseCorrupt), _) => match read_through(&path) {
                Ok(()) => StoreError::Corrupt { path, action, source },
                Err(source) => StoreError::Unreadable { path, action, source },
            },
            (
                None,
                Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::Utf8Error(..),
            ) => StoreError::Corrupt { path, action, source },
            (Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked), _) => {
                StoreError::Busy { path, action, source }
            }
            (Some(ErrorCode::DiskFull), _) => StoreError::Full { path, action, source },
            // When the shared index of the write-ahead log is enlarged, the only possible failure is a lack
            // of space.
            (Some(ErrorCode::SystemIoFailure), Error::SqliteFailure(what, _))
                if what.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE =>
            {
                StoreError::Full { path, action, source }
            }
            (Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied), _) => {
                StoreError::Denied { path, source: Some(source) }
            }
            _ => StoreError::Sql { path, action, source },
        }
    }

    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        let names = |ids: &[RunId]| ids.iter().map(|id| id.0.as_str()).collect::<Vec<_>>().join(", ");
        match self {
            StoreError::Directory { .. } | StoreError::Denied { .. } => {
                "check that the results directory and the files in it are yours and writable".into()
            }
            StoreError::Copy { .. } => {
                "its directory cannot be written; TMPDIR names another directory for the copy".into()
            }
            StoreError::Missing { .. } => {
                "nothing was measured here yet; begin with `benchwright compare` or `benchwright run`".into()
            }
            StoreError::NotAStore { path, .. } | StoreError::Corrupt { path, .. } => format!(
                "move {} away to begin a new store; journals of unfinished runs remain",
                path.display()
            ),
            StoreError::Unreadable { .. } => "the disk may be failing; nothing was changed".into(),
            StoreError::Newer { path, .. } => {
                format!("use a newer benchwright, or move {} away to begin a new store", path.display())
            }
            StoreError::Older { .. } => {
                "make the results directory writable, so that it can be brought up to date".into()
            }
            StoreError::Busy { .. } => "try again when the other benchwright has ended".into(),
            StoreError::Full { .. } => {
                "free some space; the journal keeps what was measured until it is in the store".into()
            }
            StoreError::UnknownRun { newest, .. } if newest.is_empty() => "there are no runs yet".into(),
            StoreError::UnknownRun { newest, .. } => format!("the newest runs are {}", names(newest)),
            StoreError::AmbiguousRun { candidates, .. } => format!("one of {}", names(candidates)),
            StoreError::Sql { .. } | StoreError::ForeignComparison { .. } => String::new(),
        }
    }
}

/// Reads a whole file as SQLite does, to find errors of the system that are not damage.
fn read_through(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    let mut at = 0;
    loop {
        match file.read_at(&mut buffer, at) {
            Ok(0) => return Ok(()),
            Ok(count) => at += count as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_system_can_read_is_damaged() {
        let corrupt = || {
            let what = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            rusqlite::Error::SqliteFailure(what, None)
        };
        let dir = tempfile::tempdir().unwrap();
        let damaged = dir.path().join("benchwright.db");
        std::fs::write(&damaged, "words").unwrap();
        let error = StoreError::of(&damaged, "open the store", corrupt());
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
        // The first page of this file is never mapped, so reading it is an input/output error.
        let error = StoreError::of(Path::new("/proc/self/mem"), "open the store", corrupt());
        assert!(matches!(error, StoreError::Unreadable { .. }), "{error:?}");
    }
}
