//! Evaluates all rules by themselves and compares them with the baselines.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Result;

use super::against::{Baseline, Comparison, compare};
use super::folds::{self, WindowScores};
use super::interval::Draws;
use super::recording::Recording;
use super::score::{Judge, Quartiles, Summary};
use super::stops::{Rule, Stops, oracle, replayed, trained_in_folds};

/// The paper's baselines, with the names of their decisions in the data.
const BASELINES: [(&str, &str); 4] =
    [("SOP", "dev"), ("CV", "dyn_cv"), ("RCIW", "dyn_rciw"), ("KLD", "dyn_kld")];

/// The product's rules that are replayed here.
const REPLAYED: [&str; 5] = ["steady", "georges", "cv", "rciw", "kld"];

/// All results that the document shows.
#[derive(Debug)]
pub(super) struct Study {
    pub(super) benchmarks: usize,
    pub(super) processes: usize,
    pub(super) steady: usize,
    /// Scores of the classifiers on windows.
    pub(super) windows: BTreeMap<String, Vec<WindowScores>>,
    /// Rules with decisions in folds.
    pub(super) folded: Vec<Scored>,
    /// The baselines, replayed rules and oracles.
    pub(super) others: Vec<Scored>,
    pub(super) baselines: Vec<&'static str>,
    /// Stops by name, for writing.
    pub(super) stops: Vec<(String, Stops)>,
}

/// A rule with its results per seed.
#[derive(Debug)]
pub(super) struct Scored {
    pub(super) name: String,
    pub(super) seeds: Vec<OfSeed>,
    /// Whether it uses all processes of a benchmark, so that it can be compared with other such rules.
    pub(super) is_whole: bool,
}

/// The results of one seed.
#[derive(Debug)]
pub(super) struct OfSeed {
    pub(super) seed: Option<u32>,
    pub(super) summary: Summary,
    /// The comparisons with each baseline: fair in quality and time, and in the authors' way.
    pub(super) against: Vec<[Comparison; 2]>,
}

impl Scored {
    /// The median of a number over all seeds.
    pub(super) fn median(&self, of: impl Fn(&OfSeed) -> f64) -> f64 {
        let values: Vec<f64> = self.seeds.iter().map(of).collect();
        Quartiles::of(&values).median
    }
}

/// Evaluates all rules.
pub(super) fn repeat(data: &Path, folds: &Path, draws: Draws, jobs: NonZeroUsize) -> Result<Study> {
    let recording = Recording::read(data)?;
    let judge = Judge::new(&recording, draws, jobs);
    let mut baselines = Vec::new();
    for (name, stored) in BASELINES {
        let all = recording.published_stops(data, stored)?;
        let used = if stored == "dev" { recording.as_configured(&all) } else { all.clone() };
        let judged = judge.judge(&used);
        baselines.push(Baseline { name, all, used, judged });
    }
    let folded = folds::read_stops(folds, &recording)?;
    let mut stops: Vec<(String, Stops)> = Vec::new();
    let mut scored = Vec::new();
    for rule in &folded {
        scored.push(score(&judge, rule, &baselines));
        for (seed, decided) in &rule.by_seed {
            stops.push((format!("{}-{}", rule.name, seed.unwrap_or(0)), decided.clone()));
        }
    }
    let mut others = Vec::new();
    for baseline in &baselines {
        others.push(alone(&judge, baseline.name, &baseline.all, &baseline.used));
    }
    let whole = [("SOP, ten processes", "dev"), ("JMH's defaults, ten processes", "default")];
    for (name, stored) in whole {
        let all = recording.published_stops(data, stored)?;
        others.push(Scored { is_whole: true, ..alone(&judge, name, &all, &all) });
    }
    for name in REPLAYED {
        let decided = replayed(&recording, name, jobs)?;
        let is_whole =
            decided.iter().zip(&recording.benchmarks).all(|(one, of)| one.len() == of.processes.len());
        let shown = format!("`{name}`, replayed");
        others.push(Scored { is_whole, ..score(&judge, &Rule::once(&shown, decided.clone()), &baselines) });
        stops.push((name.into(), decided));
    }
    // If there are too few benchmarks for training, this rule is left out.
    if let Ok(decided) = trained_in_folds(&recording, jobs) {
        others.push(score(&judge, &Rule::once("`steady train`, in folds", decided.clone()), &baselines));
        stops.push(("steady-train".into(), decided));
    }
    for (name, measured, most) in ORACLES {
        let rule = Rule::once(name, oracle(&recording, measured, most));
        others.push(Scored { is_whole: true, ..score(&judge, &rule, &baselines) });
    }
    let processes = recording.benchmarks.iter().flat_map(|one| one.processes.values());
    Ok(Study {
        benchmarks: recording.benchmarks.len(),
        processes: processes.clone().count(),
        steady: processes.filter(|process| process.steady_from.is_some()).count(),
        windows: folds::read_windows(folds)?,
        folded: scored,
        others,
        baselines: baselines.iter().map(|baseline| baseline.name).collect(),
        stops,
    })
}

/// Rules that know the labels: number of iterations measured after the true end of warm-up, and maximum
/// warm-up.
const ORACLES: [(&str, i64, i64); 3] = [
    ("oracle: 10 s after the true end", 100, 2499),
    ("oracle: 30 s after the true end", 300, 2499),
    ("oracle: 10 s after the true end or 50 s", 100, 500),
];

fn score(judge: &Judge<'_>, rule: &Rule, baselines: &[Baseline]) -> Scored {
    let of_seed = |(seed, stops): &(Option<u32>, Stops)| OfSeed {
        seed: *seed,
        summary: judge.summary(stops, stops),
        against: baselines.iter().map(|baseline| compare(judge, stops, baseline)).collect(),
    };
    Scored { name: rule.name.clone(), seeds: rule.by_seed.iter().map(of_seed).collect(), is_whole: true }
}

fn alone(judge: &Judge<'_>, name: &str, all: &Stops, used: &Stops) -> Scored {
    let summary = judge.summary(all, used);
    Scored {
        name: name.into(),
        seeds: vec![OfSeed { seed: None, summary, against: Vec::new() }],
        is_whole: false,
    }
}
