//! Why a run cannot continue.

use benchwright_places::PlaceError;

use crate::listener::NotKept;

/// Errors that stop a run. Everything measured before is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A trial could not be recorded, so another one would be lost too.
    #[error(transparent)]
    NotKept(#[from] NotKept),
    /// The place cannot carry out calls.
    #[error("run a benchmark")]
    Place(#[from] PlaceError),
    /// A harness is missing from the plan.
    #[error("find out how long a trial of harness `{0}` takes")]
    NoShape(String),
}

impl RunError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            RunError::NotKept(error) => error.hint().to_owned(),
            RunError::Place(error) => error.hint(),
            RunError::NoShape(_) => String::new(),
        }
    }

    pub(crate) fn no_shape(harness: &str) -> Self {
        RunError::NoShape(harness.into())
    }
}
