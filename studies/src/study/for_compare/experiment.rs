//! Repeats the comparison of all contenders on all suites.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use benchwright_analysis::reduce::changes::Speed;
use benchwright_analysis::reduce::in_parallel;
use benchwright_stats::known_spread::KnownShift;

use super::contender::{Choice, NAMES, Suite, WAYS, Way, choose, seconds};
use super::draw::{Generator, Process, Side};
use super::tally::Counts;
use super::verdict::{Said, by_intervals, by_known_spread, by_processes, metric_of, shift, speed};

/// Factors of the simulated changes. The first one is no change.
pub(super) const FACTORS: [f64; 4] = [1.0, 1.03, 1.05, 1.10];
/// The rules.
pub(super) const RULES: [&str; 2] = ["processes", "intervals"];
/// The share of benchmarks that change, in suites with changes.
const CHANGED: f64 = 0.25;

/// The results of one contender.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    /// Its name.
    pub(super) name: String,
    /// Seconds of one side of all suites.
    pub(super) seconds: f64,
    /// By rule and factor, one entry per benchmark. The order of benchmarks is the same for all contenders.
    pub(super) counts: BTreeMap<(usize, usize), Vec<Counts>>,
    /// For our plans: the predicted power for a benchmark, and the counts for a change of 5 % by our rule.
    pub(super) predicted: Vec<(f64, Counts)>,
}

/// Runs all suites, as many at once as there are processors. Their number does not affect the results.
pub(super) fn run(suites: &[Suite], repeats: u64, seed: u64) -> Vec<Outcome> {
    let numbered: Vec<(u64, &Suite)> = (0..).zip(suites).collect();
    let parts = in_parallel(&numbered, jobs(), |(at, suite)| run_suite(suite, repeats, seed ^ *at));
    gather(suites, parts)
}

/// Number of threads.
pub(super) fn jobs() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The results of one contender on one suite.
struct SuiteOutcome {
    seconds: f64,
    /// By rule and factor, one per subject.
    counts: BTreeMap<(usize, usize), Vec<Counts>>,
    predicted: Vec<f64>,
}

fn run_suite(suite: &Suite, repeats: u64, seed: u64) -> Vec<SuiteOutcome> {
    let choices = choose(suite);
    let mut outcomes: Vec<SuiteOutcome> = choices
        .iter()
        .map(|choice| SuiteOutcome {
            seconds: seconds(suite, &choice.shapes),
            counts: BTreeMap::new(),
            predicted: choice.predicted.clone(),
        })
        .collect();
    for repeat in 0..repeats {
        let mut generator = Generator::new(&[seed, repeat]);
        let sides: Vec<[Side; 2]> =
            suite.subjects.iter().map(|subject| subject.pool.draw(&mut generator)).collect();
        let coins: Vec<bool> = suite.subjects.iter().map(|_| generator.share() < CHANGED).collect();
        for (at, (choice, outcome)) in choices.iter().zip(&mut outcomes).enumerate() {
            judge(at, choice, &sides, &coins, outcome);
        }
    }
    outcomes
}

/// Applies all factors and rules to one contender and one draw.
fn judge(contender: usize, choice: &Choice, sides: &[[Side; 2]], coins: &[bool], outcome: &mut SuiteOutcome) {
    if let Some((level, known)) = &choice.known {
        let seen: Vec<Option<KnownShift>> = (sides.iter().zip(&choice.shapes).zip(known))
            .map(|((sides, shape), known)| {
                let [base, head] = [0, 1].map(|at| sides[at].take_by_place(*shape));
                shift([&base, &head], *known)
            })
            .collect();
        for (number, factor) in FACTORS.iter().enumerate() {
            let factors = factors(coins, *factor);
            let said =
                seen.iter().zip(&factors).map(|(seen, factor)| by_known_spread(*seen, *level, *factor));
            count((0, number), said.collect(), &factors, outcome);
        }
        return;
    }
    let taken: Vec<[Vec<Process>; 2]> = sides
        .iter()
        .zip(&choice.shapes)
        .map(|(sides, shape)| [sides[0].take(*shape), sides[1].take(*shape)])
        .collect();
    let speeds: Vec<[Option<Speed>; 2]> = taken.iter().map(|sides| speeds(contender, sides)).collect();
    for (number, factor) in FACTORS.iter().enumerate() {
        let factors = factors(coins, *factor);
        let suite: Vec<([&[Process]; 2], f64)> = taken
            .iter()
            .zip(&factors)
            .map(|(sides, factor)| ([sides[0].as_slice(), sides[1].as_slice()], *factor))
            .collect();
        let intervals =
            speeds.iter().zip(&factors).map(|(pair, factor)| by_intervals(pair[0], pair[1], *factor));
        for (rule, said) in [by_processes(&suite), intervals.collect()].into_iter().enumerate() {
            count((rule, number), said, &factors, outcome);
        }
    }
}

/// The factor by which the times of each benchmark are multiplied.
fn factors(coins: &[bool], factor: f64) -> Vec<f64> {
    coins.iter().map(|is_changed| if *is_changed { factor } else { 1.0 }).collect()
}

fn count(key: (usize, usize), said: Vec<Said>, factors: &[f64], outcome: &mut SuiteOutcome) {
    let counts = outcome.counts.entry(key).or_insert_with(|| vec![Counts::default(); said.len()]);
    for ((counts, said), factor) in counts.iter_mut().zip(said).zip(factors) {
        counts.add(counted(said, *factor));
    }
}

/// Averages and intervals for the paper's rule. Our plans in the time of another contender are judged only by
/// our rule.
fn speeds(contender: usize, sides: &[Vec<Process>; 2]) -> [Option<Speed>; 2] {
    let metric = NAMES.get(contender).and_then(|name| metric_of(name));
    [0, 1].map(|at| speed(&sides[at].concat(), metric?))
}

/// Counts one result. A change that is called faster counts as missed. A false alarm is a slowdown that was
/// found although nothing changed. Other findings do not count, because the paper's rule looks only for
/// slowdowns.
fn counted(said: Said, factor: f64) -> Counts {
    match factor == 1.0 {
        true => Counts { unchanged: 1, alarms: u32::from(said == Said::Slower), ..Counts::default() },
        false => Counts { changed: 1, missed: u32::from(said != Said::Slower), ..Counts::default() },
    }
}

/// The index of each benchmark in the counts of an outcome.
pub(super) fn places(suites: &[Suite]) -> BTreeMap<&str, usize> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for subject in suites.iter().flat_map(|suite| &suite.subjects) {
        let next = places.len();
        places.entry(&subject.name).or_insert(next);
    }
    places
}

/// Adds up suites. Benchmarks of the same name are versions of each other, and count as one benchmark.
fn gather(suites: &[Suite], parts: Vec<Vec<SuiteOutcome>>) -> Vec<Outcome> {
    let places = places(suites);
    let ours = |way: Way| NAMES[1..].iter().map(move |name| format!("{} in the time of {name}", way.name()));
    let names: Vec<String> =
        NAMES.iter().map(ToString::to_string).chain(WAYS.into_iter().flat_map(ours)).collect();
    let mut outcomes: Vec<Outcome> =
        names.into_iter().map(|name| Outcome { name, ..Outcome::default() }).collect();
    // Our rule, and the factor for which plans are made.
    let five = (0, FACTORS.iter().position(|factor| *factor == 1.05).unwrap_or(0));
    for (suite, part) in suites.iter().zip(parts) {
        for (outcome, of_suite) in outcomes.iter_mut().zip(part) {
            outcome.seconds += of_suite.seconds;
            if let Some(counts) = of_suite.counts.get(&five) {
                outcome.predicted.extend(of_suite.predicted.iter().copied().zip(counts.iter().copied()));
            }
            for (key, counts) in of_suite.counts {
                let all = outcome.counts.entry(key).or_insert_with(|| vec![Counts::default(); places.len()]);
                for (subject, counts) in suite.subjects.iter().zip(counts) {
                    all[places[subject.name.as_str()]].add(counts);
                }
            }
        }
    }
    outcomes
}
