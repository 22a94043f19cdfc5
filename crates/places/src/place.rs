//! The interface of places.

use std::error::Error;
use std::time::Instant;

use benchwright_model::{Diagnostic, Instance, Trial};
use benchwright_worker::{Call, CallError};

/// A place where calls can be carried out.
pub trait Place {
    /// Its name for people: `this machine`.
    fn describe(&self) -> String;

    /// Carries out the call and passes on its trials, including failed ones, in the order in which they were
    /// started and each as soon as it is known. After an interrupt there may be fewer trials, or none.
    /// Returns diagnostics about values that count nevertheless.
    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError>;

    /// From now on, nothing is started that could not end by `deadline`, and nothing is waited for after it.
    /// Calls of `carry_out_all` then end with [`PlaceError::OutOfTime`]. For single calls the caller checks
    /// the time.
    fn end_by(&mut self, _deadline: Option<Instant>) {}

    /// The number of calls it can carry out at once. If there is more than one, calls are sent in waves.
    fn capacity(&self) -> usize {
        1
    }

    /// Carries out many calls, in any order and at once if possible, and passes on each trial with the number
    /// of its call, as soon as it is known. Both trials of a duet come from one instance, or there are none.
    /// If a call stays without a response after sensible retries, it has no trials, and the diagnostics
    /// explain why.
    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let mut all = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            all.extend(self.carry_out(call, &mut |trial| on_trial(number, trial))?);
        }
        Ok(all)
    }

    /// The instances that trials came from so far. Empty if all ran on this machine.
    fn instances(&self) -> Vec<Instance> {
        Vec::new()
    }

    /// A note on the money spent there, if the place costs money.
    fn spent(&self) -> Option<String> {
        None
    }
}

/// Why a place could not carry out a call. The benchmark is not the cause.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The worker there failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// There is no time for more calls. Earlier results count.
    #[error("begin another call in the time that is left")]
    OutOfTime {
        /// Diagnostics until then.
        noticed: Vec<Diagnostic>,
    },
    /// There is no money for more calls. Earlier results count.
    #[error("{what}")]
    OutOfMoney {
        /// The ceiling that was reached, as a fragment that reads after "cannot".
        what: String,
        /// Diagnostics until then.
        noticed: Vec<Diagnostic>,
    },
    /// The cluster or platform itself does not work.
    #[error("{what}")]
    Elsewhere {
        /// What failed, as a fragment that reads after "cannot".
        what: String,
        /// Advice for the user. Empty if there is none.
        hint: String,
        /// The cause.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl PlaceError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> String {
        match self {
            PlaceError::Call(error) => error.hint(),
            PlaceError::OutOfTime { .. } => "continue with `--resume` and a longer `--budget`".into(),
            PlaceError::OutOfMoney { .. } => {
                "the results so far are kept; continue with `--resume` and a higher `--max-cost`".into()
            }
            PlaceError::Elsewhere { hint, .. } => hint.clone(),
        }
    }
}
