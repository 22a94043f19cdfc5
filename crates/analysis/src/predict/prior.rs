//! Assumptions about the spread of a benchmark's duets before any of them is measured.

/// The assumed distribution of the spread of a benchmark: the standard deviation of the log-ratios of its
/// duets. Its logarithm is assumed to be normal, with one part that all benchmarks of a run share (the suite
/// and the state of the machine) and one part of each benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    /// Median of the spread.
    pub(super) median: f64,
    /// Standard deviation of the logarithm for the part that a run has in common.
    pub(super) of_run: f64,
    /// Standard deviation of the logarithm among the benchmarks of a run.
    pub(super) of_benchmark: f64,
}

/// The assumption before anything is known, on a machine without noise. Seven comparisons of Go suites with
/// themselves on a quiet machine had median spreads from 0.004 to 0.025, with a median of 0.007. Ten on a
/// machine whose successive measurements differed by 1 to 1.5 % had 0.011 to 0.028, with a median of 0.014,
/// and 0.42 to 0.67 among the benchmarks of a comparison (docs/studies/predictions.md).
///
/// Code that is interpreted or compiled while it runs has no values of its own. Comparisons of a pytest and a
/// vitest suite took about 12 duets per benchmark of at most 40 (4 min for 4 benchmarks of 5 s a duet, 4 min
/// 18 s for 2 of 8 to 17 s), as many as with the spread of the others.
pub(super) const USUAL: Prior = Prior { median: 0.0095, of_run: 0.35, of_benchmark: 0.6 };

/// What the machine adds to the logarithm of the spread, and the standard deviation of this, given the ratio
/// by which successive measurements differ. That was 0.003 to 0.013 on the quiet machine above, and 0.3
/// beside one endless loop per processor. Under a load of one to two per processor, 27 comparisons had a
/// median spread of 0.16 (docs/studies/verdicts/same.ndjson, `loaded`). The number of processes that are
/// ready to run is a worse measure: predictions were five times too long when others ran, but on another
/// processor.
pub(super) fn of_machine(noise: Option<f64>) -> (f64, f64) {
    /// Used if the noise was not measured.
    const USUAL_NOISE: f64 = 0.02;
    /// Noise that doubles the spread.
    const DOUBLES: f64 = 0.03;
    let added = (noise.unwrap_or(USUAL_NOISE) / DOUBLES).ln_1p();
    (added, 0.3 * added)
}

/// The prior of a benchmark whose spread is known from earlier runs: how much a run as a whole and a single
/// benchmark differ from the earlier values. From the benchmarks of the same records that were measured in
/// two or more idle comparisons: 0.49 in all.
pub(super) fn again(spread: f64) -> Prior {
    Prior { median: spread, of_run: 0.35, of_benchmark: 0.35 }
}
