//! The smallest configuration of a benchmark that is still accurate.
//!
//! A benchmark was measured in full over several levels (instances, suite runs or forks, iterations, seconds). Every smaller
//! configuration is a prefix of that on each level, so what it would have given can be read off the same data:
//!
//! 1. [`LevelSeries`] holds the values with their positions;
//! 2. [`configurations`] lists all smaller configurations;
//! 3. a [`Stability`] says how much the values of one vary;
//! 4. [`reduce`] takes the cheapest that is stable enough; [`reduce_suite`] does so for many benchmarks and metrics at once;
//! 5. [`Why`] says why that one, and [`forecast()`] how many repetitions a benchmark needs for which even all of them are too few;
//! 6. [`evaluation`] sets ways to choose against each other: [`judgement`] compares what was chosen with the full configuration, [`baseline`] is what to beat, and
//!    [`changes`] follows a choice through later versions;
//! 7. [`for_compare`] chooses by what a comparison has to find instead of by stability.
//!
//! Japke et al. 2025 (µOpTime), algorithm 1. [`Mode::Paper`] is the published definition, [`Mode::Prototype`] what the authors'
//! program does; [`replay`] repeats a run of theirs to the last choice, with their own random numbers.

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
