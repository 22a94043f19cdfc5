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

/// Machine code, compiled beforehand: 306 pairs of 27 comparisons of 11 suites of Go and Rust with themselves on an idle virtual
/// machine (docs/studies/verdicts/same.ndjson, `idle`; spreads from interval and number of duets). The medians of its comparisons
/// went from 0.009 to 0.037. The same suites under heavy load (`loaded`) had 0.16, so the part of the run is wider than idle
/// machines alone would make it.
const COMPILED: Prior = Prior { median: 0.02, of_run: 0.6, of_benchmark: 1.0 };

/// What a harness' benchmarks usually do. Names that are not known count as interpreted code.
pub(super) fn of_harness(harness: &str) -> Prior {
    match harness {
        "go" | "cargo" | "googlebench" => COMPILED,
        _ => Prior { median: 0.03, ..COMPILED },
    }
}

/// What is assumed of a benchmark whose spread earlier runs tell: how far a run as a whole and a benchmark by itself differ
/// from what was seen then. From the benchmarks of the same records that were measured in two or more idle comparisons: 0.49 in all.
pub(super) fn again(spread: f64) -> Prior {
    Prior { median: spread, of_run: 0.35, of_benchmark: 0.35 }
}
