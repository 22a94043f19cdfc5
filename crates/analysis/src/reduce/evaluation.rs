//! The effect of ways to choose configurations on a suite: what is saved, how well the results are kept, and
//! whether changes between later versions are still found. Japke et al. 2025, figures 3 and 4, tables 2 and
//! 3.
//!
//! 1. [`outcomes`] compares the metrics with the paper's baselines on one version;
//! 2. [`forward`] chooses on the oldest version and uses the choice on all later ones.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use super::changes::{self, Confusion, Rates, Speeds};
use super::judgement::{self, Difference, Judgement};
use super::{
    Configuration, LevelSeries, Options, Reduction, Stability, baseline, by_name, in_parallel, metrics,
    reduce_by,
};

/// The ways to choose, in the order of figure 3: baselines by mean and by median, then the metrics.
pub const METHODS: [&str; 9] = [
    "minimum (mean)",
    "minimum (median)",
    "random (mean)",
    "random (median)",
    "CV",
    "RMAD",
    "RCIW1",
    "RCIW2",
    "RCIW3",
];

/// How many of [`METHODS`] are baselines.
pub const BASELINES: usize = 4;

/// A result counts as kept if it changes by at most this: three limits of the paper, and its 10 %.
pub const LIMITS: [f64; 4] = [0.01, 0.03, 0.05, 0.1];

/// The ways to choose that are followed through versions, in the order of tables 2 and 3. The last is the
/// choice by a metric.
pub const FOLLOWED: [&str; 3] = ["minimum", "random", "µOpTime"];

/// The effect of one way to choose on a suite.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// One of [`METHODS`].
    pub method: &'static str,
    /// Measuring time, before and after.
    pub judgement: Judgement,
    /// Share of benchmarks whose average is within each of [`LIMITS`].
    pub within: [f64; 4],
    /// The largest differences of a lower and of an upper end of an interval.
    pub worst_ends: Option<(f64, f64)>,
    /// The change of every benchmark, with its sign.
    pub changes: Vec<f64>,
}

impl Outcome {
    /// The outcome of these choices.
    pub fn of(method: &'static str, reductions: &[Reduction]) -> Outcome {
        Outcome {
            method,
            judgement: Judgement::of(reductions),
            within: LIMITS.map(|limit| judgement::within(reductions, limit)),
            worst_ends: judgement::worst_interval_changes(reductions),
            changes: reductions.iter().map(Reduction::change).collect(),
        }
    }
}

/// A benchmark of one version.
#[derive(Debug, Clone)]
pub struct Evaluand<'a> {
    /// Its name, which identifies it in other versions.
    pub name: &'a str,
    /// Its values.
    pub series: &'a LevelSeries,
    /// The settings of the choice, with the cost of its processes.
    pub options: Options,
}

/// All ways to choose, for the benchmarks of one version. The seed of the options determines random
/// configurations.
pub fn outcomes(suite: &[Evaluand<'_>], jobs: NonZeroUsize) -> Vec<Outcome> {
    let numbered: Vec<(u64, &Evaluand<'_>)> = (0..).zip(suite).collect();
    let of_all = in_parallel(&numbered, jobs, |(number, one)| all_ways(one, *number));
    let of_method =
        |at: usize| -> Vec<Reduction> { of_all.iter().filter_map(|all| all[at].clone()).collect() };
    METHODS.into_iter().enumerate().map(|(at, method)| Outcome::of(method, &of_method(at))).collect()
}

/// The choice of each of [`METHODS`] for one benchmark.
fn all_ways(one: &Evaluand<'_>, number: u64) -> Vec<Option<Reduction>> {
    let minimum = minimum(one);
    let ways =
        [("CV", &minimum), ("RMAD", &minimum), ("CV", &random(one, number)), ("RMAD", &random(one, number))];
    let applied = ways.into_iter().map(|(metric, configuration)| {
        baseline::applied(one.series, configuration.clone(), by_name(metric)?, &one.options)
    });
    applied.chain(reduce_by(one.series, metrics(), &one.options)).collect()
}

fn minimum(one: &Evaluand<'_>) -> Configuration {
    let seen = one.options.mode.seen(one.series);
    baseline::minimum(seen.levels()).unwrap_or_else(|| seen.full())
}

fn random(one: &Evaluand<'_>, number: u64) -> Configuration {
    let mode = one.options.mode;
    baseline::random(mode.seen(one.series).levels(), mode, one.options.resampling.seed.wrapping_add(number))
}

/// Whether the metrics cause different changes. `None` if the test is not defined.
pub fn difference(outcomes: &[Outcome]) -> Option<Difference> {
    let changes: Vec<Vec<f64>> =
        outcomes.iter().skip(BASELINES).map(|outcome| outcome.changes.clone()).collect();
    judgement::difference(&changes)
}

/// One way to choose, used on several versions.
#[derive(Debug, Clone)]
pub struct Forward {
    /// One of [`FOLLOWED`].
    pub method: &'static str,
    /// Pairs of versions that have a benchmark in common.
    pub pairs: Vec<Pair>,
    /// `None` if there is no such pair.
    pub rates: Option<Rates>,
}

/// Two successive versions.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Their names.
    pub versions: (String, String),
    /// The changes that the smaller configurations find, compared with the full ones.
    pub confusion: Confusion,
    /// Number of benchmarks that are faster, measured in full. The paper does not count them.
    pub faster: usize,
}

/// The name of a version, and its benchmarks.
pub type Version<'a> = (String, Vec<Evaluand<'a>>);

/// The metric of a benchmark by name.
pub type MetricOf<'a> = &'a (dyn (Fn(&str) -> &'static dyn Stability) + Sync);

/// Chooses on the first version (the oldest) in each of the ways of [`FOLLOWED`], and uses the choices on all
/// others.
pub fn forward(versions: &[Version<'_>], metric: MetricOf<'_>, jobs: NonZeroUsize) -> Vec<Forward> {
    let Some((_, oldest)) = versions.first() else { return Vec::new() };
    let numbered: Vec<(u64, &Evaluand<'_>)> = (0..).zip(oldest).collect();
    let chosen = in_parallel(&numbered, jobs, |(number, one)| {
        let reduction = reduce_by(one.series, &[metric(one.name)], &one.options).pop().flatten();
        let by_metric = reduction.map(|reduction| reduction.chosen.configuration);
        let full = || one.options.mode.seen(one.series).full();
        [minimum(one), random(one, *number), by_metric.unwrap_or_else(full)]
    });
    let way = |(at, method): (usize, &'static str)| {
        let configurations: BTreeMap<&str, &Configuration> =
            oldest.iter().zip(&chosen).map(|(one, ways)| (one.name, &ways[at])).collect();
        follow(method, versions, &configurations, metric, jobs)
    };
    FOLLOWED.into_iter().enumerate().map(way).collect()
}

/// Evaluates every version in full and with configurations that were chosen elsewhere, and compares
/// successive versions.
pub fn follow(
    method: &'static str,
    versions: &[Version<'_>],
    chosen: &BTreeMap<&str, &Configuration>,
    metric: MetricOf<'_>,
    jobs: NonZeroUsize,
) -> Forward {
    let speeds: Vec<BTreeMap<String, Speeds>> = in_parallel(versions, jobs, |(_, benchmarks)| {
        let shared = shared_names(benchmarks);
        let followed = benchmarks.iter().filter(|one| !shared.contains(one.name));
        followed
            .filter_map(|one| {
                let configuration = chosen.get(one.name)?;
                let speeds = changes::speeds(one.series, configuration, metric(one.name), &one.options)?;
                Some((one.name.to_owned(), speeds))
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

/// Names that several benchmarks of a version share. They cannot be matched with those of the next version.
/// The reader calls the second of a name `name#2`.
fn shared_names<'a>(benchmarks: &[Evaluand<'a>]) -> BTreeSet<&'a str> {
    let mut shared = BTreeSet::new();
    for benchmark in benchmarks {
        let Some((name, number)) = benchmark.name.rsplit_once('#') else { continue };
        if number.parse::<u32>().is_ok() {
            shared.extend([benchmark.name, name]);
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three forks of six values around a level; the first value of a fork is slower by `start`.
    fn series(level: f64, start: f64) -> LevelSeries {
        let value = |fork: u32, at: u32| {
            let wobble = f64::from((fork * 7 + at * 5) % 11) / 11.0 - 0.5;
            level * (1.0 + 0.002 * wobble + if at == 1 { start } else { 0.0 })
        };
        let points =
            (1..=3).flat_map(|fork| (1..=6).map(move |at| (vec![fork, at], value(fork, at)))).collect();
        LevelSeries::new(&[("fork", false), ("iteration", false)], points).unwrap()
    }

    fn evaluand<'a>(name: &'a str, series: &'a LevelSeries) -> Evaluand<'a> {
        Evaluand { name, series, options: Options::default() }
    }

    fn jobs() -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    #[test]
    fn metrics_stand_beside_the_baselines() {
        let (even, slow) = (series(1000.0, 0.0), series(2000.0, 0.2));
        let found = outcomes(&[evaluand("even", &even), evaluand("slow", &slow)], jobs());
        assert_eq!(found.iter().map(|outcome| outcome.method).collect::<Vec<_>>(), METHODS);
        let minimum = &found[0];
        assert_eq!((minimum.judgement.full_seconds, minimum.judgement.seconds), (36.0, 6.0));
        // The mean of the slow benchmark's first three values is 20 % / 3 too high, compared with 20 % / 6.
        assert_eq!(minimum.within, [0.5, 0.5, 1.0, 1.0]);
        assert!(found.iter().all(|outcome| outcome.changes.len() == 2), "{found:?}");
        let difference = difference(&found).expect("a test");
        assert_eq!(difference.pairs.len(), 10);
    }

    #[test]
    fn choices_of_the_oldest_version_find_the_changes_of_later_ones() {
        let levels = [[1000.0, 500.0], [1000.0, 500.0], [1100.0, 500.0]];
        let all: Vec<[LevelSeries; 2]> = levels.map(|of| of.map(|level| series(level, 0.0))).into();
        let versions: Vec<Version<'_>> = all
            .iter()
            .enumerate()
            .map(|(at, [a, b])| {
                (format!("v{at}"), vec![evaluand("a", a), evaluand("b", b), evaluand("b#2", b)])
            })
            .collect();
        let found = forward(&versions, &|_| metrics()[1], jobs());
        assert_eq!(found.iter().map(|way| way.method).collect::<Vec<_>>(), FOLLOWED);
        for way in &found {
            assert_eq!(way.pairs.len(), 2, "{way:?}");
            assert_eq!(way.pairs[1].versions, ("v1".to_owned(), "v2".to_owned()));
            let total = way.rates.expect("rates").total;
            // One of two changed, once. Names that are shared are left out.
            assert_eq!(
                (total.found, total.missed, total.false_alarms, total.compared()),
                (1, 0, 0, 2),
                "{way:?}"
            );
        }
        assert!(forward(&versions[..1], &|_| metrics()[1], jobs()).iter().all(|way| way.rates.is_none()));
        assert!(forward(&[], &|_| metrics()[1], jobs()).is_empty());
    }
}
