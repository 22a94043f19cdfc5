//! The reduction of many benchmarks on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use benchwright_analysis::reduce::{self, Options, Stability, Why};
use benchwright_model::Diagnostic;
use benchwright_report::reduction::ReducedBenchmark;

use crate::leveled::{Leveled, LeveledBenchmark};

/// Configurations in a drawing: more dots than these hide each other.
const MOST_DRAWN: usize = 150;

/// What to find out about each benchmark.
pub(super) struct Wanted {
    /// The metric; none: by language.
    pub(super) metric: Option<&'static dyn Stability>,
    pub(super) options: Options,
    /// Whether single configurations are shown.
    pub(super) has_curve: bool,
    /// Whether it is told how many repetitions would do.
    pub(super) has_forecast: bool,
}

/// Reduces everything, in the order of the sets; and says of which benchmarks nothing can be said.
pub(super) fn reduce(
    sets: &[Leveled],
    wanted: &Wanted,
    jobs: Option<u32>,
) -> (Vec<ReducedBenchmark>, Vec<Diagnostic>) {
    let all: Vec<(usize, &LeveledBenchmark)> =
        sets.iter().enumerate().flat_map(|(at, set)| set.benchmarks.iter().map(move |one| (at, one))).collect();
    let jobs = jobs.map_or_else(cores, |jobs| jobs as usize);
    let found = in_parallel(jobs, &all, |(source, benchmark)| one(*source, benchmark, wanted));
    let (mut reduced, mut errors) = (Vec::new(), Vec::new());
    for result in found {
        match result {
            Ok(benchmark) => reduced.push(benchmark),
            Err(diagnostic) => errors.push(diagnostic),
        }
    }
    (reduced, errors)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

fn one(source: usize, benchmark: &LeveledBenchmark, wanted: &Wanted) -> Result<ReducedBenchmark, Diagnostic> {
    let error = |message: String| Diagnostic::error(&benchmark.name, message);
    let options = Options {
        seconds_per_value: benchmark.seconds_per_value,
        process_seconds: benchmark.process_seconds,
        ..wanted.options
    };
    let metric = wanted.metric.unwrap_or_else(|| reduce::recommended(&benchmark.id.harness).0);
    let series = match options.warmup {
        0 => benchmark.series.clone(),
        n => benchmark.series.without_warmup(n).ok_or_else(|| {
            error(format!("cannot be reduced: no process has more values than the {n} that are warm-up"))
        })?,
    };
    let seen = series.seen_in(options.mode);
    let levels = seen.levels().to_vec();
    if reduce::configurations(&levels, options.mode).is_empty() {
        let n = seen.full().sequential(&levels);
        let values = if n == 1 { "a single repetition" } else { "two repetitions" };
        return Err(error(format!("cannot be reduced: it has {values}, and fewer than three say nothing about stability")));
    }
    let reduction = reduce::reduce(&series, metric, &options)
        .ok_or_else(|| error(format!("cannot be reduced: {} is not defined for its values", metric.name())))?;
    let why = Why::of(&reduction, &levels, options.mode);
    let is_unstable = why == Why::Unstable;
    Ok(ReducedBenchmark {
        source,
        id: benchmark.id.clone(),
        name: benchmark.name.clone(),
        metric: metric.name(),
        why,
        forecast: (wanted.has_forecast && is_unstable)
            .then(|| reduce::forecast(&series, metric, &options))
            .flatten(),
        curve: if wanted.has_curve { reduce::curve(&series, metric, &options, MOST_DRAWN) } else { Vec::new() },
        levels,
        reduction,
    })
}

/// Does the work for every item, each on whichever thread is free; results in the order of the items.
fn in_parallel<Item: Sync, Found: Send>(
    threads: usize,
    items: &[Item],
    work: impl Fn(&Item) -> Found + Sync,
) -> Vec<Found> {
    let next = AtomicUsize::new(0);
    let share = || {
        let mut found = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(at)
        {
            found.push((at, work(item)));
        }
        found
    };
    let mut all: Vec<(usize, Found)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(items.len())).map(|_| scope.spawn(share)).collect();
        let mut all = share();
        for other in others {
            match other.join() {
                Ok(found) => all.extend(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, found)| found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_nothing_but_the_time() {
        let items: Vec<u64> = (0..1000).collect();
        let expected: Vec<u64> = items.iter().map(|item| item * item).collect();
        for threads in [1, 2, 7] {
            assert_eq!(in_parallel(threads, &items, |item| item * item), expected);
        }
        assert!(in_parallel(4, &[] as &[u64], |item| *item).is_empty());
    }
}
