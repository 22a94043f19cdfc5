//! Plans whose calls are known in advance.

use benchwright_analysis::agree::{Found, Sample};
use benchwright_model::{BenchmarkId, Metric};

use super::engine::{Call, Plan, Times, Work};
use crate::study::random::{Generator, shuffle};

/// The paper's plan: a fixed number of calls per benchmark, all in random order.
#[derive(Debug)]
pub(super) struct Fixed {
    calls: u32,
    repeats: u32,
    /// Whether both versions run in one call.
    is_paired: bool,
    /// The values of each benchmark by version, each with the number of its call.
    values: Vec<[Vec<(u32, f64)>; 2]>,
}

impl Fixed {
    /// A plan with `calls` calls of `repeats` duets each.
    pub(super) fn duets(benchmarks: usize, calls: u32, repeats: u32) -> Fixed {
        Fixed { calls, repeats, is_paired: true, values: vec![Default::default(); benchmarks] }
    }

    /// A plan with `calls` executions of each version, each in a separate call: multiplexed, interleaved, not
    /// paired.
    pub(super) fn unpaired(benchmarks: usize, calls: u32) -> Fixed {
        Fixed { is_paired: false, ..Fixed::duets(benchmarks, calls, 1) }
    }

    /// All measured values in the order of calls, which may differ from the order of answers.
    pub(super) fn samples(mut self) -> Vec<Sample> {
        let sorted = |values: &mut Vec<(u32, f64)>| {
            values.sort_by_key(|(number, _)| *number);
            values.iter().map(|(_, value)| *value).collect::<Vec<f64>>()
        };
        let of = |(at, both): (usize, &mut [Vec<(u32, f64)>; 2])| {
            let [base, head] = both.each_mut().map(sorted);
            Sample { benchmark: benchmark(at), metric: Metric::time(), base, head }
        };
        self.values.iter_mut().enumerate().map(of).collect()
    }
}

/// The id of a simulated benchmark.
pub(super) fn benchmark(at: usize) -> BenchmarkId {
    BenchmarkId::new("simulated", "", at.to_string())
}

/// What the paper's rule finds in a sample. `None` with fewer than ten results.
pub(super) fn by_medians(sample: &Sample, seed: u64) -> Option<Found> {
    let has_enough = sample.results() >= benchwright_analysis::agree::MIN_RESULTS;
    has_enough.then(|| sample.reading(seed).map_or(Found::Nothing, |reading| reading.found))
}

impl Plan for Fixed {
    fn begin(&mut self, generator: &mut Generator) -> Vec<Call> {
        let mut calls = Vec::new();
        for benchmark in 0..self.values.len() {
            for call in 0..self.calls {
                let number = call * self.repeats;
                let of = |work| Call { benchmark, number, work };
                match self.is_paired {
                    true => calls.push(of(Work::Duets(self.repeats))),
                    false => calls.extend([of(Work::Base), of(Work::Head)]),
                }
            }
        }
        shuffle(&mut calls, generator);
        calls
    }

    fn answer(&mut self, call: Call, times: Times, _: &mut Generator) -> Vec<Call> {
        for (at, pair) in times.iter().enumerate() {
            for (values, time) in self.values[call.benchmark].iter_mut().zip(pair) {
                if time.is_finite() {
                    values.push((call.number + at as u32, *time));
                }
            }
        }
        Vec::new()
    }
}
