//! Work on many benchmarks on several threads.

use std::num::NonZeroUsize;

use benchwright_analysis::reduce::{self, Options, Stability, Why};
use benchwright_model::Diagnostic;
use benchwright_report::reduction::ReducedBenchmark;

use crate::leveled::{Leveled, LeveledBenchmark};

/// Maximum number of configurations in a drawing. More dots would hide each other.
const MOST_DRAWN: usize = 150;

/// A way to measure stability.
pub type Metric = &'static dyn Stability;

/// What to compute for each benchmark.
pub struct Wanted<'a> {
    /// Its metric.
    pub metric: &'a (dyn Fn(&LeveledBenchmark) -> Metric + Sync),
    /// What counts as stable, and by whose definitions.
    pub options: Options,
    /// Whether single configurations are shown.
    pub has_curve: bool,
    /// Whether it is reported how many repetitions would be enough.
    pub has_forecast: bool,
}

/// Reduces everything, in the order of the sets, and reports the benchmarks for which nothing can be
/// computed.
pub fn reduce(
    sets: &[Leveled],
    wanted: &Wanted<'_>,
    jobs: Option<u32>,
) -> (Vec<ReducedBenchmark>, Vec<Diagnostic>) {
    of_all(sets, jobs, |source, benchmark| one(source, benchmark, wanted))
}

/// Runs a function on every benchmark of all sets, in their order. Failures are reported.
pub fn of_all<'a, Found: Send>(
    sets: &'a [Leveled],
    jobs: Option<u32>,
    work: impl Fn(usize, &'a LeveledBenchmark) -> Result<Found, Diagnostic> + Sync,
) -> (Vec<Found>, Vec<Diagnostic>) {
    let all: Vec<(usize, &'a LeveledBenchmark)> = sets
        .iter()
        .enumerate()
        .flat_map(|(at, set)| set.benchmarks.iter().map(move |one| (at, one)))
        .collect();
    let jobs = self::jobs(jobs);
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in reduce::in_parallel(&all, jobs, |(source, benchmark)| work(*source, benchmark)) {
        match result {
            Ok(one) => found.push(one),
            Err(diagnostic) => errors.push(diagnostic),
        }
    }
    (found, errors)
}

/// The number of threads: as asked for, otherwise one per core.
pub fn jobs(asked: Option<u32>) -> NonZeroUsize {
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    asked.and_then(|jobs| NonZeroUsize::new(jobs as usize)).unwrap_or_else(cores)
}

/// The options for one benchmark, with the cost of its own processes.
pub fn options(benchmark: &LeveledBenchmark, of_all: Options) -> Options {
    Options {
        seconds_per_value: benchmark.seconds_per_value,
        process_seconds: benchmark.process_seconds,
        warmup: benchmark.warmup,
        ..of_all
    }
}

fn one(
    source: usize,
    benchmark: &LeveledBenchmark,
    wanted: &Wanted<'_>,
) -> Result<ReducedBenchmark, Diagnostic> {
    let error = |message: String| Diagnostic::error(&benchmark.name, message);
    let options = options(benchmark, wanted.options);
    let metric = (wanted.metric)(benchmark);
    let series = &benchmark.series;
    let seen = options.mode.seen(series);
    let levels = seen.levels().to_vec();
    if reduce::configurations(&levels, options.mode).is_empty() {
        let has = match seen.full().sequential(&levels) {
            1 => "a single repetition".to_owned(),
            n => format!("{n} repetitions"),
        };
        return Err(error(format!("cannot be reduced: it has {has}, too few to say how stable they are")));
    }
    let reduction = reduce::reduce(series, metric, &options).ok_or_else(|| {
        error(format!("cannot be reduced: {} is not defined for its values", metric.name()))
    })?;
    let why = Why::of(&reduction, &levels, options.mode);
    let is_unstable = why == Why::Unstable;
    Ok(ReducedBenchmark {
        source,
        id: benchmark.id.clone(),
        name: benchmark.name.clone(),
        metric: metric.name(),
        why,
        forecast: (wanted.has_forecast && is_unstable)
            .then(|| reduce::forecast(series, metric, &options))
            .flatten(),
        curve: if wanted.has_curve {
            reduce::curve(series, metric, &options, MOST_DRAWN)
        } else {
            Vec::new()
        },
        levels,
        reduction,
    })
}
