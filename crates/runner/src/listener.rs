//! The interface that receives trials and events of a run.

use std::error::Error;

use benchwright_model::{Event, Instance, Trial};

/// Receives the trials and events of a run: for the journal, progress and so on.
pub trait RunListener {
    /// A trial was measured. Nothing is decided from it before this returns. An error ends the run, because
    /// another trial would be lost too. Trials of an interrupted run that are used again are not reported
    /// again.
    fn measured(&mut self, trial: &Trial) -> Result<(), NotKept>;

    /// Trials come from this instance.
    fn instance(&mut self, instance: &Instance) -> Result<(), NotKept>;

    /// Something happened.
    fn event(&mut self, event: Event);
}

/// Why a listener could not store what was measured.
#[derive(Debug, thiserror::Error)]
#[error("keep a trial in the journal")]
pub struct NotKept {
    source: Box<dyn Error + Send + Sync>,
    hint: String,
}

impl NotKept {
    /// The error, and a `hint` on what to do about it.
    pub fn new(source: impl Into<Box<dyn Error + Send + Sync>>, hint: impl Into<String>) -> NotKept {
        NotKept { source: source.into(), hint: hint.into() }
    }

    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}
