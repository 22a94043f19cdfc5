//! Counts false alarms for identical code, and missed changes.

use std::num::NonZeroUsize;

use benchwright_analysis::agree::{Found, Sample};
use benchwright_analysis::reduce::in_parallel;
use benchwright_model::{Finding, Verdict};
use benchwright_stats::Interval;
use benchwright_stats::proportion::wilson;

use super::engine::{Bill, Caller, run};
use super::map::{NOON, PER_CALL};
use super::noise::Fitted;
use super::platform::Platform;
use super::sequential::{Pace, Parcel, Sequential};
use super::strategy::{Fixed, by_medians};
use super::suite::{Benchmark, Shape, suite};

/// Sizes of the changes to find, as ratios.
pub(super) const CHANGES: [f64; 3] = [0.03, 0.05, 0.10];
/// Share of benchmarks that changed, in suites with changes.
const CHANGED: f64 = 0.2;

/// Factor for the number of suites of the judge.
pub(super) const MORE: u64 = 20;

/// A strategy, and the rule that decides on its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    /// The paper's way: 15 calls of 3 duets, and the bootstrap of medians.
    Paper,
    /// 45 calls of one duet.
    Single,
    /// 45 executions of each version in separate calls.
    Unpaired,
    /// The judge on functions.
    Judge,
    /// The judge on one machine.
    MachineJudge,
    /// 45 duets on one machine, bootstrap of medians.
    MachinePaper,
}

impl Contender {
    pub(super) const ALL: [Contender; 6] = [
        Contender::Paper,
        Contender::Single,
        Contender::Unpaired,
        Contender::Judge,
        Contender::MachinePaper,
        Contender::MachineJudge,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Contender::Paper => "15 calls × 3, medians",
            Contender::Single => "45 calls × 1, medians",
            Contender::Unpaired => "45 + 45 unpaired, medians",
            Contender::Judge => "judge in waves",
            Contender::MachinePaper => "one machine, 45 duets, medians",
            Contender::MachineJudge => "one machine, judge",
        }
    }

    /// The judge does no resampling, so there is time for more suites.
    fn times(self) -> u64 {
        if matches!(self, Contender::Judge | Contender::MachineJudge) { MORE } else { 1 }
    }

    fn is_on_machine(self) -> bool {
        matches!(self, Contender::MachineJudge | Contender::MachinePaper)
    }

    /// What it finds for each benchmark.
    fn say(self, platform: &Platform, suite: &[Benchmark], seed: u64) -> (Vec<Found>, Bill) {
        let n = suite.len();
        let caller =
            if self.is_on_machine() { Caller { latency: 0.0, ..Caller::ours(1) } } else { Caller::ours(150) };
        let mut fixed = match self {
            Contender::Paper => Fixed::duets(n, 15, 3),
            Contender::Single | Contender::MachinePaper => Fixed::duets(n, 45, 1),
            Contender::Unpaired => Fixed::unpaired(n, 45),
            Contender::Judge | Contender::MachineJudge => {
                let per_call = if self.is_on_machine() { 1 } else { PER_CALL };
                let mut plan = Sequential::new(n, Pace::Waves, Parcel::Of(per_call));
                let bill = run(platform, caller, suite, &mut plan, NOON, seed);
                return (plan.findings().iter().map(found).collect(), bill);
            }
        };
        let bill = run(platform, caller, suite, &mut fixed, NOON, seed);
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let read = |sample: &Sample| by_medians(sample, seed).unwrap_or(Found::Nothing);
        (in_parallel(&fixed.samples(), cores, read), bill)
    }
}

fn found(finding: &Finding) -> Found {
    match finding.verdict {
        Verdict::Slower => Found::Larger,
        Verdict::Faster => Found::Smaller,
        _ => Found::Nothing,
    }
}

/// How often something happened, of all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Rate {
    pub(super) times: u64,
    pub(super) of: u64,
}

impl Rate {
    fn count(&mut self, happened: bool) {
        self.of += 1;
        self.times += u64::from(happened);
    }

    /// The rate with its 95 % interval.
    pub(super) fn interval(self) -> (f64, Interval) {
        let whole = Interval { lo: 0.0, hi: 1.0 };
        (self.times as f64 / self.of.max(1) as f64, wilson(self.times, self.of, 0.95).unwrap_or(whole))
    }
}

/// The errors of a contender on one platform.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Errors {
    pub(super) contender: Contender,
    pub(super) platform: &'static str,
    /// Changes found by mistake, of all benchmarks in suites without changes.
    pub(super) alarms: Rate,
    /// Suites without changes in which a change was found.
    pub(super) suites: Rate,
    /// For each of [`CHANGES`], those that were not found or were found in the wrong direction.
    pub(super) missed: [Rate; 3],
    /// Mean cost of a suite without changes.
    pub(super) dollars: f64,
    /// Mean time of a suite without changes, in seconds.
    pub(super) seconds: f64,
}

/// Measures all contenders, with `suites` suites of `benchmarks` benchmarks for each case.
pub(super) fn errors(fitted: &Fitted, benchmarks: usize, suites: u64, seed: u64) -> Vec<Errors> {
    let mut all = Vec::new();
    for (name, platform) in [("ARM", Platform::prebuilt(fitted)), ("x86", Platform::lambda_x86(fitted))] {
        for contender in Contender::ALL.into_iter().filter(|one| !one.is_on_machine()) {
            all.push(of(contender, name, &platform, fitted, (benchmarks, suites, seed)));
        }
    }
    let machine = Platform::machine(fitted);
    for contender in Contender::ALL.into_iter().filter(|one| one.is_on_machine()) {
        all.push(of(contender, "machine", &machine, fitted, (benchmarks, suites, seed)));
    }
    all
}

fn of(
    contender: Contender,
    name: &'static str,
    platform: &Platform,
    fitted: &Fitted,
    (benchmarks, suites, seed): (usize, u64, u64),
) -> Errors {
    let mut errors = Errors {
        contender,
        platform: name,
        alarms: Rate::default(),
        suites: Rate::default(),
        missed: Default::default(),
        dollars: 0.0,
        seconds: 0.0,
    };
    let suites = suites * contender.times();
    for number in 0..suites {
        let own = seed.wrapping_add(1000 * number);
        let (said, bill) = contender.say(platform, &suite(&Shape::unchanged(benchmarks), fitted, own), own);
        said.iter().for_each(|found| errors.alarms.count(*found != Found::Nothing));
        errors.suites.count(said.iter().any(|found| *found != Found::Nothing));
        errors.dollars += bill.dollars / suites as f64;
        errors.seconds += bill.seconds / suites as f64;
        for (missed, change) in errors.missed.iter_mut().zip(CHANGES) {
            let shape = Shape { changed: CHANGED, change, ..Shape::unchanged(benchmarks) };
            let changed = suite(&shape, fitted, own);
            let (said, _) = contender.say(platform, &changed, own ^ 77);
            for (found, benchmark) in said.iter().zip(&changed).filter(|(_, one)| one.change != 0.0) {
                let right = if benchmark.change > 0.0 { Found::Larger } else { Found::Smaller };
                missed.count(*found != right);
            }
        }
    }
    errors
}
