//! Finds changes in all later versions with the configurations of the oldest version.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

pub(super) use benchwright_analysis::reduce::evaluation::Forward;
use benchwright_analysis::reduce::evaluation::{Evaluand, FOLLOWED, Version, follow};
use benchwright_analysis::reduce::{Configuration, Options, Stability, baseline, reduce_suite};

use crate::study::recorded::RecordedBenchmark;

/// The versions of a project, oldest first, with their names.
pub(super) type Versions = [(String, Vec<RecordedBenchmark>)];

/// Follows all three ways to choose. `random` has one configuration for each benchmark of the oldest version,
/// with the levels that the mode uses.
pub(super) fn forward(
    versions: &Versions,
    random: &[Configuration],
    metric: &'static dyn Stability,
    options: &Options,
    jobs: NonZeroUsize,
) -> Vec<Forward> {
    let Some((_, oldest)) = versions.first() else { return Vec::new() };
    let suite: Vec<_> = oldest.iter().map(|benchmark| &benchmark.series).collect();
    let minimum = suite.iter().map(|series| baseline::minimum(options.mode.seen(series).levels()));
    let minimum =
        minimum.zip(&suite).map(|(found, series)| found.unwrap_or_else(|| options.mode.seen(series).full()));
    let chosen =
        reduce_suite(&suite, &[metric], options, jobs).into_iter().zip(&suite).map(|(mut found, series)| {
            let reduction = found.pop().flatten();
            reduction
                .map_or_else(|| options.mode.seen(series).full(), |reduction| reduction.chosen.configuration)
        });
    let ways: [Vec<Configuration>; 3] = [minimum.collect(), random.to_vec(), chosen.collect()];
    let followed: Vec<Version<'_>> = versions
        .iter()
        .map(|(name, benchmarks)| {
            let of_each = benchmarks.iter().map(|one| Evaluand {
                name: &one.name,
                series: &one.series,
                options: *options,
            });
            (name.clone(), of_each.collect())
        })
        .collect();
    FOLLOWED
        .into_iter()
        .zip(ways)
        .map(|(method, configurations)| {
            let chosen: BTreeMap<&str, &Configuration> =
                oldest.iter().map(|benchmark| benchmark.name.as_str()).zip(&configurations).collect();
            follow(method, &followed, &chosen, &|_| metric, jobs)
        })
        .collect()
}
