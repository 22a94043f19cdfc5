//! Simulated benchmarks.

use super::noise::{Fitted, Noise};
use crate::study::random::Generator;

/// Why a benchmark gives no results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It fails at once: it does not build, or wants to write where it must not.
    Broken,
    /// It runs longer than the limit of an execution.
    Endless,
}

/// One benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Benchmark {
    /// Seconds of one execution where a whole core is there: preparations and about a second of measuring.
    pub(super) seconds: f64,
    /// Of `seconds`, those that depend on the speed of the processor; the rest is measured by the clock.
    pub(super) preparing: f64,
    /// How its times vary.
    pub(super) noise: Noise,
    /// True change of the new version, a logarithm.
    pub(super) change: f64,
    /// How much the change differs from one kind of processor to another, as a share of itself (standard deviation).
    pub(super) change_spread: f64,
    /// Why it has no results.
    pub(super) fault: Option<Fault>,
}

/// What a suite is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    /// How many benchmarks.
    pub(super) benchmarks: usize,
    /// Share that changed.
    pub(super) changed: f64,
    /// By how much, as a ratio.
    pub(super) change: f64,
    /// Share that is broken.
    pub(super) broken: f64,
    /// Share that runs too long.
    pub(super) endless: f64,
}

impl Shape {
    /// Nothing changed, nothing fails.
    pub(super) fn unchanged(benchmarks: usize) -> Shape {
        Shape { benchmarks, changed: 0.0, change: 0.0, broken: 0.0, endless: 0.0 }
    }

    /// The paper's: of 106 benchmarks 90 ran; some failed, some were interrupted after 20 s. It does not say how many of which.
    pub(super) fn of_the_paper() -> Shape {
        Shape { broken: 11.0 / 106.0, endless: 5.0 / 106.0, ..Shape::unchanged(106) }
    }
}

/// Median and spread of the seconds beyond the one that is measured; Go runs a benchmark with growing numbers of operations before.
const PREPARING: (f64, f64) = (0.5, 0.7);
/// Seconds of measuring.
const MEASURING: f64 = 1.0;

/// Draws a suite. Benchmarks keep their noise whatever changed, so that suites with one seed differ in the change alone.
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
