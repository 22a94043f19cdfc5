//! Errors for files that cannot be read at all.

use std::io;
use std::path::PathBuf;

/// Why a file cannot be read at all. Damage inside a file is a diagnostic instead.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file or directory could not be opened or read.
    #[error("read `{}`", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is empty.
    #[error("read results from `{name}`: it is empty")]
    Empty {
        /// The file's name.
        name: String,
    },
    /// It has none of the known formats.
    #[error("read results from `{name}`: {found}")]
    Unknown {
        /// The file's name.
        name: String,
        /// What its beginning looks like.
        found: String,
    },
    /// A folder without Criterion's samples.
    #[error("read results from the folder `{}`: no `sample.json` or `raw.csv` of Criterion below it", path.display())]
    NoSamples {
        /// The folder.
        path: PathBuf,
    },
}

impl ReadError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            ReadError::Unknown { .. } | ReadError::Empty { .. } => {
                let known: Vec<&str> = crate::formats().collect();
                format!("looked for {}", known.join(", "))
            }
            ReadError::NoSamples { .. } => "name a file, or the folder `target/criterion`".into(),
            ReadError::Unreadable { .. } => String::new(),
        }
    }
}
