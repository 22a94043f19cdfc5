//! Our choices against the prototype's own, benchmark by benchmark.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use benchwright_analysis::reduce::replay::{BATCH, Replay};
use benchwright_analysis::reduce::{LevelSeries, Mode, Options, Reduction, Stability, metrics, reduce_suite};

use super::data_sets::Project;
use crate::study::recorded::{self, RecordedBenchmark};

/// How the choices for one version by one metric agree.
#[derive(Debug, Clone)]
pub(super) struct Agreement {
    /// `prometheus-v0.39.0`.
    pub(super) version: String,
    pub(super) metric: &'static str,
    pub(super) benchmarks: usize,
    /// The usual choice, over our own resamples.
    pub(super) usual: Match,
    /// The prototype's run repeated with its random numbers; none where that was not possible.
    pub(super) replayed: Option<Match>,
}

/// Equal choices and what the others cost.
#[derive(Debug, Clone, Default)]
pub(super) struct Match {
    pub(super) equal: usize,
    /// Time chosen more (or less) than by the prototype, as a share of the full time.
    pub(super) seconds_off: f64,
    /// Where the choices differ: the benchmark, ours, theirs, and the time as a share.
    pub(super) differing: Vec<(String, String, String, f64)>,
}

/// Configuration and seconds by version, metric and benchmark.
type Reference = BTreeMap<(String, String), BTreeMap<String, (String, f64)>>;

/// Every version that the reference speaks of; none without a reference.
pub(super) fn agreements(data: &Path, projects: &[Project], jobs: NonZeroUsize) -> Result<Vec<Agreement>> {
    let path = data.join("reference/minimal-configurations.csv");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let reference = parse(&fs::read_to_string(&path).context("read the reference")?)?;
    let mut found = Vec::new();
    for project in projects {
        // The stream goes through all versions; only while none is missing is it the prototype's.
        let mut replay = Replay::start();
        let mut is_from_the_start = project.symbol == Some("G1") || project.set.is_batched;
        for file in &project.files {
            let has_reference = metrics()
                .iter()
                .any(|metric| reference.contains_key(&(file.name(), metric.name().to_string())));
            if !has_reference {
                is_from_the_start &= project.set.is_batched;
                continue;
            }
            let (benchmarks, _) = recorded::read(&file.path)?;
            let replayed =
                is_from_the_start.then(|| replay_all(&mut replay, &benchmarks, project.set.is_batched, jobs));
            found.extend(of_version(&file.name(), &benchmarks, &reference, replayed, jobs));
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
    let names: Vec<&str> = benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    let mut found = Vec::new();
    for (index, metric) in metrics().iter().enumerate() {
        let Some(expected) = reference.get(&(version.to_string(), metric.name().to_string())) else {
            continue;
        };
        let usual: Vec<Option<&Reduction>> = usual.iter().map(|all| all[index].as_ref()).collect();
        let replayed = replayed.as_ref().map(|by_metric| {
            let own: Vec<Option<&Reduction>> = by_metric[index].iter().map(Option::as_ref).collect();
            compared(&names, &own, expected)
        });
        found.push(Agreement {
            version: version.into(),
            metric: metric.name(),
            benchmarks: expected.len(),
            usual: compared(&names, &usual, expected),
            replayed,
        });
    }
    found
}

/// For each metric a reduction per benchmark, drawn as the prototype draws.
fn replay_all(
    replay: &mut Replay,
    benchmarks: &[RecordedBenchmark],
    is_batched: bool,
    jobs: NonZeroUsize,
) -> Vec<Vec<Option<Reduction>>> {
    if !is_batched {
        let of_metric = |metric: &&dyn Stability| {
            benchmarks.iter().map(|one| replay.reduce(&one.series, *metric, &options())).collect()
        };
        return metrics().iter().map(of_metric).collect();
    }
    let of_metric = |metric: &&dyn Stability| {
        let batches: Vec<&[RecordedBenchmark]> = benchmarks.chunks(BATCH).collect();
        let of_batch = |batch: &&[RecordedBenchmark]| -> Vec<Option<Reduction>> {
            let mut replay = Replay::start();
            batch.iter().map(|one| replay.reduce(&one.series, *metric, &options())).collect()
        };
        benchwright_analysis::reduce::in_parallel(&batches, jobs, &of_batch).concat()
    };
    metrics().iter().map(of_metric).collect()
}

fn compared(
    names: &[&str],
    reductions: &[Option<&Reduction>],
    expected: &BTreeMap<String, (String, f64)>,
) -> Match {
    let full: f64 = reductions.iter().flatten().map(|reduction| reduction.full.seconds).sum();
    let mut found = Match::default();
    for (name, reduction) in names.iter().zip(reductions) {
        let (Some(reduction), Some((configuration, seconds))) = (reduction, expected.get(*name)) else {
            continue;
        };
        let ours = reduction.chosen.configuration.to_string();
        let off = (reduction.chosen.seconds - seconds) / full;
        found.seconds_off += off;
        match ours == *configuration {
            true => found.equal += 1,
            false => found.differing.push((name.to_string(), ours, configuration.clone(), off)),
        }
    }
    found
}

/// `project,metric,benchmark,config,time_s,` and nine more columns; only names may contain commas.
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
