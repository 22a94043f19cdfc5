//! What the first duets of a benchmark tell later ones.

use std::collections::HashMap;
use std::num::NonZeroU64;

use benchwright_harness::TrialShape;
use benchwright_model::Trial;
use benchwright_worker::Pairing;

use crate::{operations, turns};

/// By a benchmark's index.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    /// How many operations an iteration has: what the first duet told.
    operations: HashMap<usize, NonZeroU64>,
    /// How many processes a half of a duet has: what the second told.
    processes: HashMap<usize, u32>,
}

impl Learned {
    /// Takes note of a duet with two measured halves, base first.
    pub(crate) fn take(
        &mut self,
        index: usize,
        duet: u32,
        shape: &TrialShape,
        pairing: Pairing,
        halves: &[Trial],
    ) {
        match (duet, halves) {
            (0, [base, head]) => {
                let (base, head) = (base.outcome.measurement(), head.outcome.measurement());
                let both = base.zip(head);
                let learned = both.and_then(|(base, head)| operations::of_first_duet(shape, base, head));
                self.operations.extend(learned.map(|operations| (index, operations)));
            }
            // A tool that looks for a number of operations spends as long on that in every process.
            (1, halves) if pairing == Pairing::Sequential && self.operations.contains_key(&index) => {
                let learned = turns::of_second_duet(shape, halves);
                self.processes.extend(learned.map(|processes| (index, processes)));
            }
            _ => {}
        }
    }

    /// How many operations an iteration has, as far as known.
    pub(crate) fn operations(&self, index: usize) -> Option<NonZeroU64> {
        self.operations.get(&index).copied()
    }

    /// How the next duet runs: as `given`, or in turns where starting processes is known to be cheap.
    pub(crate) fn pairing(&self, index: usize, given: Pairing) -> Pairing {
        self.processes.get(&index).map_or(given, |&processes| Pairing::InTurns { processes })
    }
}
