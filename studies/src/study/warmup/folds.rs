//! Reads the decisions of trained rules in folds, which `studies/warmup` has produced.
//!
//! `stops.tsv.gz` has a line per process: system, benchmark, parameters, fork, then `warmup:last` for each
//! rule and seed. The first line names these as `rule-seed`. `windows.csv` has the scores of the classifiers
//! on windows of each test fold.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use benchwright_formats::warmup::Subject;
use flate2::read::GzDecoder;

use super::recording::Recording;
use super::stops::{Rule, Stop, Stops};

/// The rules in the file, in the same order.
pub(super) fn read_stops(folder: &Path, recording: &Recording) -> Result<Vec<Rule>> {
    let path = folder.join("stops.tsv.gz");
    let bytes = fs::read(&path).with_context(|| format!("read `{}`", path.display()))?;
    let mut text = String::new();
    GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .with_context(|| format!("read `{}`", path.display()))?;
    parse(&text, recording).with_context(|| format!("understand `{}`", path.display()))
}

fn parse(text: &str, recording: &Recording) -> Result<Vec<Rule>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').skip(4).collect();
    let empty: Stops = vec![BTreeMap::new(); recording.benchmarks.len()];
    let mut columns: Vec<Stops> = vec![empty; head.len()];
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [system, benchmark, params, fork, stops @ ..] = fields.as_slice() else {
            bail!("line {} has too few fields", number + 2);
        };
        let subject =
            Subject { system: (*system).into(), benchmark: (*benchmark).into(), params: (*params).into() };
        let Some(place) = recording.place(&subject) else { continue };
        let fork: u32 = fork.parse().with_context(|| format!("line {}", number + 2))?;
        if !recording.benchmarks[place].processes.contains_key(&fork) {
            continue;
        }
        for (column, field) in columns.iter_mut().zip(stops) {
            let stop = stop(field).with_context(|| format!("line {}: `{field}`", number + 2))?;
            column[place].insert(fork, stop);
        }
    }
    let mut rules: Vec<Rule> = Vec::new();
    for (name, stops) in head.iter().zip(columns) {
        let (name, seed) = name.rsplit_once('-').with_context(|| format!("find the seed of `{name}`"))?;
        let missing = stops.iter().filter(|benchmark| benchmark.is_empty()).count();
        if missing > 0 {
            bail!("{missing} benchmarks have no decision of `{name}`");
        }
        let decided = (Some(seed.parse()?), stops);
        match rules.iter_mut().find(|rule| rule.name == name) {
            Some(rule) => rule.by_seed.push(decided),
            None => rules.push(Rule { name: name.into(), by_seed: vec![decided] }),
        }
    }
    Ok(rules)
}

fn stop(field: &str) -> Option<Stop> {
    let (warmup, last) = field.split_once(':')?;
    let stop = Stop { warmup: warmup.parse().ok()?, last: last.parse().ok()? };
    (-1 <= stop.warmup && stop.warmup < stop.last).then_some(stop)
}

/// Precision, recall, F1 and balanced accuracy of a model.
pub(super) type WindowScores = [f64; 4];

/// Reads the mean over folds for each model and seed.
pub(super) fn read_windows(folder: &Path) -> Result<BTreeMap<String, Vec<WindowScores>>> {
    let path = folder.join("windows.csv");
    let text = fs::read_to_string(&path).with_context(|| format!("read `{}`", path.display()))?;
    let mut sums: BTreeMap<(String, String), (WindowScores, f64)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [model, seed, _, scores @ ..] = fields.as_slice() else { bail!("understand `{line}`") };
        let (sum, n) = sums.entry((model.to_string(), seed.to_string())).or_default();
        for (sum, score) in sum.iter_mut().zip(scores) {
            *sum += score.parse::<f64>().with_context(|| format!("understand `{line}`"))?;
        }
        *n += 1.0;
    }
    let mut means: BTreeMap<String, Vec<WindowScores>> = BTreeMap::new();
    for ((model, _), (sum, n)) in sums {
        means.entry(model).or_default().push(sum.map(|sum| sum / n));
    }
    Ok(means)
}
