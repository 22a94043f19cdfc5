//! What the first duets of a benchmark determine for the later ones.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::time::Duration;

use benchwright_harness::{Stop, TrialShape};
use benchwright_model::Trial;
use benchwright_worker::Pairing;

use crate::lengths::{Length, Lengths};
use crate::warmups::Warmups;
use crate::{operations, turns};

/// By index of the benchmark.
#[derive(Debug)]
pub(crate) struct Learned {
    /// The time limit of a process. `None` if it is set how much processes measure or what ends them.
    limit: Option<Duration>,
    /// Number of operations of an iteration, from the first duet.
    operations: HashMap<usize, NonZeroU64>,
    /// The first duet, until it is compared with the second.
    searched: HashMap<usize, Vec<Trial>>,
    /// Number of processes of a half of a duet, from the second duet.
    processes: HashMap<usize, u32>,
    /// How much a process measures, from the first duets.
    lengths: HashMap<usize, Lengths>,
    /// How long a process warms up under a stop rule, from the first two duets.
    warmups: HashMap<usize, Warmups>,
}

impl Learned {
    /// Has learned nothing yet. With a `limit` of processes it may choose how much they measure.
    pub(crate) fn new(limit: Option<Duration>) -> Learned {
        Learned {
            limit,
            operations: HashMap::new(),
            searched: HashMap::new(),
            processes: HashMap::new(),
            lengths: HashMap::new(),
            warmups: HashMap::new(),
        }
    }

    /// Learns from a duet with two measured halves, base first. `shape` is the usual shape, `asked` that of
    /// this duet.
    pub(crate) fn take(
        &mut self,
        index: usize,
        duet: u32,
        (shape, asked): (&TrialShape, &TrialShape),
        pairing: Pairing,
        halves: &[Trial],
    ) {
        if let (Some(limit), Stop::Fixed, None) = (self.limit, &shape.stop, self.processes.get(&index)) {
            self.lengths.entry(index).or_default().take((shape, asked), limit, halves);
        }
        if self.limit.is_some() {
            self.warmups.entry(index).or_default().take(shape, halves);
        }
        match (duet, halves) {
            (0, halves) => {
                let learned = operations::of_first_duet(shape, halves);
                self.operations.extend(learned.map(|operations| (index, operations)));
                self.searched.insert(index, halves.to_vec());
            }
            (1, halves) if self.need_search(index, halves) => {
                self.operations.remove(&index);
            }
            // A tool that searches for a number of operations spends that time in every process.
            (1, halves) if pairing == Pairing::Sequential && self.operations.contains_key(&index) => {
                let learned = turns::of_second_duet(&self.shape(index, shape.clone(), 0), halves);
                self.processes.extend(learned.map(|processes| (index, processes)));
            }
            _ => {}
        }
    }

    /// Whether operations of a benchmark take longer in its second duet, where their number was given, than
    /// in the first.
    fn need_search(&mut self, index: usize, halves: &[Trial]) -> bool {
        let first = self.searched.remove(&index).unwrap_or_default();
        self.operations.contains_key(&index) && operations::are_dearer(&first, halves)
    }

    /// The shape of the next duet's trials. After a failure, a duet no longer overrides the settings of the
    /// suite, because this may be the cause.
    pub(crate) fn shape(&self, index: usize, usual: TrialShape, attempt: u32) -> TrialShape {
        let operations = self.operations.get(&index).copied().or(usual.operations);
        let shape = TrialShape { operations, ..usual };
        let shape = match self.warmups.get(&index) {
            Some(warmups) => warmups.shape(shape),
            None => shape,
        };
        match self.lengths.get(&index).and_then(Lengths::length) {
            Some(length) if attempt > 0 => Length { is_overruled: false, ..length }.of(shape),
            Some(length) => length.of(shape),
            None => shape,
        }
    }

    /// How the next duet runs: as `given`, or in turns if starting a process is known to be cheap.
    pub(crate) fn pairing(&self, index: usize, given: Pairing) -> Pairing {
        self.processes.get(&index).map_or(given, |&processes| Pairing::InTurns { processes })
    }
}
