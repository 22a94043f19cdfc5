//! How much the duets of a benchmark vary, before one of them is measured.

/// What is assumed about the spread of a benchmark: the standard deviation of the log-ratios of its duets. Its logarithm is taken
/// for normal: one part that all benchmarks of a run share (the suite and the state of the machine), one of each benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    /// Median of the spread.
    pub(super) median: f64,
    /// Standard deviation of the logarithm of what a run has in common.
    pub(super) of_run: f64,
    /// Standard deviation of the logarithm among the benchmarks of a run.
    pub(super) of_benchmark: f64,
}

/// What is assumed before anything is known. A virtual machine with nothing else to do and a noise floor of 0.1 %: seven comparisons of
/// suites of Go and Rust with themselves had median spreads from 0.004 to 0.025, in the median 0.007, and 0.85 among the benchmarks of a
/// comparison (docs/studies/predictions.md). The machine's share is estimated from its noise floor. Code that is interpreted or compiled
/// while it runs has no number of its own: comparisons of a pytest and a vitest suite took about 12 duets per benchmark of at most 40
/// (4 min for 4 benchmarks of 5 s a duet, 4 min 18 s for 2 of 8 to 17 s), as many as with the spread of the others.
pub(super) const USUAL: Prior = Prior { median: 0.006, of_run: 0.6, of_benchmark: 0.85 };

/// What the machine adds to the logarithm of the spread, and how far that may be off (standard deviation): what other processes that
/// want to run do, per processor, or what its noise floor says, whichever is more. Of the suites above 27 comparisons on another
/// machine had medians from 0.009 to 0.037 (docs/studies/verdicts/same.ndjson, `idle`; its floor was not recorded); under a load of
/// one to two per processor 0.16 (`loaded`), the demo under five about 0.7, but packages of Go's standard library under seven no more
/// than 0.08.
pub(super) fn of_machine(rivals: f64, floor: Option<f64>) -> (f64, f64) {
    /// Twice the spread without any noise.
    const UNKNOWN: f64 = 0.7;
    /// The noise floor that doubles the spread.
    const DOUBLING: f64 = 0.004;
    let load = 1.1 * (2.0 * rivals.max(0.0)).ln_1p();
    let added = match floor {
        Some(floor) => load.max((floor.max(0.0) / DOUBLING).ln_1p()),
        None => UNKNOWN + load,
    };
    (added, 0.3 * added)
}

/// The prior of a benchmark whose spread is known from earlier runs: how far a run as a whole and a benchmark by itself differ
/// from what was seen then. From the benchmarks of the same records that were measured in two or more idle comparisons: 0.49 in all.
pub(super) fn again(spread: f64) -> Prior {
    Prior { median: spread, of_run: 0.35, of_benchmark: 0.35 }
}
