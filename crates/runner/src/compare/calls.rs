//! The calls that a comparison makes, and how long their processes measure.

use std::time::Duration;

use benchwright_harness::TrialShape;
use benchwright_worker::{Call, Pairing, Subject, Task};

use super::Comparing;
use crate::error::RunError;
use crate::shapes::{FIRST_DUETS, FIRST_FRESH};

impl Comparing<'_> {
    pub(super) fn call(
        &self,
        index: usize,
        subject: Subject,
        task: Task,
        padding: usize,
    ) -> Result<Call, RunError> {
        let usual = self.plan.shapes.of(&subject.benchmark)?.clone();
        Ok(self.call_of(usual, (index, subject), task, padding))
    }

    /// A call whose trials have this shape, as far as the duets of the benchmark do not say otherwise.
    pub(super) fn call_of(
        &self,
        shape: TrialShape,
        (index, subject): (usize, Subject),
        task: Task,
        padding: usize,
    ) -> Call {
        let mut call = Call {
            shape: self.learned.shape(index, shape, task.attempt()),
            subject,
            task,
            limits: self.limits(index),
            cores: self.plan.cores.clone(),
            niceness: self.plan.niceness,
            padding,
            earlier: Vec::new(),
        };
        self.stopping.prepare(index, &mut call);
        call
    }

    /// The shape of the next duet's trials, as far as its own duets do not say otherwise.
    pub(super) fn asked_shape(&self, index: usize) -> Result<TrialShape, RunError> {
        let benchmark = &self.plan.subjects[index].benchmark;
        match self.is_short(index) {
            true => self.plan.shapes.first_of(benchmark),
            false => self.plan.shapes.of(benchmark).cloned(),
        }
    }

    /// Whether short processes are tried for the next duet of a benchmark: until the first look, and for the first fresh duets of
    /// what that look made a suspect, unless their programs have to be linked, which takes longer than they do. Places with many
    /// instances get many duets in one call.
    pub(super) fn is_short(&self, index: usize) -> bool {
        self.short_duets(index) > 0
    }

    /// How many short duets of a benchmark come next.
    pub(super) fn short_duets(&self, index: usize) -> u32 {
        let duets = self.judge.duets(index) as u32;
        if self.in_waves() || !self.plan.judge.rule.is_sequential() {
            return 0;
        }
        let Some(screened) = self.waves.screened(index) else {
            let is_new = duets == 0 || self.judge.is_begun(index);
            return if is_new { FIRST_DUETS.saturating_sub(duets) } else { 0 };
        };
        let number = self.layouts.number(index, duets, 0);
        let is_linked = |number| self.layouts.expected(&self.plan.subjects[index], number).is_zero();
        let is_short = screened <= FIRST_DUETS && number.is_none_or(is_linked);
        if is_short { (screened + FIRST_FRESH).saturating_sub(duets) } else { 0 }
    }

    /// By how much shorter than a usual trial the next one of a benchmark is.
    pub(super) fn saved(&self, index: usize) -> Duration {
        if self.is_short(index) { self.plan.saved(index) } else { Duration::ZERO }
    }

    /// How the halves of the next duet run: short ones as the plan says, since their iterations are too few for turns.
    pub(super) fn pairing(&self, index: usize) -> Pairing {
        match self.is_short(index) {
            true => self.plan.pairing,
            false => self.learned.pairing(index, self.plan.pairing),
        }
    }
}
