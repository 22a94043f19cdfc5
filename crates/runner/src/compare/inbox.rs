//! Trials that are there before their duet comes: what an interrupted run left, and what came in a wave.

use std::collections::HashMap;

use benchwright_model::{BenchmarkId, Phase, Position, Side, Trial};

/// One try at a duet: benchmark, number of the duet, attempt.
pub(super) type Try<'a> = (&'a BenchmarkId, u32, u32);

/// Trials by what they are. Duets are taken out of it where it has them, so that verdicts depend neither on when a run was
/// interrupted nor on the order in which answers came.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    trials: HashMap<(BenchmarkId, u32, u32, Side), Trial>,
}

impl Inbox {
    /// With what an interrupted run left. What was cut off is measured again.
    pub(super) fn of(left: Vec<Trial>) -> Inbox {
        let mut inbox = Inbox::default();
        left.into_iter().filter(|trial| !trial.is_cut_off()).for_each(|trial| inbox.put(trial));
        inbox
    }

    /// Whether nothing is left in it.
    pub(super) fn is_empty(&self) -> bool {
        self.trials.is_empty()
    }

    /// All that is in it, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Trial> {
        self.trials.values()
    }

    /// Puts a half of a duet in.
    pub(super) fn put(&mut self, trial: Trial) {
        if let Position::Duet { index, attempt, .. } = trial.position {
            self.trials.insert((trial.benchmark.clone(), index, attempt, trial.side), trial);
        }
    }

    /// Takes what is there of a try out of it: base before head.
    pub(super) fn take(&mut self, (id, duet, attempt): Try<'_>) -> Vec<Trial> {
        let take = |side| self.trials.remove(&(id.clone(), duet, attempt, side));
        Side::BOTH.into_iter().filter_map(take).collect()
    }

    /// Base and head of a try, as far as they are there.
    pub(super) fn halves(&self, (id, duet, attempt): Try<'_>) -> [Option<&Trial>; 2] {
        Side::BOTH.map(|side| self.trials.get(&(id.clone(), duet, attempt, side)))
    }

    /// The attempts at a duet of which at least a half is there, up to the first without any.
    pub(super) fn attempts(&self, id: &BenchmarkId, duet: u32) -> impl Iterator<Item = u32> {
        (0..).take_while(move |&attempt| self.halves((id, duet, attempt)) != [None, None])
    }

    /// Whether this answers a call for a try. An answer that comes twice counts once.
    pub(super) fn is_answer(&self, (id, duet, attempt): Try<'_>, answer: &Trial) -> bool {
        let is_asked = matches!(answer.position, Position::Duet { index, attempt: tried, .. }
            if answer.benchmark == *id && index == duet && tried == attempt);
        is_asked && self.halves((id, duet, attempt))[usize::from(answer.side == Side::Head)].is_none()
    }

    /// Whether both halves of a try are there, from one instance and for this purpose. A run that goes on with less time may end
    /// screening sooner. What was screened beyond that cannot be used as a fresh duet: its order was not drawn for it alone, and it ran
    /// the programs as built.
    pub(super) fn has_pair(&self, one: Try<'_>, phase: Phase) -> bool {
        let instance = |trial: &Trial| trial.instance.as_ref().map(|instance| instance.id.clone());
        matches!(self.halves(one), [Some(base), Some(head)]
            if instance(base) == instance(head) && base.phase == phase && head.phase == phase)
    }

    /// Whether the try has to be measured again although something of it is there: its halves come from two instances or were measured
    /// for another purpose, or there is one half and both have to be measured together (`is_apart`).
    pub(super) fn is_torn(&self, one: Try<'_>, phase: Phase, is_apart: bool) -> bool {
        match self.halves(one) {
            [None, None] => false,
            [Some(half), None] | [None, Some(half)] => is_apart || half.phase != phase,
            [Some(_), Some(_)] => !self.has_pair(one, phase),
        }
    }
}
