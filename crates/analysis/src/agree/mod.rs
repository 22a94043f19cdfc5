//! Do two runs of the same comparison agree?
//!
//! The terms are those of Schirmer, Pfandzelter and Bermbach, *ElastiBench* (2024), section 6.1:
//!
//! 1. [`Reading`] is the result of one run for one benchmark: a change or none, with its interval. It comes
//!    from a [`Finding`](benchwright_model::Finding), whatever rule made it, or from the [`Sample`] of
//!    process values by the paper's own rule;
//! 2. [`TwoRuns`] compares the readings of two runs: *agreement*, *one-sided* and *two-sided coverage*,
//!    *possible changes*;
//! 3. [`Growth`] tells how many results an interval of a wanted size takes.
//!
//! This does not depend on where the runs were measured or how they are shown.

mod pairs;
mod reading;
mod repeats;
#[cfg(test)]
mod tests;

pub use pairs::{Agreement, Among, Coverage, Disputed, Pair, TwoRuns};
pub use reading::{Found, MIN_RESULTS, Reading, Sample, samples};
pub use repeats::{Growth, Repeats, interval_size};
