//! The cheapest division of a series into segments, for a given price of a change.

use super::costs::{Costs, STRIDE};

/// Minimum number of values in a segment, because a single value has no variance.
const SHORTEST: usize = 2;

/// Number of candidates that share a lower bound: as many as an integer has bits.
const BLOCK: usize = u32::BITS as usize;

/// Tolerance for rounding errors of bounds when segments are compared.
const SLACK: f64 = 0.05;

/// A series divided into segments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segmentation {
    /// The ends of segments (one past their last value), in ascending order. The last one is the length of
    /// the series.
    pub(super) ends: Vec<usize>,
    /// The cost of all segments, without the price of changes.
    pub(super) cost: f64,
}

impl Segmentation {
    /// Changes between segments.
    pub(super) fn changes(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }
}

/// The division into segments of at least two values with the smallest cost plus `penalty` per change.
/// Killick, Fearnhead & Eckley 2012 (JASA 107), PELT.
///
/// The result is exact: a candidate is dropped only if a later one is better for every following end. Of
/// equally cheap last segments the longest one is used. The time is between linear and quadratic: long
/// segments leave many candidates, but nearly all of them are excluded by a bound that needs no logarithm
/// (see [`Candidates`]).
pub(super) fn pelt(costs: &mut Costs<'_>, penalty: f64) -> Segmentation {
    Search::new(costs, penalty).run(costs)
}

/// [`pelt`] for several penalties in parallel. At every end they mostly need the same costs, which are
/// computed once.
pub(super) fn pelt_each(costs: &mut Costs<'_>, penalties: &[f64]) -> Vec<Segmentation> {
    let mut searches: Vec<Search> = penalties.iter().map(|penalty| Search::new(costs, *penalty)).collect();
    for end in 2 * SHORTEST..=costs.len() {
        searches.iter_mut().for_each(|search| search.step(costs, end));
    }
    searches.into_iter().map(Search::finish).collect()
}

/// A search under way.
#[derive(Debug)]
struct Search {
    penalty: f64,
    /// The smallest cost of everything up to a position, and the start of its last segment.
    least: Vec<f64>,
    start_of: Vec<usize>,
    candidates: Candidates,
}

impl Search {
    fn new(costs: &mut Costs<'_>, penalty: f64) -> Search {
        let n = costs.len();
        let mut least = Vec::with_capacity(n + 1);
        least.extend([-penalty, 0.0]);
        least.extend((SHORTEST..2 * SHORTEST).filter(|end| *end <= n).map(|end| costs.cost(0, end)));
        least.truncate(n + 1);
        Search { penalty, least, start_of: vec![0; 2 * SHORTEST], candidates: Candidates::new() }
    }

    fn run(mut self, costs: &mut Costs<'_>) -> Segmentation {
        for end in 2 * SHORTEST..=costs.len() {
            self.step(costs, end);
        }
        self.finish()
    }

    /// Continues with the next end.
    fn step(&mut self, costs: &mut Costs<'_>, end: usize) {
        self.candidates.add(end - SHORTEST);
        if end == self.candidates.fresh_at + SHORTEST {
            self.candidates.give_up_beaten();
        }
        let (cost, start) = self.candidates.cheapest(costs, &self.least, self.penalty, end);
        self.least.push(cost);
        self.start_of.push(start);
        if end.is_multiple_of(STRIDE) {
            self.candidates.renew(costs, &self.least, end);
        }
    }

    /// The division, once the last end was reached.
    fn finish(self) -> Segmentation {
        let n = self.least.len() - 1;
        let mut ends = Vec::new();
        let mut end = n;
        while end > 0 {
            ends.push(end);
            end = self.start_of[end];
        }
        ends.reverse();
        let changes = ends.len().saturating_sub(1);
        Segmentation { cost: self.least[n] - changes as f64 * self.penalty, ends }
    }
}

/// The possible starts of the last segment.
///
/// With F(s) the smallest cost up to s, the cost of a last segment from s to t is at least F(s) + C(s, a) +
/// C(a, t) for any a between them, because two distributions fit at least as well as one. F(s) + C(s, a) is
/// stored for an earlier position a, and C(a, t) is the same for all candidates.
#[derive(Debug)]
struct Candidates {
    starts: Vec<usize>,
    /// F(s) + C(s, `bounds_at`). Minus infinity if it is unknown or not reliable.
    bounds: Vec<f64>,
    bounds_at: usize,
    /// The same for `fresh_at`, which becomes the bound when there are enough values after it.
    fresh: Vec<f64>,
    fresh_at: usize,
    /// Whether `fresh_at` is a better start for all ends that are at least two values later.
    is_beaten: Vec<bool>,
    /// The smallest bound of each [`BLOCK`].
    block_bounds: Vec<f64>,
    /// The last start that was best.
    favourite: usize,
}

impl Candidates {
    fn new() -> Self {
        let mut candidates = Candidates {
            starts: Vec::new(),
            bounds: Vec::new(),
            bounds_at: 0,
            fresh: Vec::new(),
            fresh_at: 0,
            is_beaten: Vec::new(),
            block_bounds: Vec::new(),
            favourite: 0,
        };
        candidates.add(0);
        candidates
    }

    fn add(&mut self, start: usize) {
        if self.starts.len().is_multiple_of(BLOCK) {
            self.block_bounds.push(f64::NEG_INFINITY);
        } else if let Some(bound) = self.block_bounds.last_mut() {
            *bound = f64::NEG_INFINITY;
        }
        self.starts.push(start);
        self.bounds.push(f64::NEG_INFINITY);
        self.fresh.push(f64::NEG_INFINITY);
        self.is_beaten.push(false);
    }

    /// The smallest cost of everything up to `end` with one more price, and the start of its last segment.
    fn cheapest(&mut self, costs: &mut Costs<'_>, least: &[f64], penalty: f64, end: usize) -> (f64, usize) {
        let rest = if costs.is_reliable(self.bounds_at, end) {
            costs.cost(self.bounds_at, end) - SLACK + penalty
        } else {
            f64::NEG_INFINITY
        };
        let mut total = |start: usize| least[start] + costs.cost(start, end) + penalty;
        let mut best = (total(self.favourite), self.favourite);
        for (block, block_bound) in self.block_bounds.iter().enumerate() {
            if block_bound + rest > best.0 {
                continue;
            }
            let range = block * BLOCK..((block + 1) * BLOCK).min(self.starts.len());
            let (starts, bounds) = (&self.starts[range.clone()], &self.bounds[range]);
            // First all comparisons, which the processor executes in parallel, then the few remaining
            // candidates.
            let mut left: u32 = 0;
            for (place, bound) in bounds.iter().enumerate() {
                left |= u32::from(bound + rest <= best.0) << place;
            }
            while left != 0 {
                let place = left.trailing_zeros() as usize;
                left &= left - 1;
                if bounds[place] + rest <= best.0 {
                    let cost = total(starts[place]);
                    if cost < best.0 || (cost == best.0 && starts[place] < best.1) {
                        best = (cost, starts[place]);
                    }
                }
            }
        }
        self.favourite = best.1;
        best
    }

    /// Examines all candidates at `end`, whose smallest cost is known.
    fn renew(&mut self, costs: &mut Costs<'_>, least: &[f64], end: usize) {
        std::mem::swap(&mut self.bounds, &mut self.fresh);
        self.bounds_at = self.fresh_at;
        self.fresh_at = end;
        for (place, start) in self.starts.iter().enumerate() {
            let total = least[*start] + costs.cost(*start, end);
            self.is_beaten[place] = total > least[end];
            self.fresh[place] = if costs.is_reliable(*start, end) { total } else { f64::NEG_INFINITY };
        }
        self.bound_blocks();
    }

    /// Drops the candidates that were beaten at the last examination.
    fn give_up_beaten(&mut self) {
        let mut kept = 0;
        for place in 0..self.starts.len() {
            if !self.is_beaten[place] {
                self.starts[kept] = self.starts[place];
                self.bounds[kept] = self.bounds[place];
                self.fresh[kept] = self.fresh[place];
                self.is_beaten[kept] = false;
                kept += 1;
            }
        }
        self.starts.truncate(kept);
        self.bounds.truncate(kept);
        self.fresh.truncate(kept);
        self.is_beaten.truncate(kept);
        self.bound_blocks();
    }

    fn bound_blocks(&mut self) {
        let least = |block: &[f64]| block.iter().copied().fold(f64::INFINITY, f64::min);
        self.block_bounds.clear();
        self.block_bounds.extend(self.bounds.chunks(BLOCK).map(least));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::{Sums, ZeroVariance};
    use super::*;
    use proptest::prelude::*;

    /// Tries all divisions.
    fn exhaustive(sums: &Sums, penalty: f64) -> f64 {
        let n = sums.len();
        let mut least = vec![f64::INFINITY; n + 1];
        least[0] = -penalty;
        for end in SHORTEST..=n {
            for start in (0..=end - SHORTEST).filter(|start| *start == 0 || *start >= SHORTEST) {
                least[end] = least[end].min(least[start] + sums.cost(start, end) + penalty);
            }
        }
        least[n]
    }

    fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }

    fn check_optimal(values: &[f64], zero: ZeroVariance, penalty: f64) {
        let sums = Sums::new(values, zero);
        let found = pelt(&mut Costs::new(&sums), penalty);
        assert_eq!(found.ends.last(), Some(&values.len()));
        assert!(found.ends.windows(2).all(|pair| pair[1] >= pair[0] + SHORTEST), "{:?}", found.ends);
        let starts = std::iter::once(0).chain(found.ends.iter().copied());
        let again: f64 = starts.zip(&found.ends).map(|(start, end)| sums.cost(start, *end)).sum();
        assert!((again - found.cost).abs() < 1e-6 * (1.0 + again.abs()), "{again} {}", found.cost);
        let expected = exhaustive(&sums, penalty);
        let total = found.cost + found.changes() as f64 * penalty;
        assert!((total - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{total} instead of {expected}");
    }

    #[test]
    fn the_optimum_is_found_whatever_the_penalty() {
        for seed in 1..6 {
            let mut next = noise(seed);
            let values: Vec<f64> = (0..500)
                .map(|i| {
                    let level = [10.0, 12.0, 11.0, 11.2, 30.0][i / 100];
                    let spread = [1.0, 1.0, 0.2, 0.2, 5.0][i / 100];
                    level + spread * next()
                })
                .collect();
            for penalty in [0.5, 5.0, 25.0, 100.0, 1000.0, 1e6] {
                check_optimal(&values, ZeroVariance::Relative, penalty);
                check_optimal(&values, ZeroVariance::Published, penalty);
            }
        }
    }

    /// Results are equal bit by bit, because parallel searches only change the order of the work.
    #[test]
    fn searches_side_by_side_are_those_one_after_the_other() {
        let mut next = noise(4);
        let values: Vec<f64> = (0..700).map(|i| 5.0 + f64::from(i / 90 % 3) + 0.3 * next()).collect();
        for zero in [ZeroVariance::Relative, ZeroVariance::Published] {
            let sums = Sums::new(&values, zero);
            let penalties = [2.0, 8.0, 8.0, 30.0, 250.0, 1e5];
            let together = pelt_each(&mut Costs::new(&sums), &penalties);
            for (penalty, found) in penalties.iter().zip(together) {
                let alone = pelt(&mut Costs::new(&sums), *penalty);
                assert_eq!(found.ends, alone.ends, "{penalty}");
                assert_eq!(found.cost.to_bits(), alone.cost.to_bits(), "{penalty}");
            }
        }
    }

    #[test]
    fn spikes_and_equal_values_do_not_mislead() {
        let mut next = noise(9);
        let values: Vec<f64> = (0..300)
            .map(|i| match i % 50 {
                7 => 40.0,
                20..=30 => 5.0,
                _ => 5.0 + 0.1 * next(),
            })
            .collect();
        for penalty in [1.0, 10.0, 40.0, 400.0] {
            check_optimal(&values, ZeroVariance::Relative, penalty);
        }
        check_optimal(&[7.0; 100], ZeroVariance::Relative, 10.0);
        let constant = Sums::new(&[7.0; 100], ZeroVariance::Relative);
        assert_eq!(pelt(&mut Costs::new(&constant), 10.0).ends, [100]);
    }

    /// Reference: ruptures 1.1.9, `Pelt(custom_cost=CostNormal(add_small_diag=False), min_size=2, jump=1)`,
    /// computed by `reference/pelt.py`.
    #[test]
    fn segments_are_those_of_the_reference() {
        let check = |levels: &[(f64, f64)], length: usize, expected: [&[usize]; 4]| {
            let value = |index: usize, i: usize| {
                let (level, spread) = levels[index];
                level + spread * (((i + index * length) * 7919) % 101) as f64 / 100.0
            };
            let values: Vec<f64> = (0..levels.len())
                .flat_map(|index| (0..length).map(move |i| (index, i)))
                .map(|(index, i)| value(index, i))
                .collect();
            let sums = Sums::new(&values, ZeroVariance::Published);
            for (penalty, expected) in [5.0, 30.0, 200.0, 5000.0].into_iter().zip(expected) {
                assert_eq!(pelt(&mut Costs::new(&sums), penalty).ends, expected, "{levels:?} at {penalty}");
            }
        };
        let all: &[usize] = &[100, 200, 300, 400];
        check(
            &[(10.0, 1.0), (20.0, 1.0), (12.0, 1.0), (12.5, 1.0)],
            100,
            [all, all, &[100, 200, 400], &[400]],
        );
        let all: &[usize] = &[150, 300, 450];
        check(&[(10.0, 0.2), (10.0, 3.0), (10.0, 0.5)], 150, [all, all, all, &[450]]);
        let all: &[usize] = &[60, 120, 180, 240, 360];
        let decay = [(40.0, 2.0), (30.0, 2.0), (25.0, 2.0), (22.0, 1.0), (21.0, 1.0), (21.0, 1.0)];
        check(&decay, 60, [all, all, all, &[360]]);
    }

    #[test]
    fn short_series_are_one_segment() {
        for n in 0..4 {
            let values: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i * i)).collect();
            let sums = Sums::new(&values, ZeroVariance::Relative);
            let found = pelt(&mut Costs::new(&sums), 0.1);
            assert_eq!(found.changes(), 0, "{n}");
        }
    }

    proptest! {
        #[test]
        fn any_series_is_divided_best(
            levels in prop::collection::vec((1.0f64..20.0, 0.01f64..2.0, 2usize..60), 1..6),
            seed in 0u64..1000,
            penalty in 0.1f64..60.0,
        ) {
            let mut next = noise(seed);
            let mut values = Vec::new();
            for (level, spread, length) in levels {
                values.extend((0..length).map(|_| level + spread * next()));
            }
            check_optimal(&values, ZeroVariance::Relative, penalty);
        }
    }
}
