//! Why the store cannot do what it is asked.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use benchwright_model::RunId;
use rusqlite::ErrorCode;

/// Why the store cannot do what it is asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The results directory could not be made.
    #[error("make the results directory `{}`", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no store yet.
    #[error("no store at `{}`", path.display())]
    Missing {
        /// The database file.
        path: PathBuf,
    },
    /// The database or its directory may not be written, or not even opened.
    #[error("open the store `{}`", path.display())]
    Denied {
        /// The database file.
        path: PathBuf,
        /// What SQLite says, where it was asked.
        source: Option<rusqlite::Error>,
    },
    /// The database cannot be written, and copying it to read it failed.
    #[error("copy the store `{}` to read it", path.display())]
    Copy {
        /// The database file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no database, or not one of ours.
    #[error("open the store `{}`: it is not a benchwright database", path.display())]
    NotAStore {
        /// The database file.
        path: PathBuf,
        /// What SQLite says, where it was SQLite that noticed.
        source: Option<rusqlite::Error>,
    },
    /// The database is damaged.
    #[error("{action} `{}`: the file is damaged", path.display())]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The system cannot read the database, which SQLite takes for damage.
    #[error("{action} `{}`: the file cannot be read", path.display())]
    Unreadable {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The database was written by a later version.
    #[error("open the store `{}`: its format {found} is newer than {known}, the newest known here", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// The database has an older format and may not be written.
    #[error("open the store `{}` for reading: its format {found} is older than {known}", path.display())]
    Older {
        /// The database file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The format needed here.
        known: i64,
    },
    /// Another process holds the database for longer than we wait.
    #[error("{action} `{}`: another process keeps it locked", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// There is no room. The database is as it was before.
    #[error("{action} `{}`: the disk is full", path.display())]
    Full {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Anything else SQLite says.
    #[error("{action} `{}`", path.display())]
    Sql {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// No run has this name.
    #[error("unknown run `{asked}`")]
    UnknownRun {
        /// What was asked for.
        asked: String,
        /// The newest runs there are.
        newest: Vec<RunId>,
    },
    /// Several runs' names begin like this.
    #[error("several runs begin with `{asked}`")]
    AmbiguousRun {
        /// What was asked for.
        asked: String,
        /// Those runs, newest first.
        candidates: Vec<RunId>,
    },
    /// The comparison of a record belongs to another run than the record.
    #[error("save the run `{run}` with the comparison of run `{comparison}`")]
    ForeignComparison {
        /// The record's run.
        run: RunId,
        /// The comparison's.
        comparison: RunId,
    },
}

impl StoreError {
    /// Sorts what SQLite says.
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
            // All there is to fail in making the shared index of the write-ahead log larger is room for it.
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

    /// Advice for the user; empty if there is none.
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

/// Reads a whole file, as SQLite does: what the system cannot read is not damage.
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
        // Its first page is never mapped, so that reading it is an input/output error.
        let error = StoreError::of(Path::new("/proc/self/mem"), "open the store", corrupt());
        assert!(matches!(error, StoreError::Unreadable { .. }), "{error:?}");
    }
}
