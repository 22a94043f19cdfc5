//! Compares our choices with the prototype's own choices, benchmark by benchmark.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use benchwright_analysis::reduce::replay::{BATCH, Replay};
use benchwright_analysis::reduce::{
    LevelSeries, Mode, Options, Reduction, Stability, metrics, reduce, reduce_suite,
};

use super::data_sets::Project;
use crate::study::recorded::{self, RecordedBenchmark};

/// Agreement of the choices for one version by one metric.
#[derive(Debug, Clone)]
pub(super) struct Agreement {
    /// The name of the version, such as `prometheus-v0.39.0`.
    pub(super) version: String,
    pub(super) metric: &'static str,
    pub(super) benchmarks: usize,
    /// Agreement of the usual choice, with our own resamples.
    pub(super) usual: Match,
    /// Agreement of a replay of the prototype's run with the same random numbers. `None` if this was not
    /// possible.
    pub(super) replayed: Option<Match>,
    /// Whether the package has no choices for this version. The usual choices are then compared with the
    /// replay.
    pub(super) is_against_replay: bool,
    /// Seconds of the replay's choices, and seconds of all full configurations.
    pub(super) replayed_seconds: Option<(f64, f64)>,
}

/// Equal choices, and the difference in time of the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Match {
    pub(super) equal: usize,
    /// The additional time of our choices compared with the prototype's, as a share of the full time.
    /// Negative if ours need less.
    pub(super) seconds_off: f64,
    /// Where the choices differ.
    pub(super) differing: Vec<Differing>,
}

/// One benchmark for which the choices differ.
#[derive(Debug, Clone)]
pub(super) struct Differing {
    pub(super) name: String,
    pub(super) ours: String,
    pub(super) theirs: String,
    /// The additional time of our choice, as a share of the full time of all benchmarks.
    pub(super) off: f64,
    /// How many of [`SETS`] further sets of resamples lead to our choice, and how many to theirs.
    pub(super) sets: (usize, usize),
}

/// Number of further sets of resamples for benchmarks whose choices differ.
pub(super) const SETS: u64 = 50;

/// Configuration and seconds by version, metric and benchmark.
type Reference = BTreeMap<(String, String), Expected>;

/// Configuration and seconds by benchmark.
type Expected = BTreeMap<String, (String, f64)>;

/// Compares the choices for every version in the reference, and for the newest versions of data set 1. Empty
/// without a reference.
pub(super) fn agreements(data: &Path, projects: &[Project], jobs: NonZeroUsize) -> Result<Vec<Agreement>> {
    let path = data.join("reference/minimal-configurations.csv");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let reference = parse(&fs::read_to_string(&path).context("read the reference")?)?;
    let mut found = Vec::new();
    // One stream of random numbers is used for all files of data set 1, beginning with the first version of
    // the first project.
    let mut replay = projects.iter().any(|project| project.symbol == Some("G1")).then(Replay::start);
    for project in projects {
        for (at, file) in project.files.iter().enumerate() {
            let has_reference = metrics()
                .iter()
                .any(|metric| reference.contains_key(&(file.name(), metric.name().to_string())));
            let is_newest = at + 1 == project.files.len();
            let is_streamed = !project.set.is_batched && replay.is_some();
            if !has_reference && !is_streamed {
                continue;
            }
            let (benchmarks, _) = recorded::read(&file.path)?;
            let replayed = match (&mut replay, project.set.is_batched) {
                (_, true) => Some(replay_batches(&benchmarks, jobs)),
                (Some(replay), false) => Some(replay_on(replay, &benchmarks)),
                (None, false) => None,
            };
            if has_reference || is_newest {
                found.extend(of_version(&file.name(), &benchmarks, &reference, replayed, jobs));
            }
        }
    }
    Ok(found)
}

fn options() -> Options {
    Options { mode: Mode::Prototype, ..Options::default() }
}

fn of_version(
    version: &str,
    benchmarks: &[RecordedBenchmark],
    reference: &Reference,
    replayed: Option<Vec<Vec<Option<Reduction>>>>,
    jobs: NonZeroUsize,
) -> Vec<Agreement> {
    let suite: Vec<&LevelSeries> = benchmarks.iter().map(|benchmark| &benchmark.series).collect();
    let usual = reduce_suite(&suite, metrics(), &options(), jobs);
    let mut found = Vec::new();
    for (index, metric) in metrics().iter().enumerate() {
        let replayed = replayed.as_ref().map(|by_metric| &by_metric[index]);
        let known = reference.get(&(version.to_string(), metric.name().to_string()));
        let Some(expected) = known.cloned().or_else(|| Some(chosen(benchmarks, replayed?))) else { continue };
        let usual: Vec<Option<&Reduction>> = usual.iter().map(|all| all[index].as_ref()).collect();
        let own = |replayed: &Vec<Option<Reduction>>| {
            let own: Vec<Option<&Reduction>> = replayed.iter().map(Option::as_ref).collect();
            compared(benchmarks, &own, &expected, None)
        };
        let seconds = |replayed: &Vec<Option<Reduction>>| {
            let all = || replayed.iter().flatten();
            (all().map(|one| one.chosen.seconds).sum(), all().map(|one| one.full.seconds).sum())
        };
        found.push(Agreement {
            version: version.into(),
            metric: metric.name(),
            benchmarks: expected.len(),
            usual: compared(benchmarks, &usual, &expected, Some(*metric)),
            replayed: replayed.map(own),
            is_against_replay: known.is_none(),
            replayed_seconds: replayed.map(seconds),
        });
    }
    found
}

/// The choices of the replay, in the form of a reference.
fn chosen(benchmarks: &[RecordedBenchmark], replayed: &[Option<Reduction>]) -> Expected {
    let of = |(benchmark, reduction): (&RecordedBenchmark, &Option<Reduction>)| {
        let chosen = &reduction.as_ref()?.chosen;
        Some((benchmark.name.clone(), (chosen.configuration.to_string(), chosen.seconds)))
    };
    benchmarks.iter().zip(replayed).filter_map(of).collect()
}

/// For each metric a reduction per benchmark, with the random numbers that the prototype uses next.
fn replay_on(replay: &mut Replay, benchmarks: &[RecordedBenchmark]) -> Vec<Vec<Option<Reduction>>> {
    let of_metric = |metric: &&dyn Stability| {
        benchmarks.iter().map(|one| replay.reduce(&one.series, *metric, &options())).collect()
    };
    metrics().iter().map(of_metric).collect()
}

/// For each metric a reduction per benchmark, in batches that each start a new stream.
fn replay_batches(benchmarks: &[RecordedBenchmark], jobs: NonZeroUsize) -> Vec<Vec<Option<Reduction>>> {
    let of_metric = |metric: &&dyn Stability| {
        let batches: Vec<&[RecordedBenchmark]> = benchmarks.chunks(BATCH).collect();
        let of_batch = |batch: &&[RecordedBenchmark]| -> Vec<Option<Reduction>> {
            let mut replay = Replay::start();
            batch.iter().map(|one| replay.reduce(&one.series, *metric, &options())).collect()
        };
        benchwright_analysis::reduce::in_parallel(&batches, jobs, of_batch).concat()
    };
    metrics().iter().map(of_metric).collect()
}

/// Compares choices with the expected ones. If `metric` is given, differing choices are repeated with further
/// sets of resamples.
fn compared(
    benchmarks: &[RecordedBenchmark],
    reductions: &[Option<&Reduction>],
    expected: &Expected,
    metric: Option<&dyn Stability>,
) -> Match {
    let full: f64 = reductions.iter().flatten().map(|reduction| reduction.full.seconds).sum();
    let mut found = Match::default();
    for (benchmark, reduction) in benchmarks.iter().zip(reductions) {
        let (Some(reduction), Some((configuration, seconds))) = (reduction, expected.get(&benchmark.name))
        else {
            continue;
        };
        let ours = reduction.chosen.configuration.to_string();
        let off = (reduction.chosen.seconds - seconds) / full;
        found.seconds_off += off;
        if ours == *configuration {
            found.equal += 1;
            continue;
        }
        let sets = metric.map_or((0, 0), |metric| sets(&benchmark.series, metric, &ours, configuration));
        let (name, theirs) = (benchmark.name.clone(), configuration.clone());
        found.differing.push(Differing { name, ours, theirs, off, sets });
    }
    found
}

/// How many of the further sets of resamples lead to our and to their configuration.
fn sets(series: &LevelSeries, metric: &dyn Stability, ours: &str, theirs: &str) -> (usize, usize) {
    let choices: Vec<String> = (1..=SETS)
        .filter_map(|set| {
            let mut options = Options { lead: Some(1), ..options() };
            options.resampling.seed = 1000 + 2 * set;
            Some(reduce(series, metric, &options)?.chosen.configuration.to_string())
        })
        .collect();
    let count = |wanted: &str| choices.iter().filter(|choice| choice.as_str() == wanted).count();
    (count(ours), count(theirs))
}

/// Reads lines of `project,metric,benchmark,config,time_s,` and nine more columns. Only names may contain
/// commas.
fn parse(text: &str) -> Result<Reference> {
    const AFTER_NAME: usize = 11;
    let mut reference = Reference::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let name_end = fields.len().checked_sub(AFTER_NAME).filter(|end| *end > 2);
        let end = name_end.with_context(|| format!("understand the line `{line}` of the reference"))?;
        let seconds = fields[end + 1].parse().with_context(|| format!("understand the time in `{line}`"))?;
        let name = fields[2..end].join(",").trim_matches('"').to_string();
        let of_metric = reference.entry((fields[0].to_string(), fields[1].to_string())).or_default();
        of_metric.insert(name, (fields[end].to_string(), seconds));
    }
    Ok(reference)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_are_read() {
        let text = "head\np-v1,CV,\"Bench/a,b\",1/3/1,3,0.1,0.2,3,4,0,1,2,3,4\n";
        let reference = parse(text).unwrap();
        let of_metric = &reference[&("p-v1".to_string(), "CV".to_string())];
        assert_eq!(of_metric["Bench/a,b"], ("1/3/1".to_string(), 3.0));
        assert!(parse("head\np,CV,x\n").is_err());
    }
}
