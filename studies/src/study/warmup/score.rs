//! Evaluates a rule by itself.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use benchwright_stats::dispersion::quantile;
use benchwright_steady::in_parallel;

use super::interval::{self, Draws};
use super::recording::Recording;
use super::stops::{Stop, Stops};

/// Evaluates stops on a recording.
pub(super) struct Judge<'a> {
    pub(super) recording: &'a Recording,
    draws: Draws,
    jobs: NonZeroUsize,
    /// Bootstrap means of the steady parts of each benchmark.
    steady: Vec<Vec<f64>>,
}

/// The quality of a benchmark's result, and its cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    /// The interval of the measured mean relative to the steady mean.
    pub(super) low: f64,
    pub(super) high: f64,
    /// Seconds of warm-up and measurement of all processes.
    pub(super) time_s: f64,
}

impl Judged {
    /// The distance between 1 and the middle of the interval.
    pub(super) fn deviation(&self) -> f64 {
        ((self.low + self.high) / 2.0 - 1.0).abs()
    }

    /// Whether the interval contains 1.
    pub(super) fn is_ok(&self) -> bool {
        self.low <= 1.0 && self.high >= 1.0
    }
}

/// The error of an estimated end of warm-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WarmupError {
    pub(super) benchmark: usize,
    pub(super) fork: u32,
    /// Estimated minus true warm-up, in seconds.
    pub(super) seconds: f64,
    /// Estimated minus true warm-up, in iterations.
    pub(super) iterations: i64,
}

/// Median and quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quartiles {
    pub(super) median: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Quartiles {
    /// The quartiles of a sample. NaN if it is empty.
    pub(super) fn of(values: &[f64]) -> Quartiles {
        let at = |p: f64| quantile(values, p).unwrap_or(f64::NAN);
        Quartiles { median: at(0.5), low: at(0.25), high: at(0.75) }
    }
}

/// The results of a rule by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Summary {
    /// Absolute errors of warm-up in seconds, over steady processes.
    pub(super) error: Quartiles,
    /// Shares of steady processes whose warm-up ends too early, too late and exactly.
    pub(super) under: f64,
    pub(super) over: f64,
    pub(super) exact: f64,
    /// Share of benchmarks whose interval contains 1.
    pub(super) ok: f64,
    /// The deviation over all benchmarks, and over those whose interval does not contain 1.
    pub(super) deviation: Quartiles,
    pub(super) deviation_of_others: Quartiles,
    /// Testing time per benchmark, and of all benchmarks, in seconds.
    pub(super) time: Quartiles,
    pub(super) total: f64,
}

impl<'a> Judge<'a> {
    /// Computes what all evaluations need.
    pub(super) fn new(recording: &'a Recording, draws: Draws, jobs: NonZeroUsize) -> Self {
        let steady = in_parallel(&recording.benchmarks, jobs, |one| interval::steady_means(one, draws));
        Judge { recording, draws, jobs, steady }
    }

    /// Evaluates each benchmark.
    pub(super) fn judge(&self, stops: &Stops) -> Vec<Judged> {
        let places: Vec<usize> = (0..self.recording.benchmarks.len()).collect();
        in_parallel(&places, self.jobs, |place| {
            let benchmark = &self.recording.benchmarks[*place];
            let interval = interval::ratio(benchmark, &stops[*place], &self.steady[*place], self.draws);
            Judged {
                low: interval.map_or(f64::NAN, |interval| interval.lo),
                high: interval.map_or(f64::NAN, |interval| interval.hi),
                time_s: self.time(*place, &stops[*place]),
            }
        })
    }

    /// Testing time of a benchmark in seconds.
    pub(super) fn time(&self, place: usize, stops: &BTreeMap<u32, Stop>) -> f64 {
        let processes = &self.recording.benchmarks[place].processes;
        let wall = |(fork, stop): (&u32, &Stop)| processes.get(fork).map_or(0.0, |one| one.wall(stop.last));
        stops.iter().map(wall).sum()
    }

    /// Errors of all executed processes that become steady.
    pub(super) fn errors(&self, stops: &Stops) -> Vec<WarmupError> {
        let mut errors = Vec::new();
        for (place, (benchmark, stops)) in self.recording.benchmarks.iter().zip(stops).enumerate() {
            for (fork, stop) in stops {
                let Some(process) = benchmark.processes.get(fork) else { continue };
                let Some(from) = process.steady_from else { continue };
                let seconds = process.wall(stop.warmup) - process.wall(from as i64);
                let iterations = stop.warmup - from as i64;
                errors.push(WarmupError { benchmark: place, fork: *fork, seconds, iterations });
            }
        }
        errors
    }

    /// Summarises a rule: errors of warm-up from `all` stops, quality and time from the `used` ones.
    pub(super) fn summary(&self, all: &Stops, used: &Stops) -> Summary {
        let errors = self.errors(all);
        let share = |is: &dyn Fn(i64) -> bool| {
            errors.iter().filter(|error| is(error.iterations)).count() as f64 / errors.len().max(1) as f64
        };
        let judged = self.judge(used);
        let deviations = |only_bad: bool| {
            let kept = judged.iter().filter(|one| !only_bad || !one.is_ok());
            Quartiles::of(&kept.map(Judged::deviation).collect::<Vec<f64>>())
        };
        let times: Vec<f64> = judged.iter().map(|one| one.time_s).collect();
        Summary {
            error: Quartiles::of(&errors.iter().map(|error| error.seconds.abs()).collect::<Vec<f64>>()),
            under: share(&|iterations| iterations < 0),
            over: share(&|iterations| iterations > 0),
            exact: share(&|iterations| iterations == 0),
            ok: judged.iter().filter(|one| one.is_ok()).count() as f64 / judged.len().max(1) as f64,
            deviation: deviations(false),
            deviation_of_others: deviations(true),
            time: Quartiles::of(&times),
            total: times.iter().sum(),
        }
    }
}
