//! Finds the smallest configuration of a benchmark that is still accurate.
//!
//! A benchmark was measured in full over several levels (instances, suite runs or forks, iterations,
//! seconds). Every smaller configuration is a prefix of the full one on each level, so its results can be
//! computed from the same data:
//!
//! 1. [`LevelSeries`] holds the values with their positions;
//! 2. [`configurations`] lists all smaller configurations;
//! 3. a [`Stability`] measures how much the values of one vary;
//! 4. [`reduce`] chooses the cheapest that is stable enough; [`reduce_suite`] does so for many benchmarks and
//!    metrics at once;
//! 5. [`Why`] explains the choice, and [`forecast()`] predicts how many repetitions a benchmark needs that is
//!    unstable even in full;
//! 6. [`evaluation`] compares ways to choose: [`judgement`] compares the choices with the full configuration,
//!    [`baseline`] has the ways that a choice should beat, and [`changes`] uses a choice on later versions;
//! 7. [`for_compare`] chooses by the changes that a comparison has to find instead of by stability.
//!
//! After Japke et al. 2025 (µOpTime), algorithm 1. [`Mode::Paper`] is the published definition, and
//! [`Mode::Prototype`] that of the authors' program. [`replay`] repeats a run of that program with its own
//! random numbers and makes exactly the same choices.

mod algorithm;
pub mod baseline;
pub mod changes;
mod configuration;
pub mod evaluation;
pub mod for_compare;
mod forecast;
pub mod judgement;
pub mod replay;
mod sample;
mod series;
mod stability;
mod suite;
mod vote;
mod why;

pub use algorithm::{Evaluated, Options, Reduction, curve, evaluate, reduce, reduce_by};
pub use benchwright_stats::in_parallel;
pub use configuration::{Configuration, configurations};
pub use forecast::{Forecast, forecast};
pub use sample::Sample;
pub use series::{Level, LevelSeries, SeriesError, nanoseconds};
pub use stability::{Average, Mode, Stability, by_name, metrics, recommended};
pub use suite::reduce_suite;
pub use why::Why;
