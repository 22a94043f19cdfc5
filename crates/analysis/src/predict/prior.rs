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

/// What is assumed before anything is known, on a machine without noise. Seven comparisons of suites of Go with themselves on a
/// quiet machine had median spreads from 0.004 to 0.025, in the median 0.007; ten on a machine whose neighbouring measurements
/// differed by 1 to 1.5 % from 0.011 to 0.028, in the median 0.014, and 0.42 to 0.67 among the benchmarks of a comparison
/// (docs/studies/predictions.md).
/// Code that is interpreted or compiled while it runs has no number of its own: comparisons of a pytest and a vitest suite took about
/// 12 duets per benchmark of at most 40 (4 min for 4 benchmarks of 5 s a duet, 4 min 18 s for 2 of 8 to 17 s), as many as with the
/// spread of the others.
pub(super) const USUAL: Prior = Prior { median: 0.0095, of_run: 0.35, of_benchmark: 0.6 };

/// What the machine adds to the logarithm of the spread, and how far that may be off (standard deviation), from the ratio by which
/// neighbouring measurements differ. That was 0.003 to 0.013 on the quiet machine above, and 0.3 beside one endless loop per
/// processor. Under a load of one to two per processor 27 comparisons had a median spread of 0.16
/// (docs/studies/verdicts/same.ndjson, `loaded`). The number of processes that are ready to run says less: it made predictions five
/// times too long where others ran, but on another processor.
pub(super) fn of_machine(noise: Option<f64>) -> (f64, f64) {
    /// Where nobody looked.
    const USUAL_NOISE: f64 = 0.02;
    /// Noise that doubles the spread.
    const DOUBLES: f64 = 0.03;
    let added = (noise.unwrap_or(USUAL_NOISE) / DOUBLES).ln_1p();
    (added, 0.3 * added)
}

/// The prior of a benchmark whose spread is known from earlier runs: how far a run as a whole and a benchmark by itself differ
/// from what was seen then. From the benchmarks of the same records that were measured in two or more idle comparisons: 0.49 in all.
pub(super) fn again(spread: f64) -> Prior {
    Prior { median: spread, of_run: 0.35, of_benchmark: 0.35 }
}
