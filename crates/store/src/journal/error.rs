//! Errors of journals.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a journal cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file could not be made. It may already exist.
    #[error("create the journal `{}`", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process is writing it.
    #[error("take over the journal `{}`: its run still goes on in another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be opened or read.
    #[error("read the journal `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file ends within its first record, because the run was killed before it measured anything.
    #[error("read the journal `{}`: it ends before its first record does", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// The first record is damaged.
    #[error("read the first record of the journal `{}`: {what}", path.display())]
    BadHeader {
        /// The file.
        path: PathBuf,
        /// The error.
        what: String,
    },
    /// Its format is of a later version.
    #[error(
        "read the journal `{}`: it was written by a newer benchwright ({written_by}, format {format})",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        written_by: String,
        /// The format's number.
        format: u32,
    },
    /// The disk is full. The journal has not changed.
    #[error("write to the journal `{}`: the disk is full", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The record could not be written for another reason. The journal has not changed.
    #[error("write to the journal `{}`", path.display())]
    Append {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file could not be removed.
    #[error("remove the journal `{}`", path.display())]
    Discard {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl JournalError {
    pub(super) fn append(path: &Path, source: io::Error) -> JournalError {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                JournalError::Full { path, source }
            }
            _ => JournalError::Append { path, source },
        }
    }

    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            JournalError::Create { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
                "a run with this name was killed; continue it with --resume".into()
            }
            JournalError::Create { .. } => "check that the directory is writable".into(),
            JournalError::InUse { .. } => "wait until it has ended".into(),
            JournalError::Read { .. } => "check the file's permissions".into(),
            JournalError::NoHeader { path } => {
                format!("nothing was measured in it; delete {}", path.display())
            }
            JournalError::BadHeader { path, .. } => {
                format!("move {} away to continue without it; it still holds its trials", path.display())
            }
            JournalError::Newer { path, written_by, .. } => {
                format!("use benchwright {written_by} or later, or move {} away", path.display())
            }
            JournalError::Full { .. } => {
                "free some space and continue with --resume; the results so far are safe".into()
            }
            JournalError::Append { .. } => "the results so far are safe; continue with --resume".into(),
            JournalError::Discard { path, .. } => {
                format!("its run is in the store; delete {} by hand", path.display())
            }
        }
    }
}
