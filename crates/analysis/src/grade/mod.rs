//! How good a suite is: how stable, which slowdowns it finds, and which of its benchmarks are needed for that.
//!
//! 1. [`stability()`] says how much runs of the same code differ, and why ([`Cause`]); [`SuiteStability`] sums a suite up;
//! 2. [`groups`] divides functions into sets that can be slowed down at the same time;
//! 3. a [`Matrix`] holds which benchmark found which slowdown, and [`scores`] are its API benchmarking scores;
//! 4. [`cheapest_cover`] and [`best_within`] choose benchmarks.

mod cover;
mod score;
mod stability;

pub use cover::{Candidate, Kept, best_within, cheapest_cover};
pub use score::{Cell, Matrix, Scores, finds, groups, scores};
pub use stability::{
    CLASSES, Cause, Runs, Stability, SuiteStability, UNSTABLE, max_spread, smallest_change, stability,
};
