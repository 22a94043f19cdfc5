//! This machine.

use std::time::Instant;

use benchwright_model::{Diagnostic, Trial};
use benchwright_process::Interrupt;
use benchwright_worker::{Call, Worker};

use crate::{Place, PlaceError};

/// This machine: a worker in this process.
pub struct Local {
    worker: Worker,
    interrupt: Interrupt,
    deadline: Option<Instant>,
}

impl Local {
    /// A place whose calls `worker` carries out until `interrupt` is set.
    pub fn new(worker: Worker, interrupt: Interrupt) -> Self {
        Local { worker, interrupt, deadline: None }
    }
}

impl Place for Local {
    fn describe(&self) -> String {
        "this machine".into()
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        Ok(self.worker.carry_out(call, &self.interrupt, on_trial)?)
    }

    fn end_by(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let mut noticed = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(PlaceError::OutOfTime { noticed });
            }
            noticed.extend(self.carry_out(call, &mut |trial| on_trial(number, trial))?);
        }
        Ok(noticed)
    }
}

#[cfg(test)]
mod tests {
    use benchwright_model::{FailureKind, Outcome, Side};
    use benchwright_worker::CommonEnvironment;

    use super::*;
    use crate::test_call::{call, call_of};

    fn carry_out(call: &Call, interrupt: &Interrupt) -> Result<Vec<Trial>, PlaceError> {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        let mut place = Local::new(worker, interrupt.clone());
        let mut trials = Vec::new();
        place.carry_out(call, &mut |trial| trials.push(trial))?;
        Ok(trials)
    }

    #[test]
    fn trials_come_in_the_order_of_the_call() {
        let trials = carry_out(&call("X", 0), &Interrupt::new()).unwrap();
        assert_eq!(trials.iter().map(|trial| trial.side).collect::<Vec<_>>(), [Side::Head, Side::Base]);
        for trial in trials {
            let Outcome::Failed(failure) = trial.outcome else { panic!("there is no such program") };
            assert_eq!(failure.kind, FailureKind::NotStarted);
        }
    }

    #[test]
    fn many_calls_are_carried_out_one_after_the_other() {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        let mut place = Local::new(worker, Interrupt::new());
        let mut numbers = Vec::new();
        place.carry_out_all(&[call("X", 0), call("Y", 1)], &mut |number, _| numbers.push(number)).unwrap();
        assert_eq!((numbers, place.capacity()), (vec![0, 0, 1, 1], 1));
    }

    #[test]
    fn nothing_begins_after_the_deadline() {
        let scratch = tempfile::tempdir().unwrap();
        let worker = Worker::new(CommonEnvironment::capture(), scratch.path());
        let mut place = Local::new(worker, Interrupt::new());
        place.end_by(Some(Instant::now()));
        let error = place.carry_out_all(&[call("X", 0)], &mut |_, _| panic!("nothing runs")).unwrap_err();
        assert!(matches!(error, PlaceError::OutOfTime { .. }), "{error:?}");
        assert!(place.carry_out_all(&[], &mut |_, _| {}).is_ok());
    }

    #[test]
    fn an_interrupted_place_starts_nothing() {
        let interrupt = Interrupt::new();
        interrupt.set();
        assert_eq!(carry_out(&call("X", 0), &interrupt).unwrap(), []);
    }

    #[test]
    fn a_call_nobody_can_carry_out_is_an_error() {
        let mut call = call_of("bin/true", "X", 0);
        call.subject.base = None;
        assert!(carry_out(&call, &Interrupt::new()).is_err());
    }
}
