//! Trials that exist before their duet is measured: those of an interrupted run, and those that arrived in a
//! wave.

use std::collections::HashMap;

use benchwright_model::{BenchmarkId, Phase, Position, Side, Trial};

/// One attempt at a duet: benchmark, number of the duet, attempt.
pub(super) type Try<'a> = (&'a BenchmarkId, u32, u32);

/// Trials by their identity. A duet takes its trials from here if they exist, so that verdicts depend neither
/// on when a run was interrupted nor on the order in which results arrived.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    trials: HashMap<(BenchmarkId, u32, u32, Side), Trial>,
}

impl Inbox {
    /// The trials of an interrupted run. Those that were cut off are left out and measured again.
    pub(super) fn of(left: Vec<Trial>) -> Inbox {
        let mut inbox = Inbox::default();
        left.into_iter().filter(|trial| !trial.is_cut_off()).for_each(|trial| inbox.put(trial));
        inbox
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// All trials in it, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Trial> {
        self.trials.values()
    }

    /// Adds a half of a duet.
    pub(super) fn put(&mut self, trial: Trial) {
        if let Position::Duet { index, attempt, .. } = trial.position {
            self.trials.insert((trial.benchmark.clone(), index, attempt, trial.side), trial);
        }
    }

    /// Removes and returns the trials of an attempt, base before head.
    pub(super) fn take(&mut self, (id, duet, attempt): Try<'_>) -> Vec<Trial> {
        let take = |side| self.trials.remove(&(id.clone(), duet, attempt, side));
        Side::BOTH.into_iter().filter_map(take).collect()
    }

    /// Base and head of an attempt, if they exist.
    pub(super) fn halves(&self, (id, duet, attempt): Try<'_>) -> [Option<&Trial>; 2] {
        Side::BOTH.map(|side| self.trials.get(&(id.clone(), duet, attempt, side)))
    }

    /// The attempts at a duet of which at least one half exists, up to the first without any.
    pub(super) fn attempts(&self, id: &BenchmarkId, duet: u32) -> impl Iterator<Item = u32> {
        (0..).take_while(move |&attempt| self.halves((id, duet, attempt)) != [None, None])
    }

    /// Whether this trial answers a call for an attempt. An answer that arrives twice counts once.
    pub(super) fn is_answer(&self, (id, duet, attempt): Try<'_>, answer: &Trial) -> bool {
        let is_asked = matches!(answer.position, Position::Duet { index, attempt: tried, .. }
            if answer.benchmark == *id && index == duet && tried == attempt);
        is_asked && self.halves((id, duet, attempt))[usize::from(answer.side == Side::Head)].is_none()
    }

    /// Whether both halves of an attempt exist, from one instance and for this purpose. A run that is resumed
    /// with less time may end screening sooner. A duet that was screened after that point cannot be used as a
    /// fresh one: its order was not drawn for it alone, and it ran the programs as built.
    pub(super) fn has_pair(&self, one: Try<'_>, phase: Phase) -> bool {
        let instance = |trial: &Trial| trial.instance.as_ref().map(|instance| instance.id.clone());
        matches!(self.halves(one), [Some(base), Some(head)]
            if instance(base) == instance(head) && base.phase == phase && head.phase == phase)
    }

    /// Whether an attempt has to be measured again although some of it exists: its halves come from two
    /// instances or were measured for another purpose, or only one half exists and both have to be measured
    /// together (`is_apart`).
    pub(super) fn is_torn(&self, one: Try<'_>, phase: Phase, is_apart: bool) -> bool {
        match self.halves(one) {
            [None, None] => false,
            [Some(half), None] | [None, Some(half)] => is_apart || half.phase != phase,
            [Some(_), Some(_)] => !self.has_pair(one, phase),
        }
    }
}
