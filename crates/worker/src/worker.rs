//! Carries out a call: makes its trials.

use std::path::PathBuf;

use benchwright_harness::Harness;
use benchwright_model::{Diagnostic, Phase, Position, Side, Trial};
use benchwright_process::{Interrupt, usable_cores};

use crate::trial::{Bench, Ended, Half, run_trial};
use crate::turns::in_turns;
use crate::{Call, CallError, CommonEnvironment, Pairing, Program, Task};

/// Carries out calls on this machine.
pub struct Worker {
    environment: CommonEnvironment,
    harnesses: Vec<Box<dyn Harness>>,
    scratch: PathBuf,
}

impl Worker {
    /// A worker with all harnesses. All trials get `environment`, and their scratch directories are made in
    /// `scratch`, which must exist.
    pub fn new(environment: CommonEnvironment, scratch: impl Into<PathBuf>) -> Self {
        Worker::with_harnesses(environment, scratch, benchwright_harness::all())
    }

    /// The same with other harnesses.
    pub fn with_harnesses(
        environment: CommonEnvironment,
        scratch: impl Into<PathBuf>,
        harnesses: Vec<Box<dyn Harness>>,
    ) -> Self {
        Worker { environment, harnesses, scratch: scratch.into() }
    }

    /// Carries out the call and passes its trials to `on_trial` in the order in which they were started, each
    /// as soon as it has ended. If the halves of a duet run in parallel or in turns, they are passed when
    /// both have ended. Failed trials are passed too. Both halves of a duet run even if the first fails,
    /// which shows whether one version is broken or both. After an interrupt no trial is started or passed.
    /// Returns diagnostics about values that count nevertheless.
    pub fn carry_out(
        &self,
        call: &Call,
        interrupt: &Interrupt,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, CallError> {
        if interrupt.is_set() {
            return Ok(Vec::new());
        }
        match call.task {
            Task::Single { side, position, phase } => {
                let program = program(call, side)?;
                let half = Half { side, program, position, phase, cores: call.cores.clone() };
                let (trial, diagnostics) = self.trial(call, half, interrupt)?;
                on_trial(trial);
                Ok(diagnostics)
            }
            Task::Duet { index, attempt, phase, first, pairing } => {
                let halves = halves(call, index, attempt, phase, first)?;
                match pairing {
                    Pairing::Sequential => self.one_by_one(call, halves, interrupt, on_trial),
                    Pairing::Parallel { cores } => self.at_once(call, halves, cores, interrupt, on_trial),
                    Pairing::InTurns { processes } => {
                        let mut run = |call: &Call, half: Half<'_>| self.trial(call, half, interrupt);
                        let (trials, diagnostics) = in_turns(call, halves, processes, interrupt, &mut run)?;
                        trials.into_iter().for_each(on_trial);
                        Ok(diagnostics)
                    }
                }
            }
        }
    }

    fn one_by_one(
        &self,
        call: &Call,
        halves: [Half<'_>; 2],
        interrupt: &Interrupt,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, CallError> {
        let mut all = Vec::new();
        for half in halves {
            if interrupt.is_set() {
                break;
            }
            let (trial, diagnostics) = self.trial(call, half, interrupt)?;
            on_trial(trial);
            all.extend(diagnostics);
        }
        Ok(all)
    }

    fn at_once(
        &self,
        call: &Call,
        halves: [Half<'_>; 2],
        cores: [usize; 2],
        interrupt: &Interrupt,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, CallError> {
        check_cores(cores)?;
        let [mut first, mut second] = halves;
        first.cores = Some(vec![cores[0]]);
        second.cores = Some(vec![cores[1]]);
        let (first, second) = std::thread::scope(|scope| {
            let first = scope.spawn(|| self.trial(call, first, interrupt));
            let second = self.trial(call, second, interrupt);
            (first.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), second)
        });
        let mut all = Vec::new();
        for (trial, diagnostics) in [first?, second?] {
            on_trial(trial);
            all.extend(diagnostics);
        }
        Ok(all)
    }

    fn trial(&self, call: &Call, half: Half<'_>, interrupt: &Interrupt) -> Result<Ended, CallError> {
        let name = &half.program.executable.harness;
        let harness = self.harnesses.iter().find(|harness| harness.name() == name);
        let harness = harness.ok_or_else(|| CallError::NoHarness(name.clone()))?;
        let (environment, scratch) = (&self.environment, self.scratch.as_path());
        run_trial(&Bench { harness: harness.as_ref(), environment, scratch, interrupt }, call, half)
    }
}

fn program(call: &Call, side: Side) -> Result<&Program, CallError> {
    let missing = || CallError::NoProgram { benchmark: call.subject.benchmark.clone(), side };
    call.subject.program(side).ok_or_else(missing)
}

/// The trials of a duet, in the order in which they start.
fn halves(
    call: &Call,
    index: u32,
    attempt: u32,
    phase: Phase,
    first: Side,
) -> Result<[Half<'_>; 2], CallError> {
    let half = |side| {
        let position = Position::Duet { index, attempt, first: side == first };
        Ok(Half { side, program: program(call, side)?, position, phase, cores: call.cores.clone() })
    };
    Ok([half(first)?, half(first.other())?])
}

fn check_cores(cores: [usize; 2]) -> Result<(), CallError> {
    let usable = usable_cores().unwrap_or_default();
    if cores[0] != cores[1] && cores.iter().all(|core| usable.contains(core)) {
        return Ok(());
    }
    Err(CallError::TooFewCores { cores, usable })
}

#[cfg(test)]
mod tests;
