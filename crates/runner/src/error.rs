//! Why a run cannot go on.

use benchwright_places::PlaceError;
use benchwright_store::JournalError;

/// What stops a run. Everything measured before is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal cannot be written, so a further trial would be lost.
    #[error("keep a trial in the journal")]
    Journal(#[from] JournalError),
    /// The place cannot carry out calls.
    #[error("run a benchmark")]
    Place(#[from] PlaceError),
    /// A harness was left out of the plan.
    #[error("find out how long a trial of harness `{0}` takes")]
    NoShape(String),
}

impl RunError {
    /// What to do about it; empty where nothing general helps.
    pub fn hint(&self) -> String {
        match self {
            RunError::Journal(error) => error.hint(),
            RunError::Place(error) => error.hint(),
            RunError::NoShape(_) => String::new(),
        }
    }

    pub(crate) fn no_shape(harness: &str) -> Self {
        RunError::NoShape(harness.into())
    }
}
