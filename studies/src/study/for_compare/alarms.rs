//! Whose false alarms they are.

use std::collections::BTreeMap;

use benchwright_analysis::reduce::LevelSeries;
use benchwright_analysis::reduce::for_compare::Noise;

use super::contender::{NAMES, Suite, WAYS, Way};
use super::experiment::{Outcome, places};

/// A benchmark that somebody called slower though nothing had changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alarmed {
    /// Its name.
    pub(super) name: String,
    /// Alarms of the paper's contenders by the paper's rule, all of them together.
    pub(super) theirs: u32,
    /// Alarms of ours in the time of each of them: by ranks, and by the test that knows the spread, at each of its levels.
    pub(super) ours: Vec<u32>,
    /// Standard deviations of a process with one value within its place: what plans were made with, and what was met. Of the version in which
    /// they differ most.
    pub(super) planned: f64,
    pub(super) met: f64,
}

/// The ways of ours that are counted.
pub(super) fn ways() -> Vec<(usize, Way)> {
    WAYS.into_iter().enumerate().filter(|(_, way)| !matches!(way, Way::Oracle(_))).collect()
}

/// All of them, those with the most alarms of ours first.
pub(super) fn alarmed(suites: &[Suite], outcomes: &[Outcome]) -> Vec<Alarmed> {
    let spreads = spreads(suites);
    let places = places(suites);
    let unchanged = |outcome: &Outcome, rule: usize, at: usize| {
        outcome.counts.get(&(rule, 0)).and_then(|counts| counts.get(at)).map_or(0, |counts| counts.alarms)
    };
    let one = |(name, at): (&&str, &usize)| {
        let theirs = (1..NAMES.len()).map(|contender| unchanged(&outcomes[contender], 1, *at)).sum();
        let of_way = |(way, _): &(usize, Way)| {
            (1..NAMES.len()).map(|contender| unchanged(&outcomes[Way::place(*way, contender)], 0, *at)).sum()
        };
        let (planned, met) = spreads.get(name).copied().unwrap_or_default();
        let ours: Vec<u32> = ways().iter().map(of_way).collect();
        Alarmed { name: (*name).to_owned(), theirs, ours, planned, met }
    };
    let mut all: Vec<Alarmed> = places.iter().map(one).collect();
    all.retain(|one| one.theirs > 0 || one.ours.iter().any(|alarms| *alarms > 0));
    all.sort_by_key(|one| std::cmp::Reverse((one.ours.iter().sum::<u32>(), one.theirs)));
    all
}

/// Spread that was planned with and that was met, by benchmark.
fn spreads(suites: &[Suite]) -> BTreeMap<&str, (f64, f64)> {
    let deviation = |series: &LevelSeries| Noise::of(series).map(|noise| noise.known(1).variance.sqrt());
    let mut found: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for subject in suites.iter().flat_map(|suite| &suite.subjects) {
        let Some(pair) = deviation(&subject.planning).zip(deviation(&subject.judged)) else { continue };
        let apart = |(planned, met): (f64, f64)| (met / planned).ln().abs();
        let kept = found.entry(&subject.name).or_insert(pair);
        if apart(pair) > apart(*kept) {
            *kept = pair;
        }
    }
    found
}
