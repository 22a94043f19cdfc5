//! Saved time and preserved results for each way to choose, as shown by a bar of figure 3 or 4.

use std::num::NonZeroUsize;

pub(super) use benchwright_analysis::reduce::evaluation::{METHODS, Outcome};
use benchwright_analysis::reduce::replay::{BATCH, NumpyStream, SEED};
use benchwright_analysis::reduce::{
    Configuration, Level, LevelSeries, Mode, Options, Reduction, baseline, by_name, in_parallel, metrics,
    reduce_suite,
};

use crate::study::recorded::RecordedBenchmark;

/// The outcomes of all ways to choose for one version. `random` has configurations for the mean and for the
/// median, one per benchmark.
pub(super) fn outcomes(
    benchmarks: &[RecordedBenchmark],
    random: &[Vec<Configuration>; 2],
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Outcome> {
    let suite: Vec<&LevelSeries> = benchmarks.iter().map(|benchmark| &benchmark.series).collect();
    let minimum: Vec<Configuration> = suite
        .iter()
        .map(|series| {
            let seen = options.mode.seen(series);
            baseline::minimum(seen.levels()).unwrap_or_else(|| seen.full())
        })
        .collect();
    let fixed = [("CV", &minimum), ("RMAD", &minimum), ("CV", &random[0]), ("RMAD", &random[1])]
        .into_iter()
        .zip(METHODS);
    let mut outcomes: Vec<Outcome> = fixed
        .map(|((metric, chosen), method)| {
            Outcome::of(method, &applied(&suite, chosen, metric, options, jobs))
        })
        .collect();
    let reductions = reduce_suite(&suite, metrics(), options, jobs);
    for (index, metric) in metrics().iter().enumerate() {
        let of_metric: Vec<Reduction> = reductions.iter().filter_map(|all| all[index].clone()).collect();
        outcomes.push(Outcome::of(metric.name(), &of_metric));
    }
    outcomes
}

fn applied(
    suite: &[&LevelSeries],
    chosen: &[Configuration],
    metric: &str,
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Reduction> {
    let Some(metric) = by_name(metric) else { return Vec::new() };
    let pairs: Vec<(&LevelSeries, &Configuration)> = suite.iter().copied().zip(chosen).collect();
    in_parallel(&pairs, jobs, |(series, configuration)| {
        baseline::applied(series, (*configuration).clone(), metric, options)
    })
    .into_iter()
    .flatten()
    .collect()
}

/// The random configurations of the prototype. They come from one stream for all files and metrics, or from
/// one stream per batch of benchmarks.
#[derive(Debug)]
pub(super) struct Draws {
    stream: NumpyStream,
    is_batched: bool,
}

impl Draws {
    /// Starts at the beginning of the stream.
    pub(super) fn start(is_batched: bool) -> Draws {
        Draws { stream: NumpyStream::seeded(SEED), is_batched }
    }

    /// Draws the configurations for the next file: for each metric one per benchmark, over the levels that
    /// the prototype uses.
    pub(super) fn for_file(&mut self, benchmarks: &[RecordedBenchmark]) -> Vec<Vec<Configuration>> {
        let draw = |benchmark: &RecordedBenchmark, stream: &mut NumpyStream| {
            baseline::random_of_prototype(Mode::Prototype.seen(&benchmark.series).levels(), stream)
        };
        let mut all = Vec::new();
        for _ in metrics() {
            let mut configurations = Vec::with_capacity(benchmarks.len());
            for batch in benchmarks.chunks(BATCH) {
                if self.is_batched {
                    self.stream = NumpyStream::seeded(SEED);
                }
                configurations.extend(batch.iter().map(|benchmark| draw(benchmark, &mut self.stream)));
            }
            all.push(configurations);
        }
        all
    }
}

/// Extends the configurations to all levels of the benchmarks. Levels that are not reduced keep their full
/// size.
pub(super) fn with_kept_levels(
    benchmarks: &[RecordedBenchmark],
    configurations: &[Configuration],
) -> Vec<Configuration> {
    let whole = |benchmark: &RecordedBenchmark, configuration: &Configuration| {
        let mut sizes = configuration.0.iter();
        let size = |level: &Level| match level.is_kept {
            true => level.size,
            false => sizes.next().copied().unwrap_or(level.size),
        };
        Configuration(benchmark.series.levels().iter().map(size).collect())
    };
    benchmarks.iter().zip(configurations).map(|(benchmark, one)| whole(benchmark, one)).collect()
}
