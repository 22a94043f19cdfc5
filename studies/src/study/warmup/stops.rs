//! Collects where rules stop processes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use benchwright_formats::warmup::{DeveloperConfiguration, Subject};
use benchwright_steady::classify::training::{Example, TrainingError, train};
use benchwright_steady::classify::{LearnedPlan, Trained};
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{self, Given};
use benchwright_steady::{StopPlan, in_parallel, replay_benchmark};

use super::recording::{Benchmark, Recording};

/// The last iteration of warm-up (-1 if there is none) and the last one of measurement, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) warmup: i64,
    pub(super) last: i64,
}

/// Stops of the processes that are run, by benchmark and process number.
pub(super) type Stops = Vec<BTreeMap<u32, Stop>>;

/// A rule with its decisions: one set, or one per seed of its folds.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) by_seed: Vec<(Option<u32>, Stops)>,
}

impl Rule {
    /// A rule that does not depend on a seed.
    pub(super) fn once(name: &str, stops: Stops) -> Rule {
        Rule { name: name.into(), by_seed: vec![(None, stops)] }
    }
}

/// The decisions of one of the product's rules for every benchmark.
pub(super) fn replayed(recording: &Recording, name: &str, jobs: NonZeroUsize) -> Result<Stops> {
    let rule = catalogue::rule(name)?;
    let found = in_parallel(&recording.benchmarks, jobs, |benchmark| {
        let given = Given {
            configuration: benchmark.configuration.map(configured),
            iteration_time: Duration::from_millis(100),
            longest_warmup: None,
            measured: None,
            seed: 1,
        };
        rule.plan(&given).map(|mut plan| decisions(benchmark, plan.as_mut()))
    });
    found.into_iter().collect::<Result<Stops, _>>().with_context(|| format!("replay the rule `{name}`"))
}

/// Number of folds in [`trained_in_folds`].
const FOLDS: usize = 5;

/// The decisions of the learned rule if `steady train` trains it. Each benchmark is decided by a model that
/// was not trained on it. Only the settings were chosen on all benchmarks.
pub(super) fn trained_in_folds(recording: &Recording, jobs: NonZeroUsize) -> Result<Stops, TrainingError> {
    let settings = Trained::embedded().settings();
    let models = in_parallel(&(0..FOLDS).collect::<Vec<usize>>(), jobs, |fold| {
        let others = recording.benchmarks.iter().enumerate().filter(|(place, _)| place % FOLDS != *fold);
        let examples: Vec<Vec<Example<'_>>> = others
            .map(|(_, benchmark)| {
                benchmark.processes.values().map(super::recording::Process::example).collect()
            })
            .collect();
        train(&examples, settings, 1).map(Arc::new)
    });
    let models = models.into_iter().collect::<Result<Vec<Arc<Trained>>, TrainingError>>()?;
    let places: Vec<usize> = (0..recording.benchmarks.len()).collect();
    Ok(in_parallel(&places, jobs, |place| {
        let mut plan = LearnedPlan::new(Arc::clone(&models[place % FOLDS]), None);
        decisions(&recording.benchmarks[*place], &mut plan)
    }))
}

/// Where a plan stops the processes of a benchmark.
fn decisions(benchmark: &Benchmark, plan: &mut dyn StopPlan) -> BTreeMap<u32, Stop> {
    let values: Vec<&[f64]> = benchmark.processes.values().map(|process| process.values.as_slice()).collect();
    let stops = replay_benchmark(plan, &values, 0.1);
    let stop = |stop: &benchwright_steady::Stop| Stop {
        warmup: i64::from(stop.warmup) - 1,
        last: i64::from(stop.end) - 1,
    };
    benchmark.processes.keys().copied().zip(stops.iter().map(stop)).collect()
}

fn configured(from: DeveloperConfiguration) -> Configuration {
    let warmup = (from.warmup_iterations, from.warmup_time_s);
    Configuration::of(warmup, (from.iterations, from.iteration_time_s), from.forks)
}

/// A rule that knows the labels. It stops after `measured` steady iterations. Warm-up ends after at most
/// `most` iterations, even if the process is not steady by then.
pub(super) fn oracle(recording: &Recording, measured: i64, most: i64) -> Stops {
    let stop = |process: &super::recording::Process| {
        let end = process.values.len() as i64 - 1;
        let warmup = process.steady_from.map_or(most, |from| from as i64).min(most).min(end - measured);
        Stop { warmup, last: warmup + measured }
    };
    let all = recording.benchmarks.iter();
    all.map(|one| one.processes.iter().map(|(fork, process)| (*fork, stop(process))).collect()).collect()
}

/// Writes a rule's decisions as a table for other programs.
pub(super) fn write(path: &Path, recording: &Recording, stops: &Stops) -> Result<()> {
    let mut text = String::from("system,benchmark,params,fork,last_warmup_it,last_measure_it\n");
    for (Benchmark { subject, .. }, stops) in recording.benchmarks.iter().zip(stops) {
        let Subject { system, benchmark, params } = subject;
        let [system, benchmark, params] = [system, benchmark, params].map(|name| field(name));
        for (fork, stop) in stops {
            writeln!(text, "{system},{benchmark},{params},{fork},{},{}", stop.warmup, stop.last)
                .expect("writing to a string does not fail");
        }
    }
    fs::write(path, text).with_context(|| format!("write `{}`", path.display()))
}

/// A CSV field, in quotes if necessary.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
