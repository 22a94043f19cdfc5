//! Cost and time of strategies for different sizes of suites and numbers of instances.

use super::engine::{Bill, Caller, run};
use super::noise::Fitted;
use super::platform::Platform;
use super::sequential::{Pace, Parcel, Sequential};
use super::strategy::Fixed;
use super::suite::{Benchmark, Shape, suite};

/// Sizes of suites, in benchmarks.
pub(super) const BENCHMARKS: [usize; 3] = [100, 1_000, 10_000];
/// Numbers of instances.
pub(super) const INSTANCES: [usize; 7] = [1, 8, 10, 100, 150, 1_000, 10_000];

/// A way to choose calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    /// 15 calls of three duets for every benchmark.
    Paper,
    /// 45 executions of each version, each in a separate call.
    Unpaired,
    /// The judge, wave by wave.
    Waves,
    /// The judge in waves, but with fewer duets per call if instances would be idle otherwise.
    Fitting,
    /// The judge, each benchmark at its own pace.
    Streaming,
}

impl Strategy {
    pub(super) const ALL: [Strategy; 5] =
        [Strategy::Paper, Strategy::Unpaired, Strategy::Waves, Strategy::Fitting, Strategy::Streaming];

    pub(super) fn name(self) -> &'static str {
        match self {
            Strategy::Paper => "15 calls × 3",
            Strategy::Unpaired => "45 + 45 unpaired",
            Strategy::Waves => "judge, waves",
            Strategy::Fitting => "judge, waves, fitting calls",
            Strategy::Streaming => "judge, streaming",
        }
    }

    /// Simulates the strategy.
    pub(super) fn run(self, platform: &Platform, caller: Caller, suite: &[Benchmark], seed: u64) -> Bill {
        let n = suite.len();
        let parallel = caller.parallel;
        let (pace, parcel) = match self {
            Strategy::Paper => {
                return run(platform, caller, suite, &mut Fixed::duets(n, 15, 3), NOON, seed);
            }
            Strategy::Unpaired => {
                return run(platform, caller, suite, &mut Fixed::unpaired(n, 45), NOON, seed);
            }
            Strategy::Waves => (Pace::Waves, Parcel::Of(PER_CALL)),
            Strategy::Fitting => (Pace::Waves, Parcel::Fitting { parallel }),
            Strategy::Streaming => (Pace::Streaming, Parcel::Of(PER_CALL)),
        };
        run(platform, caller, suite, &mut Sequential::new(n, pace, parcel), NOON, seed)
    }
}

/// Duets per call, as in the product's default.
pub(super) const PER_CALL: u32 = 3;
/// The time of day at which a simulation begins, in seconds.
pub(super) const NOON: f64 = 12.0 * 3600.0;

/// A point of the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) strategy: Strategy,
    pub(super) benchmarks: usize,
    pub(super) instances: usize,
    pub(super) bill: Bill,
}

/// A typical suite: one in twenty benchmarks changed by 5 %.
pub(super) fn usual(benchmarks: usize) -> Shape {
    Shape { changed: 0.05, change: 0.05, ..Shape::unchanged(benchmarks) }
}

/// Computes the whole map, with prebuilt programs and an account limit that allows all instances.
pub(super) fn map(fitted: &Fitted, benchmarks: &[usize], instances: &[usize], seed: u64) -> Vec<Point> {
    let platform = Platform::prebuilt(fitted);
    let mut points = Vec::new();
    for &count in benchmarks {
        let suite = suite(&usual(count), fitted, seed);
        for strategy in Strategy::ALL {
            for &parallel in instances {
                let bill = strategy.run(&platform, Caller::ours(parallel), &suite, seed);
                points.push(Point { strategy, benchmarks: count, instances: parallel, bill });
            }
        }
    }
    points
}

/// Measures the same suite on one machine that is paid by the hour, one call after another.
pub(super) fn machine(fitted: &Fitted, benchmarks: usize, seed: u64) -> [Bill; 2] {
    let suite = suite(&usual(benchmarks), fitted, seed);
    let platform = Platform::machine(fitted);
    let caller = Caller { latency: 0.0, ..Caller::ours(1) };
    [Strategy::Paper, Strategy::Waves].map(|strategy| strategy.run(&platform, caller, &suite, seed))
}
