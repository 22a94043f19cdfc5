//! This machine.

use benchwright_model::{Diagnostic, Trial};
use benchwright_process::Interrupt;
use benchwright_worker::{Call, Worker};

use crate::{Place, PlaceError};

/// This machine: a worker in this process.
pub struct Local {
    worker: Worker,
    interrupt: Interrupt,
}

impl Local {
    /// The place whose calls `worker` carries out until `interrupt` is set.
    pub fn new(worker: Worker, interrupt: Interrupt) -> Self {
        Local { worker, interrupt }
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
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use benchwright_harness::{Executable, Stop, TrialShape};
    use benchwright_model::{BenchmarkId, FailureKind, Outcome, Phase, Side};
    use benchwright_worker::{BuildPlace, CommonEnvironment, Pairing, Program, Subject, Task, TrialLimits};

    use super::*;

    /// A duet of Go benchmarks whose program is `path` on both sides.
    fn call(path: &str) -> Call {
        let program = Program {
            executable: Executable {
                harness: "go".into(),
                package: "p".into(),
                flavour: "go".into(),
                flavour_version: String::new(),
                path: path.into(),
                dir: "".into(),
                env: Vec::new(),
            },
            place: BuildPlace { root: "/".into(), out: "/".into() },
        };
        let benchmark = BenchmarkId::new("go", "p", "BenchmarkSort");
        Call {
            subject: Subject { benchmark, base: Some(program.clone()), head: Some(program) },
            task: Task::Duet {
                index: 0,
                attempt: 0,
                phase: Phase::Screening,
                first: Side::Head,
                pairing: Pairing::Sequential,
            },
            shape: TrialShape {
                iterations: 1,
                iteration_time: Duration::from_millis(1),
                warmup_time: Duration::ZERO,
                stop: Stop::Fixed,
                args: Vec::new(),
            },
            limits: TrialLimits { wall: Duration::from_secs(60), output_bytes: 1 << 20 },
            cores: None,
            niceness: None,
            padding: 0,
            earlier: Vec::new(),
        }
    }

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
        let trials = carry_out(&call("no/such/program"), &Interrupt::new()).unwrap();
        assert_eq!(trials.iter().map(|trial| trial.side).collect::<Vec<_>>(), [Side::Head, Side::Base]);
        for trial in trials {
            let Outcome::Failed(failure) = trial.outcome else { panic!("there is no such program") };
            assert_eq!(failure.kind, FailureKind::NotStarted);
        }
    }

    #[test]
    fn an_interrupted_place_starts_nothing() {
        let interrupt = Interrupt::new();
        interrupt.set();
        assert_eq!(carry_out(&call("no/such/program"), &interrupt).unwrap(), []);
    }

    #[test]
    fn a_call_nobody_can_carry_out_is_an_error() {
        let mut call = call("bin/true");
        call.subject.base = None;
        assert!(carry_out(&call, &Interrupt::new()).is_err());
    }
}
