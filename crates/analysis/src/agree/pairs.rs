//! Compares the readings of two runs.

use std::collections::BTreeMap;

use benchwright_model::{BenchmarkId, Effect};
use benchwright_stats::Interval;
use benchwright_stats::dispersion::quantile;

use super::reading::{Found, Reading};

/// Whether two runs agree on a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agreement {
    /// Agree: both found a change in the same direction, whatever its size.
    SameChange,
    /// Agree: neither found one.
    NoChange,
    /// Disagree: both found one, in opposite directions.
    Opposite,
    /// Disagree: one found a change, the other none. The paper calls this a possible performance change.
    Possible,
}

impl Agreement {
    /// All variants.
    pub const ALL: [Agreement; 4] =
        [Agreement::SameChange, Agreement::NoChange, Agreement::Opposite, Agreement::Possible];

    /// Whether the runs agree.
    pub fn agrees(self) -> bool {
        matches!(self, Agreement::SameChange | Agreement::NoChange)
    }

    /// The word in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Agreement::SameChange => "same-change",
            Agreement::NoChange => "no-change",
            Agreement::Opposite => "opposite",
            Agreement::Possible => "possible",
        }
    }
}

/// A benchmark that both runs have.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The reading of the first run.
    pub first: Reading,
    /// The reading of the second run.
    pub second: Reading,
}

impl Pair {
    /// Whether the runs agree.
    pub fn agreement(&self) -> Agreement {
        match (self.first.found, self.second.found) {
            (Found::Nothing, Found::Nothing) => Agreement::NoChange,
            (Found::Nothing, _) | (_, Found::Nothing) => Agreement::Possible,
            (first, second) if first == second => Agreement::SameChange,
            _ => Agreement::Opposite,
        }
    }

    /// Whether the first's estimate lies in the second's interval, ends included. `None` if an interval is
    /// missing.
    pub fn is_first_covered(&self) -> Option<bool> {
        covers(self.second.effect?, self.first.effect?)
    }

    /// Whether the second's estimate lies in the first's interval.
    pub fn is_second_covered(&self) -> Option<bool> {
        covers(self.first.effect?, self.second.effect?)
    }

    /// Whether the intervals have a value in common.
    pub fn overlaps(&self) -> Option<bool> {
        let [first, second] = [self.first.effect?, self.second.effect?].map(interval);
        Some(first.overlaps(&second))
    }

    /// If the runs disagree, the largest change that one of them found, as a ratio without sign.
    pub fn disputed_change(&self) -> Option<f64> {
        let size = |reading: &Reading| match reading.found {
            Found::Nothing => None,
            _ => reading.effect.map(|effect| effect.change().abs()),
        };
        if self.agreement().agrees() {
            return None;
        }
        [&self.first, &self.second].into_iter().filter_map(size).reduce(f64::max)
    }
}

fn covers(outer: Effect, inner: Effect) -> Option<bool> {
    Some(interval(outer).contains(inner.centre))
}

fn interval(effect: Effect) -> Interval {
    Interval { lo: effect.lo, hi: effect.hi }
}

/// The benchmarks that coverage is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// All benchmarks with an interval in both runs. The paper's percentages refer to these.
    All,
    /// Benchmarks for which both runs found a change, as in the paper's definition.
    Changed,
}

/// How often the estimate of one run lies in the interval of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Number of benchmarks.
    pub benchmarks: usize,
    /// The first run's estimate in the second's interval: one-sided coverage.
    pub first_in_second: usize,
    /// One-sided coverage in the other direction: the second's estimate in the first's interval.
    pub second_in_first: usize,
    /// Both: two-sided coverage.
    pub both: usize,
}

/// The sizes of the changes that runs disagree on, as ratios without sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disputed {
    /// How many there are.
    pub benchmarks: usize,
    /// Their median.
    pub median: f64,
    /// Their 75th percentile.
    pub upper_quartile: f64,
    /// The largest.
    pub largest: f64,
}

/// Two runs of the same comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TwoRuns {
    /// Benchmarks of both runs, in the order of the first.
    pub pairs: Vec<Pair>,
    /// Benchmarks that only the first has.
    pub only_first: Vec<BenchmarkId>,
    /// Benchmarks that only the second has.
    pub only_second: Vec<BenchmarkId>,
}

impl TwoRuns {
    /// Matches readings by benchmark. If a run has two readings of a benchmark, the first is used.
    pub fn of(first: Vec<Reading>, second: Vec<Reading>) -> TwoRuns {
        let mut others: BTreeMap<BenchmarkId, Reading> = BTreeMap::new();
        let order: Vec<BenchmarkId> = second.iter().map(|reading| reading.benchmark.clone()).collect();
        for reading in second {
            others.entry(reading.benchmark.clone()).or_insert(reading);
        }
        let mut runs = TwoRuns::default();
        for first in first {
            match others.remove(&first.benchmark) {
                Some(second) => runs.pairs.push(Pair { first, second }),
                None if runs.pairs.iter().any(|pair| pair.first.benchmark == first.benchmark) => {}
                None => runs.only_first.push(first.benchmark),
            }
        }
        // In the order of the second run, each once.
        runs.only_second = order.into_iter().filter(|benchmark| others.remove(benchmark).is_some()).collect();
        runs
    }

    /// How many pairs are of this kind.
    pub fn count(&self, agreement: Agreement) -> usize {
        self.pairs.iter().filter(|pair| pair.agreement() == agreement).count()
    }

    /// How many agree.
    pub fn agreeing(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.agreement().agrees()).count()
    }

    /// The share that agrees. `None` if no benchmark is in both runs.
    pub fn agreement(&self) -> Option<f64> {
        (!self.pairs.is_empty()).then(|| self.agreeing() as f64 / self.pairs.len() as f64)
    }

    /// How often estimates are covered, for these benchmarks.
    pub fn coverage(&self, among: Among) -> Coverage {
        let mut coverage = Coverage::default();
        let has_changed =
            |pair: &Pair| pair.first.found != Found::Nothing && pair.second.found != Found::Nothing;
        for pair in self.pairs.iter().filter(|pair| among == Among::All || has_changed(pair)) {
            let (Some(first), Some(second)) = (pair.is_first_covered(), pair.is_second_covered()) else {
                continue;
            };
            coverage.benchmarks += 1;
            coverage.first_in_second += usize::from(first);
            coverage.second_in_first += usize::from(second);
            coverage.both += usize::from(first && second);
        }
        coverage
    }

    /// The sizes of all changes that the runs disagree on, ascending, as ratios without sign.
    pub fn disputed_changes(&self) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.pairs.iter().filter_map(Pair::disputed_change).collect();
        sizes.sort_by(f64::total_cmp);
        sizes
    }

    /// A summary of these sizes. `None` if the runs agree on everything.
    pub fn disputed(&self) -> Option<Disputed> {
        let sizes = self.disputed_changes();
        Some(Disputed {
            benchmarks: sizes.len(),
            median: quantile(&sizes, 0.5)?,
            upper_quartile: quantile(&sizes, 0.75)?,
            largest: *sizes.last()?,
        })
    }
}
