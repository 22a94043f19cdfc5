//! A whole suite at once.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{LevelSeries, Options, Reduction, Stability, reduce_by};

/// Reduces every benchmark by every metric: one list per benchmark, in order, one entry per metric. Benchmarks are shared among so
/// many threads; the result does not depend on how many.
pub fn reduce_suite(
    suite: &[&LevelSeries],
    metrics: &[&dyn Stability],
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Vec<Option<Reduction>>> {
    in_parallel(suite, jobs, &|series: &&LevelSeries| reduce_by(series, metrics, options))
}

/// Applies `work` to every item and keeps their order; whoever is free takes the next one.
pub fn in_parallel<Item: Sync, Answer: Send>(
    items: &[Item],
    jobs: NonZeroUsize,
    work: &(dyn Fn(&Item) -> Answer + Sync),
) -> Vec<Answer> {
    let jobs = jobs.get().min(items.len());
    if jobs <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let answer = work(item);
                    answers.lock().expect("nobody panics while holding it").push((index, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().expect("nobody panics while holding it");
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
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
    fn order_is_kept() {
        let items: Vec<u64> = (0..100).collect();
        assert_eq!(
            in_parallel(&items, jobs(4), &|item| item * item),
            items.iter().map(|i| i * i).collect::<Vec<_>>()
        );
        assert!(in_parallel(&[] as &[u64], jobs(4), &|item| *item).is_empty());
    }
}
