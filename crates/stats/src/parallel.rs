//! Runs a function for many items on several cores.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` for every item with this many threads. The results are in the order of the items. A panic in
/// `work` is passed on.
pub fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return done };
            done.push((place, work(item)));
        }
    };
    let mut answers: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..jobs.get()).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_in_order_whatever_the_number_of_threads() {
        let items: Vec<u32> = (0..1000).collect();
        let expected: Vec<u32> = items.iter().map(|item| item * 2).collect();
        for jobs in [1, 2, 7] {
            let jobs = NonZeroUsize::new(jobs).expect("some");
            assert_eq!(in_parallel(&items, jobs, |item| item * 2), expected);
        }
        assert_eq!(in_parallel(&[0_u32; 0], NonZeroUsize::MIN, |item| *item), [0_u32; 0]);
    }
}
