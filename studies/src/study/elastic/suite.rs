//! Generates simulated benchmarks.

use super::noise::{Fitted, Noise};
use crate::study::random::Generator;

/// Why a benchmark has no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails at once, because it does not build or writes to a forbidden place.
    Broken,
    /// It exceeds the time limit of an execution.
    Endless,
}

/// One benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Benchmark {
    /// Seconds of one execution with a whole core, for preparation and about a second of measuring.
    pub(super) seconds: f64,
    /// The part of `seconds` that depends on the speed of the processor. The rest is fixed by the clock.
    pub(super) preparing: f64,
    /// The noise of its times.
    pub(super) noise: Noise,
    /// True change of the new version, a logarithm.
    pub(super) change: f64,
    /// How much the change differs between kinds of processors, as a share of the change. The second kind has
    /// a larger change by this share, and the third a smaller one.
    pub(super) change_spread: f64,
    /// Why it has no results. `None` if it works.
    pub(super) fault: Option<Fault>,
}

/// Properties of a suite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// Number of benchmarks.
    pub(super) benchmarks: usize,
    /// Share of benchmarks that changed.
    pub(super) changed: f64,
    /// Size of each change, as a ratio.
    pub(super) change: f64,
    /// Share of benchmarks that are broken.
    pub(super) broken: f64,
    /// Share of benchmarks that run too long.
    pub(super) endless: f64,
}

impl Shape {
    /// A suite without changes and failures.
    pub(super) fn unchanged(benchmarks: usize) -> Shape {
        Shape { benchmarks, changed: 0.0, change: 0.0, broken: 0.0, endless: 0.0 }
    }

    /// The paper's suite. Of 106 benchmarks 90 ran. Others failed or were interrupted after 20 s. The paper
    /// does not give the number of each.
    pub(super) fn of_the_paper() -> Shape {
        Shape { broken: 11.0 / 106.0, endless: 5.0 / 106.0, ..Shape::unchanged(106) }
    }
}

/// Median and spread of the seconds before the measured second, in which Go runs the benchmark with growing
/// numbers of operations.
const PREPARING: (f64, f64) = (0.5, 0.7);
/// Seconds of measuring.
const MEASURING: f64 = 1.0;

/// Generates a suite. The noise of benchmarks does not depend on changes, so suites with the same seed differ
/// only in the changes.
pub(super) fn suite(shape: &Shape, fitted: &Fitted, seed: u64) -> Vec<Benchmark> {
    let mut generator = Generator::new(&[seed, 1]);
    let count = |share: f64| (share * shape.benchmarks as f64).round() as usize;
    let (broken, endless, changed) = (count(shape.broken), count(shape.endless), count(shape.changed));
    let mut order: Vec<usize> = (0..shape.benchmarks).collect();
    crate::study::random::shuffle(&mut order, &mut generator);
    let one = |place: usize| {
        let noise = fitted.noises[generator.below(fitted.noises.len())];
        let preparing = PREPARING.0 * (PREPARING.1 * generator.normal()).exp();
        let has_changed = place >= broken + endless && place < broken + endless + changed;
        let sign = if generator.happens(0.5) { 1.0 } else { -1.0 };
        Benchmark {
            seconds: MEASURING + preparing,
            preparing,
            noise,
            change: if has_changed { sign * shape.change.ln_1p() } else { 0.0 },
            change_spread: 0.1,
            fault: match place {
                place if place < broken => Some(Fault::Broken),
                place if place < broken + endless => Some(Fault::Endless),
                _ => None,
            },
        }
    };
    order.into_iter().map(one).collect()
}
