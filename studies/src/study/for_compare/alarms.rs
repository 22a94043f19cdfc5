//! Counts false alarms per benchmark.

use std::collections::BTreeMap;

use benchwright_analysis::reduce::LevelSeries;
use benchwright_analysis::reduce::for_compare::Noise;

use super::contender::{NAMES, Suite, WAYS, Way};
use super::experiment::{Outcome, places};

/// A benchmark that a contender called slower although nothing had changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alarmed {
    /// Its name.
    pub(super) name: String,
    /// False alarms of all contenders of the paper together, by the paper's rule.
    pub(super) theirs: u32,
    /// False alarms of our plans in the time of each of those contenders, for each of [`ways`].
    pub(super) ours: Vec<u32>,
    /// The standard deviation of a process with one value within its place: the one that plans were made with
    /// (`planned`), and the one in the judged data (`met`). From the version in which they differ most.
    pub(super) planned: f64,
    pub(super) met: f64,
}

/// The ways in which our plans are counted, with their index in [`WAYS`].
pub(super) fn ways() -> Vec<(usize, Way)> {
    WAYS.into_iter().enumerate().filter(|(_, way)| !matches!(way, Way::Oracle(_))).collect()
}

/// All benchmarks with false alarms. Those with the most false alarms of our plans come first.
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

/// The planned spread and the spread in the judged data, by benchmark.
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
