//! The interface of places.

use std::error::Error;
use std::time::Instant;

use benchwright_model::{Diagnostic, Instance, Trial};
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

    /// From now on nothing begins that could not end by `deadline`, and nothing is waited for after it: many calls then end with
    /// [`PlaceError::OutOfTime`]. For single calls the caller checks the time.
    fn end_by(&mut self, _deadline: Option<Instant>) {}

    /// How many calls it can be working on at once. If there is more than one, calls are sent in waves.
    fn capacity(&self) -> usize {
        1
    }

    /// Carries out many calls, in any order and at once as far as it can, and hands over each trial with the number of its
    /// call, as soon as it is known. Trials of one duet come from one instance, both or none. What stays without
    /// an answer after the place has tried again as often as it finds sensible has no trials; the diagnostics say why.
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

    /// The instances that trials came from so far; none where all run on this machine.
    fn instances(&self) -> Vec<Instance> {
        Vec::new()
    }

    /// A note on what was spent there, if it costs something.
    fn spent(&self) -> Option<String> {
        None
    }
}

/// Why a place could not carry out a call, whatever the benchmark does.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The worker there could not.
    #[error(transparent)]
    Call(#[from] CallError),
    /// There is no time for more. What came before counts.
    #[error("begin another call in the time that is left")]
    OutOfTime {
        /// What was noticed until then.
        noticed: Vec<Diagnostic>,
    },
    /// There is no money for more. What came before counts.
    #[error("{what}")]
    OutOfMoney {
        /// Which ceiling holds, as a fragment that reads after "cannot".
        what: String,
        /// What was noticed until then.
        noticed: Vec<Diagnostic>,
    },
    /// The cluster or platform itself does not work.
    #[error("{what}")]
    Elsewhere {
        /// What could not be done, as a fragment that reads after "cannot".
        what: String,
        /// Advice for the user; empty if there is none.
        hint: String,
        /// What it says itself.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl PlaceError {
    /// Advice for the user; empty if there is none.
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
