//! Training rows: features of processes, and the correct answers.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::super::choice::cuts_at;
use super::super::features::{CUT, CUT_AFTER, GAIN, GAIN_FIRST, LEVEL, LEVEL_FIRST, Look, Record};
use super::super::learned::{FIRST_SERIOUS_LOOK, horizons};
use super::super::prefix::{GRID, MOST, Prefix};
use super::Example;
use super::boosting::Table;

/// The answer is based on the mean of this many iterations before the stop, or of the second half of all if
/// that is shorter.
const RECENT: usize = 100;

/// An error of this share counts half.
const HALF: f64 = 0.02;

/// Share of the processes that are examined at each place.
const LOOKED_AT: f64 = 0.7;

/// Number of ends of warm-up that are used per process and place.
const ENDS: f64 = 3.0;

/// Processes of all benchmarks.
pub(super) struct Rows {
    benchmarks: Vec<Vec<Seen>>,
    random: Xoshiro256PlusPlus,
}

struct Seen {
    prefix: Prefix,
    /// Its features if it had ended at each place of the grid, beginning with the first serious examination.
    records: Vec<Record>,
    steady_from: Option<u32>,
    /// Logarithm of the mean in the steady state, or of the last third.
    steady: f64,
}

impl Seen {
    fn new(example: &Example<'_>) -> Option<Seen> {
        example.check().ok()?;
        let values = example.values;
        let mut prefix = Prefix::new();
        let mut records = Vec::new();
        for value in values.iter().take(MOST) {
            prefix.push(*value);
            if GRID[FIRST_SERIOUS_LOOK..].contains(&prefix.seen()) {
                records.extend(Record::new(&prefix, FIRST_SERIOUS_LOOK));
            }
        }
        let from = example.steady_from.map_or(values.len() * 2 / 3, |last| last as usize + 1);
        let steady = &values[from..];
        let mean = steady.iter().sum::<f64>() / steady.len() as f64;
        Some(Seen { prefix, records, steady_from: example.steady_from, steady: mean.ln() })
    }

    fn places(&self) -> usize {
        GRID.partition_point(|t| *t <= self.prefix.seen())
    }

    /// The loss of stopping at a place: 0 is best, 1 is worst.
    fn loss(&self, place: usize) -> f64 {
        let t = GRID[place];
        let error = (self.prefix.mean((t / 2).max(t.saturating_sub(RECENT)), t).ln() - self.steady).abs();
        error / (error + HALF)
    }
}

impl Rows {
    /// Uses the benchmarks with at least two usable processes.
    pub(super) fn new(benchmarks: &[Vec<Example<'_>>], seed: u64) -> Self {
        let seen = benchmarks.iter().map(|processes| processes.iter().filter_map(Seen::new).collect());
        let benchmarks = seen.filter(|processes: &Vec<Seen>| processes.len() > 1).collect();
        Rows { benchmarks, random: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Benchmarks and processes.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.benchmarks.len(), self.benchmarks.iter().map(Vec::len).sum())
    }

    /// For the models of gain and level, for early processes or for those after a long one.
    pub(super) fn near(&mut self, is_later: bool) -> (Table, Table) {
        let (gain, level) = if is_later { (GAIN, LEVEL) } else { (GAIN_FIRST, LEVEL_FIRST) };
        let (mut gain, mut level) = (Table::new(gain), Table::new(level));
        let random = &mut self.random;
        for processes in &self.benchmarks {
            for (at, process) in processes.iter().enumerate() {
                for place in 0..process.places() {
                    if !happens(random, LOOKED_AT) {
                        continue;
                    }
                    let record = is_later.then(|| another(processes, at, random));
                    let look = Look::new(&process.prefix, place);
                    let loss = process.loss(place);
                    match record {
                        Some(record) => level.push(&look.level(record), loss),
                        None => level.push(&look.level_first(), loss),
                    }
                    for to in horizons(place).filter(|to| *to < process.places()) {
                        let nearer = loss - process.loss(to);
                        match record {
                            Some(record) => gain.push(&look.gain(record, to), nearer),
                            None => gain.push(&look.gain_first(to), nearer),
                        }
                    }
                }
            }
        }
        (gain, level)
    }

    /// For the models of the end of warm-up, for first or for later processes.
    pub(super) fn over(&mut self, is_later: bool) -> Table {
        let mut table = Table::new(if is_later { CUT_AFTER } else { CUT });
        let random = &mut self.random;
        for processes in &self.benchmarks {
            for (at, process) in processes.iter().enumerate() {
                let Some(steady_from) = process.steady_from else { continue };
                for (place, t) in GRID.iter().enumerate().take(process.places()) {
                    let look = Look::new(&process.prefix, place);
                    let cuts = cuts_at(*t);
                    for cut in cuts {
                        if !happens(random, ENDS / cuts.len() as f64) {
                            continue;
                        }
                        let target = f64::from(u8::from(steady_from as usize <= *cut));
                        if is_later {
                            table.push(&look.cut_after(*cut, another(processes, at, random)), target);
                        } else {
                            table.push(&look.cut(*cut), target);
                        }
                    }
                }
            }
        }
        table
    }
}

/// Features of another process of the benchmark, as if it had ended at some place.
fn another<'a>(processes: &'a [Seen], at: usize, random: &mut Xoshiro256PlusPlus) -> &'a Record {
    let other = (at + 1 + below(random, processes.len() - 1)) % processes.len();
    let records = &processes[other].records;
    &records[below(random, records.len())]
}

fn happens(random: &mut Xoshiro256PlusPlus, share: f64) -> bool {
    ((random.next_u64() >> 11) as f64) < share * (1u64 << 53) as f64
}

fn below(random: &mut Xoshiro256PlusPlus, n: usize) -> usize {
    (random.next_u64() % n.max(1) as u64) as usize
}
