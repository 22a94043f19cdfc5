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

    /// A call for trials of this shape, unless the duets of the benchmark determine another.
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

    /// The shape of the next duet's trials, unless its own duets determine another.
    pub(super) fn asked_shape(&self, index: usize) -> Result<TrialShape, RunError> {
        let benchmark = &self.plan.subjects[index].benchmark;
        match self.is_short(index) {
            true => self.plan.shapes.first_of(benchmark),
            false => self.plan.shapes.of(benchmark).cloned(),
        }
    }

    /// Whether the next duet of a benchmark uses short processes. It does until the first look, and for the
    /// first fresh duets of benchmarks that this look made suspects, unless their programs have to be linked,
    /// which takes longer than the duets. At places with many instances it never does, because one call has
    /// many duets.
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

    /// How much shorter the next trial of a benchmark is than a usual one.
    pub(super) fn saved(&self, index: usize) -> Duration {
        if self.is_short(index) { self.plan.saved(index) } else { Duration::ZERO }
    }

    /// How the halves of the next duet run. Short ones run as the plan says, because they have too few
    /// iterations to take turns.
    pub(super) fn pairing(&self, index: usize) -> Pairing {
        match self.is_short(index) {
            true => self.plan.pairing,
            false => self.learned.pairing(index, self.plan.pairing),
        }
    }
}
