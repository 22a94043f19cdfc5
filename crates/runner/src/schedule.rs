//! The order in which the processes of a run over levels are started.
//!
//! In a simple order, benchmarks that need few repetitions would be finished early. Those that need many
//! would then run among themselves, each repetition directly after the last one, in the same state of the
//! machine. So benchmarks that need few passes are put into random passes instead of the first ones, and
//! within a pass no benchmark follows itself as long as there is another one. If a pass still has too few
//! different benchmarks, others can run there again without being recorded.

use std::cmp::Reverse;

use benchwright_model::Position;

use crate::levels::LevelCounts;
use crate::order;

/// One process of a run over levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Index of the benchmark.
    pub(crate) index: usize,
    /// The position of its values. `None` for a filler, whose values are discarded.
    pub(crate) position: Option<Position>,
}

/// Every process of a run. There are as many passes as the benchmark with the most needs. `least` is the
/// least number of different benchmarks in a pass; fillers make up for missing ones.
pub(crate) fn schedule(counts: &[LevelCounts], least: u32, seed: u64) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut done = vec![0; counts.len()];
    for (number, pass) in passes(counts, seed).into_iter().enumerate() {
        let own: Vec<(usize, u32)> = pass.iter().map(|&index| (index, counts[index].iterations)).collect();
        let fillers = fillers(&own, counts.len(), least, seed, number as u64);
        let before = slots.last().map(|slot| slot.index);
        let order = order::arrange(seed, number as u64, &joined(own, &fillers), before);
        // Positions count processes in the order in which they run, so that a prefix of them is a smaller
        // configuration.
        let mut seen = vec![0; counts.len()];
        slots.extend(order.into_iter().map(|index| {
            let is_kept = pass.contains(&index) && seen[index] < counts[index].iterations;
            let (suite_run, iteration) = (done[index], seen[index]);
            seen[index] += 1;
            let position = Position::Levels { instance: 0, suite_run, iteration };
            Slot { index, position: is_kept.then_some(position) }
        }));
        pass.iter().for_each(|&index| done[index] += 1);
    }
    slots
}

/// How often each benchmark runs in a pass, recorded or not.
fn joined(mut own: Vec<(usize, u32)>, fillers: &[(usize, u32)]) -> Vec<(usize, u32)> {
    for &(index, count) in fillers {
        match own.iter_mut().find(|(known, _)| *known == index) {
            Some((_, known)) => *known += count,
            None => own.push((index, count)),
        }
    }
    own
}

/// The benchmarks of every pass. The passes of each benchmark are spread evenly over all of them, starting
/// where few other benchmarks are.
fn passes(counts: &[LevelCounts], seed: u64) -> Vec<Vec<usize>> {
    let all = counts.iter().map(|counts| counts.suite_runs).max().unwrap_or(0) as usize;
    let mut passes = vec![Vec::new(); all];
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order::shuffle(seed, PASSES, &mut order);
    // Benchmarks with the fewest passes fill the gaps that the others leave.
    order.sort_by_key(|&index| Reverse(counts[index].suite_runs));
    for index in order {
        let own = counts[index].suite_runs as usize;
        let places = |start: usize| (0..own).map(move |k| (start + k * all / own) % all);
        let crowd = |start: &usize| places(*start).map(|place| passes[place].len()).sum::<usize>();
        let Some(start) = (0..all).min_by_key(crowd) else { continue };
        for place in places(start).collect::<Vec<_>>() {
            passes[place].push(index);
        }
    }
    passes
}

/// Part of the seed of the assignment of benchmarks to passes. No pass has this number.
const PASSES: u64 = u64::MAX;

/// Benchmarks that run unrecorded in a pass, and how often: enough that `least` different benchmarks run
/// there, and often enough that no benchmark has to follow itself. Benchmarks that are not in the pass are
/// preferred.
fn fillers(pass: &[(usize, u32)], all: usize, least: u32, seed: u64, number: u64) -> Vec<(usize, u32)> {
    let total: u32 = pass.iter().map(|(_, count)| count).sum();
    let Some(&(most, count)) = pass.iter().max_by_key(|(_, count)| *count) else { return Vec::new() };
    let missing = (least as usize).saturating_sub(pass.len());
    let lacking = (2 * count).saturating_sub(total);
    if least == 0 || missing == 0 && lacking == 0 {
        return Vec::new();
    }
    let is_there = |index: &usize| pass.iter().any(|(own, _)| own == index);
    let (inside, mut chosen): (Vec<usize>, Vec<usize>) =
        (0..all).filter(|index| *index != most).partition(is_there);
    if chosen.is_empty() && lacking > 0 {
        chosen = inside;
    }
    order::shuffle(seed, PASSES - 1 - number, &mut chosen);
    chosen.truncate(missing.max(1));
    let kinds = chosen.len() as u32;
    if kinds == 0 {
        return Vec::new();
    }
    let needed = lacking.max(kinds);
    let each = |i: u32| needed / kinds + u32::from(i < needed % kinds);
    chosen.iter().enumerate().map(|(i, &index)| (index, each(i as u32))).collect()
}

/// Benchmarks whose processes directly follow each other somewhere, in ascending order.
pub(crate) fn followed_by_itself(slots: &[Slot]) -> Vec<usize> {
    let mut found: Vec<usize> =
        slots.windows(2).filter(|pair| pair[0].index == pair[1].index).map(|pair| pair[0].index).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn counts(all: &[(u32, u32)]) -> Vec<LevelCounts> {
        all.iter().map(|&(suite_runs, iterations)| LevelCounts { suite_runs, iterations }).collect()
    }

    /// The positions of the benchmark's recorded processes, sorted.
    fn positions(slots: &[Slot], index: usize) -> Vec<(u32, u32)> {
        let own = slots.iter().filter(|slot| slot.index == index).filter_map(|slot| slot.position);
        let mut found: Vec<(u32, u32)> = own
            .map(|position| match position {
                Position::Levels { suite_run, iteration, .. } => (suite_run, iteration),
                Position::Duet { .. } => panic!("not a comparison"),
            })
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn every_benchmark_runs_exactly_as_often_as_it_should() {
        for seed in 0..50 {
            let counts = counts(&[(3, 5), (1, 1), (2, 3), (1, 4), (3, 1), (1, 1)]);
            let slots = schedule(&counts, 3, seed);
            for (index, own) in counts.iter().enumerate() {
                let expected: Vec<(u32, u32)> = (0..own.suite_runs)
                    .flat_map(|run| (0..own.iterations).map(move |iteration| (run, iteration)))
                    .collect();
                assert_eq!(positions(&slots, index), expected, "benchmark {index}, seed {seed}");
            }
        }
    }

    #[test]
    fn passes_have_about_as_many_different_benchmarks_when_most_stop_early() {
        // One benchmark needs three passes and thirty need one. The passes must not have thirty-one, one and
        // one.
        let mut all = vec![(1, 3); 30];
        all.push((3, 5));
        for seed in 0..20 {
            let mut sizes: Vec<usize> = passes(&counts(&all), seed).iter().map(Vec::len).collect();
            sizes.sort_unstable();
            assert_eq!(sizes, [11, 11, 11]);
            assert_eq!(followed_by_itself(&schedule(&counts(&all), 0, seed)), Vec::<usize>::new());
        }
    }

    #[test]
    fn a_benchmark_that_needs_two_of_four_passes_gets_every_other_one() {
        for seed in 0..20 {
            let passes = passes(&counts(&[(4, 1), (2, 1), (2, 1)]), seed);
            for index in [1, 2] {
                let own: Vec<usize> = (0..4).filter(|&pass| passes[pass].contains(&index)).collect();
                assert_eq!(own[1] - own[0], 2, "{passes:?}");
            }
        }
    }

    #[test]
    fn fillers_come_only_where_they_are_asked_for_and_needed() {
        let all = counts(&[(4, 5), (1, 1), (1, 1)]);
        let is_filler = |slot: &&Slot| slot.position.is_none();
        for seed in 0..20 {
            let bare = schedule(&all, 0, seed);
            assert_eq!(bare.iter().filter(is_filler).count(), 0);
            assert_eq!(followed_by_itself(&bare), [0]);
            let filled = schedule(&all, 3, seed);
            assert_eq!(followed_by_itself(&filled), Vec::<usize>::new());
            assert!(filled.iter().filter(is_filler).all(|slot| slot.index != 0));
        }
        // If all benchmarks are in the pass, they serve as fillers themselves.
        let mixed = schedule(&counts(&[(1, 5), (1, 1)]), 1, 4);
        assert_eq!((followed_by_itself(&mixed), mixed.len()), (vec![], 10));
        let enough = counts(&[(2, 2), (2, 2), (2, 2)]);
        assert_eq!(schedule(&enough, 3, 1).iter().filter(is_filler).count(), 0);
        // A single benchmark cannot be mixed.
        assert_eq!(schedule(&counts(&[(2, 2)]), 3, 1).len(), 4);
    }

    #[test]
    fn same_seed_same_schedule_other_seed_another() {
        let all = counts(&[(3, 2), (1, 2), (2, 2), (1, 1)]);
        assert_eq!(schedule(&all, 2, 7), schedule(&all, 2, 7));
        let orders: BTreeSet<Vec<usize>> =
            (0..10).map(|seed| schedule(&all, 0, seed).iter().map(|slot| slot.index).collect()).collect();
        assert!(orders.len() > 5);
    }
}
