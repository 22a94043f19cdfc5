//! Which halves of duets an interrupted run left, and whether they are pairs.

use benchwright_model::{BenchmarkId, Side, Trial};
use benchwright_worker::Pairing;

use super::Comparing;

impl Comparing<'_> {
    /// The halves of a duet that are no pair: one half of a duet at once or in turns of which the other was not kept, one half
    /// measured elsewhere, two halves from two instances, or what was measured for another purpose. The duet is measured again; what was measured is kept.
    pub(super) fn torn_halves(&mut self, index: usize, duet: u32, attempt: u32) -> Vec<Trial> {
        let id = &self.plan.subjects[index].benchmark;
        let keys = Side::BOTH.map(|side| (id.clone(), duet, attempt, side));
        let is_apart = self.pairing(index) != Pairing::Sequential || self.in_waves();
        let mut halves = keys.iter().filter_map(|key| self.recalled.get(key));
        let is_torn = match self.recalled_halves(id, duet, attempt) {
            0 => false,
            1 => is_apart || !halves.all(|half| self.is_for_now(half)),
            _ => !self.is_whole(id, duet, attempt),
        };
        if !is_torn {
            return Vec::new();
        }
        keys.iter().filter_map(|key| self.recalled.remove(key)).collect()
    }

    /// Whether the journal holds both halves of a duet, from one instance and for what duets are for at present.
    pub(super) fn is_whole(&self, id: &BenchmarkId, duet: u32, attempt: u32) -> bool {
        let [base, head] = Side::BOTH.map(|side| self.recalled.get(&(id.clone(), duet, attempt, side)));
        let instance = |trial: &Trial| trial.instance.as_ref().map(|instance| instance.id.clone());
        matches!((base, head), (Some(base), Some(head))
            if instance(base) == instance(head) && self.is_for_now(base) && self.is_for_now(head))
    }

    /// Screening may end sooner when a run goes on with less time. What it had measured beyond that is no fresh duet: its coin was
    /// not one of its own, and it ran the programs as built.
    fn is_for_now(&self, trial: &Trial) -> bool {
        let index = self.plan.subjects.iter().position(|subject| subject.benchmark == trial.benchmark);
        index.is_some_and(|index| trial.phase == self.judge.phase_of(index))
    }

    /// How many halves of a duet the journal holds.
    pub(super) fn recalled_halves(&self, id: &BenchmarkId, duet: u32, attempt: u32) -> usize {
        let keys = Side::BOTH.map(|side| (id.clone(), duet, attempt, side));
        keys.iter().filter(|key| self.recalled.contains_key(*key)).count()
    }
}
