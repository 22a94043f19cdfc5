//! Reduces a whole suite at once.

use std::num::NonZeroUsize;

use benchwright_stats::in_parallel;

use super::replay::{BATCH, Replay};
use super::{LevelSeries, Mode, Options, Reduction, Stability, reduce_by};

/// The prototype's batches are repeated for benchmarks with up to this many values. With more, its draws take
/// seconds per benchmark, and they hardly matter over so many values.
const MOST_REPEATED: u64 = 100;

/// Reduces every benchmark by every metric. The result has one list per benchmark, in order, with one entry
/// per metric. Benchmarks are distributed over this many threads; the result does not depend on their number.
///
/// In the prototype's mode, benchmarks measured by forks are treated as a file of the prototype, and its
/// batches are repeated with its own random numbers. `options.lead` prevents that.
pub fn reduce_suite(
    suite: &[&LevelSeries],
    metrics: &[&dyn Stability],
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Vec<Option<Reduction>>> {
    if options.mode == Mode::Prototype
        && options.lead.is_none()
        && suite.iter().all(|series| is_repeated(series))
    {
        let batches: Vec<&[&LevelSeries]> = suite.chunks(BATCH).collect();
        let of_batch = |batch: &&[&LevelSeries]| replayed(batch, metrics, options);
        return in_parallel(&batches, jobs, of_batch).concat();
    }
    in_parallel(suite, jobs, |series: &&LevelSeries| reduce_by(series, metrics, options))
}

fn is_repeated(series: &LevelSeries) -> bool {
    series.levels().first().is_some_and(|level| level.name == "fork")
        && series.full().repetitions() <= MOST_REPEATED
}

/// One of the prototype's batches. The stream restarts for every metric.
fn replayed(
    batch: &[&LevelSeries],
    metrics: &[&dyn Stability],
    options: &Options,
) -> Vec<Vec<Option<Reduction>>> {
    let mut found = vec![Vec::new(); batch.len()];
    for metric in metrics {
        let mut replay = Replay::start();
        for (series, found) in batch.iter().zip(&mut found) {
            // It is unknown what the prototype would draw for metrics that it does not have, or that use no
            // random numbers.
            found.push(match metric.is_random(Mode::Prototype) {
                true => replay.reduce(series, *metric, options),
                false => reduce_by(series, &[*metric], options).pop().flatten(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::metrics;

    fn jobs(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).unwrap()
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let suite: Vec<LevelSeries> = (1..=7_u32)
            .map(|benchmark| {
                let value = |fork: u32, iteration: u32| {
                    1.0 + 0.002 * f64::from((fork * benchmark + iteration * 3) % (4 + benchmark))
                };
                let points = (1..=3)
                    .flat_map(|fork| {
                        (1..=5).map(move |iteration| (vec![fork, iteration], value(fork, iteration)))
                    })
                    .collect();
                LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()
            })
            .collect();
        let suite: Vec<&LevelSeries> = suite.iter().collect();
        let alone = reduce_suite(&suite, metrics(), &Options::default(), jobs(1));
        assert_eq!((alone.len(), alone[0].len()), (7, 5));
        for count in [2, 3, 20] {
            assert_eq!(reduce_suite(&suite, metrics(), &Options::default(), jobs(count)), alone);
        }
    }

    #[test]
    fn a_file_of_the_prototype_is_repeated_batch_by_batch() {
        let series = |seed: u32| {
            let value =
                |fork: u32, iteration: u32| 100.0 + 0.3 * f64::from((fork * 7 + iteration * 5 + seed) % 11);
            let points = (1..=3)
                .flat_map(|fork| {
                    (1..=4).map(move |iteration| (vec![fork, iteration], value(fork, iteration)))
                })
                .collect();
            LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()
        };
        let suite: Vec<LevelSeries> = (0..12).map(series).collect();
        let suite: Vec<&LevelSeries> = suite.iter().collect();
        let options = Options { mode: Mode::Prototype, ..Options::default() };
        let found = reduce_suite(&suite, metrics(), &options, jobs(2));
        // The second batch begins like the first.
        let mut replay = Replay::start();
        for index in 10..12 {
            assert_eq!(found[index][2], replay.reduce(suite[index], metrics()[2], &options), "{index}");
        }
        assert_eq!(found[5][0], reduce_by(suite[5], &metrics()[..1], &options)[0]);
    }

    #[test]
    fn order_is_kept() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(
            in_parallel(&items, jobs(4), |item| item * item),
            items.iter().map(|i| i * i).collect::<Vec<_>>()
        );
        assert!(in_parallel(&[] as &[u64], jobs(4), |item| *item).is_empty());
    }
}
