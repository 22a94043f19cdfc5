//! Since when a recorded process was steady, judged by all of it.
//!
//! 1. `outliers` leaves out what lies far outside its surroundings;
//! 2. `pelt` divides the rest into segments of one mean and variance each; `sums` says what a segment costs, `costs` remembers it;
//! 3. `crops` and `knee` choose the price of a change: where more changes stop paying;
//! 4. `compare` walks back from the last segment to the first that differs from it;
//! 5. [`label`] does all this as Traini et al. 2023 (Empir. Softw. Eng. 28), [`barrett`] as Barrett et al. 2017 (OOPSLA).
//!
//! Nothing here can be asked while a process runs: what comes later decides.

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
