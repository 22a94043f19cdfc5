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

/// What is assumed before anything is known, of the short first duets. Two virtual machines with nothing else to do: five
/// comparisons of suites of Go with themselves had median spreads from 0.007 to 0.014, in the median 0.009, and 0.4 to 0.9 among the
/// benchmarks of a comparison; seven with halves three times as long 0.004 to 0.025, in the median 0.007 (docs/studies/predictions.md).
/// Code that is interpreted or compiled while it runs has no number of its own: comparisons of a pytest and a vitest suite took about
/// 12 duets per benchmark of at most 40 (4 min for 4 benchmarks of 5 s a duet, 4 min 18 s for 2 of 8 to 17 s), as many as with the
/// spread of the others.
pub(super) const USUAL: Prior = Prior { median: 0.009, of_run: 0.45, of_benchmark: 0.75 };

/// What the machine adds to the logarithm of the spread, and how far that may be off (standard deviation): what other processes that
/// want to run do, per processor, or what neighbouring measurements say, whichever is more. These differ by 0.003 to 0.013 on the quiet
/// machine above, and by 0.3 beside one endless loop per processor. 27 comparisons on another machine had medians from 0.009 to 0.037
/// (docs/studies/verdicts/same.ndjson, `idle`); under a load of one to two per processor 0.16 (`loaded`), the demo under five about
/// 0.7, but packages of Go's standard library under seven no more than 0.08.
pub(super) fn of_machine(rivals: f64, noise: Option<f64>) -> (f64, f64) {
    /// Half as much spread again as without any noise.
    const UNKNOWN: f64 = 0.4;
    /// Noise that starts to count.
    const NOTICED: f64 = 0.01;
    let load = 1.1 * (2.0 * rivals.max(0.0)).ln_1p();
    let added = match noise {
        Some(noise) => load.max(0.75 * (noise / NOTICED).hypot(1.0).ln()),
        None => UNKNOWN + load,
    };
    (added, 0.3 * added)
}

/// The prior of a benchmark whose spread is known from earlier runs: how far a run as a whole and a benchmark by itself differ
/// from what was seen then. From the benchmarks of the same records that were measured in two or more idle comparisons: 0.49 in all.
pub(super) fn again(spread: f64) -> Prior {
    Prior { median: spread, of_run: 0.35, of_benchmark: 0.35 }
}
