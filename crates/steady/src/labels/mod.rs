//! Finds the iteration since which a recorded process was steady, using all of its iterations.
//!
//! 1. `outliers` leaves out values far outside their surroundings;
//! 2. `pelt` divides the rest into segments with one mean and variance each; `sums` computes the cost of a
//!    segment, and `costs` caches it;
//! 3. `crops` and `knee` choose the price of a change: the point where more changes no longer pay off;
//! 4. `compare` goes back from the last segment to the first one that differs from it;
//! 5. [`label`] does all this as Traini et al. 2023 (Empir. Softw. Eng. 28), [`barrett`] as Barrett et al.
//!    2017 (OOPSLA).
//!
//! None of this can be used while a process runs, because the result depends on later iterations.

pub mod barrett;
mod compare;
mod costs;
mod crops;
mod extended;
mod knee;
mod outliers;
mod pelt;
mod sums;
mod thinned;
mod traini;

pub use sums::ZeroVariance;
pub use thinned::{LONGEST, Note};
pub use traini::{BenchmarkClass, Label, LabelError, LabelOptions, Segment, divide, label, penalty};
