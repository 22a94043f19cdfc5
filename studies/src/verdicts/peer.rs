//! What users do without the product: ten repetitions of each version, and a test of their values.

use std::time::Duration;

use anyhow::Result;
use benchwright_stats::Alternative;
use benchwright_stats::dispersion::median;
use benchwright_stats::rank::mann_whitney;

/// Repetitions of each version.
pub(crate) const REPETITIONS: usize = 10;

/// The benchmarks of one version, built.
pub(crate) trait Program {
    /// Nanoseconds per operation of one benchmark, in a fresh process that measures for about `time`.
    fn measure(&self, benchmark: &str, time: Duration) -> Result<f64>;

    /// Runs ten repetitions of the harness's default length, as its users do.
    fn repeat(&self, benchmark: &str) -> Result<Repeated>;
}

/// All repetitions of one version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Repeated {
    /// Wall time of all of them.
    pub(crate) seconds: f64,
    /// Time of an operation in each repetition, in nanoseconds.
    pub(crate) values: Vec<f64>,
}

/// The verdict for the values of both versions by benchstat's method: a U test at 5 %, for changes of any
/// size.
pub(crate) fn verdict(base: &[f64], head: &[f64]) -> &'static str {
    let is_clear = mann_whitney(base, head, Alternative::TwoSided).is_some_and(|test| test.p < SIGNIFICANT);
    match median(head).zip(median(base)) {
        Some((head, base)) if is_clear && head > base => "slower",
        Some(_) if is_clear => "faster",
        _ => "undecided",
    }
}

/// benchstat's default level.
const SIGNIFICANT: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_values_that_do_not_overlap_decide() {
        let base: Vec<f64> = (0..10).map(|i| 100.0 + f64::from(i)).collect();
        let head: Vec<f64> = base.iter().map(|value| value + 20.0).collect();
        let mixed: Vec<f64> = base.iter().rev().map(|value| value + 0.5).collect();
        assert_eq!(verdict(&base, &head), "slower");
        assert_eq!(verdict(&head, &base), "faster");
        assert_eq!(verdict(&base, &mixed), "undecided");
        assert_eq!(verdict(&[], &[]), "undecided");
    }
}
