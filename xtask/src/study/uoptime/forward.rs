//! Configurations of the oldest version, used on all later ones: which changes they find.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use benchwright_analysis::reduce::changes::{self, Confusion, Rates, Speeds};
use benchwright_analysis::reduce::{Configuration, Options, Stability, baseline, in_parallel, reduce_suite};

use crate::study::recorded::RecordedBenchmark;

/// The ways to choose, in the order of tables 2 and 3.
pub(super) const METHODS: [&str; 3] = ["minimum", "random", "µOpTime"];

/// One row of table 2 or 3, with its pairs of versions.
#[derive(Debug, Clone)]
pub(super) struct Forward {
    pub(super) method: &'static str,
    /// Pairs that have a benchmark in common.
    pub(super) pairs: Vec<Pair>,
    /// None without such a pair.
    pub(super) rates: Option<Rates>,
}

/// Two versions that follow each other.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) versions: (String, String),
    pub(super) confusion: Confusion,
    /// Benchmarks that are faster, measured in full; the paper does not count them.
    pub(super) faster: usize,
}

/// The versions of a project, oldest first, with their names.
pub(super) type Versions = [(String, Vec<RecordedBenchmark>)];

/// All three ways. `random` has a configuration per benchmark of the oldest version, as the mode sees its levels.
pub(super) fn forward(
    versions: &Versions,
    random: &[Configuration],
    metric: &dyn Stability,
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
    METHODS
        .into_iter()
        .zip(ways)
        .map(|(method, configurations)| {
            let chosen: BTreeMap<&str, &Configuration> =
                oldest.iter().map(|benchmark| benchmark.name.as_str()).zip(&configurations).collect();
            follow(method, versions, &chosen, metric, options, jobs)
        })
        .collect()
}

fn follow(
    method: &'static str,
    versions: &Versions,
    chosen: &BTreeMap<&str, &Configuration>,
    metric: &dyn Stability,
    options: &Options,
    jobs: NonZeroUsize,
) -> Forward {
    let speeds: Vec<BTreeMap<String, Speeds>> = in_parallel(versions, jobs, &|(_, benchmarks)| {
        let shared = shared_names(benchmarks);
        let followed = benchmarks.iter().filter(|benchmark| !shared.contains(benchmark.name.as_str()));
        followed
            .filter_map(|benchmark| {
                let configuration = chosen.get(benchmark.name.as_str())?;
                let speeds = changes::speeds(&benchmark.series, configuration, metric, options)?;
                Some((benchmark.name.clone(), speeds))
            })
            .collect()
    });
    let pairs: Vec<Pair> = (1..versions.len())
        .map(|index| Pair {
            versions: (versions[index - 1].0.clone(), versions[index].0.clone()),
            confusion: changes::confusion(&speeds[index - 1], &speeds[index]),
            faster: changes::faster(&speeds[index - 1], &speeds[index]),
        })
        .filter(|pair| pair.confusion.compared() > 0)
        .collect();
    let rates = Rates::of(&pairs.iter().map(|pair| pair.confusion).collect::<Vec<_>>());
    Forward { method, pairs, rates }
}

/// Names that several benchmarks of a version share: which of them is which in the next version nobody knows. The reader calls the
/// second of a name `name#2`.
fn shared_names(benchmarks: &[RecordedBenchmark]) -> BTreeSet<&str> {
    let mut shared = BTreeSet::new();
    for benchmark in benchmarks {
        let Some((name, number)) = benchmark.name.rsplit_once('#') else { continue };
        if number.parse::<u32>().is_ok() {
            shared.extend([benchmark.name.as_str(), name]);
        }
    }
    shared
}
