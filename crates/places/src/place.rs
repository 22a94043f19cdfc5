//! What every place offers.

use benchwright_model::{Diagnostic, Trial};
use benchwright_worker::{Call, CallError};

/// Somewhere calls can be carried out.
pub trait Place {
    /// What people call it: `this machine`.
    fn describe(&self) -> String;

    /// Carries out the call and hands over its trials, failed ones too, in the order in which they were started and
    /// each as soon as it is known. After an interrupt fewer trials than asked for may come, or none. Returns
    /// doubts about values that count all the same.
    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError>;
}

/// Why a place could not carry out a call, whatever the benchmark does.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The worker there could not.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl PlaceError {
    /// What to do about it; empty where nothing general helps.
    pub fn hint(&self) -> String {
        match self {
            PlaceError::Call(error) => error.hint(),
        }
    }
}
