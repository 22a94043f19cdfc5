//! The smallest configuration of a benchmark that still tells the truth.
//!
//! A benchmark was measured in full over several levels (instances, suite runs or forks, iterations, seconds). Every smaller
//! configuration is a prefix of that on each level, so what it would have given can be read off the same data:
//!
//! 1. [`LevelSeries`] holds the values with their positions;
//! 2. [`configurations`] lists all smaller configurations;
//! 3. a [`Stability`] says how much the values of one vary;
//! 4. [`reduce`] takes the cheapest that is stable enough;
//! 5. [`Why`] says why that one, and [`forecast()`] how many repetitions a benchmark needs for which even all of them are too few;
//! 6. [`judgement`] compares what was chosen with the full configuration, [`baseline`] is what to beat, and
//!    [`changes`] follows a choice through later versions.
//!
//! Japke et al. 2025 (µOpTime), algorithm 1. [`Mode::Paper`] is the published definition, [`Mode::Prototype`] what the authors'
//! program does.

mod algorithm;
pub mod baseline;
pub mod changes;
mod configuration;
mod forecast;
pub mod judgement;
mod series;
mod stability;
mod why;

pub use algorithm::{Evaluated, Options, Reduction, curve, evaluate, reduce};
pub use configuration::{Configuration, configurations};
pub use forecast::{Forecast, forecast};
pub use series::{Level, LevelSeries, SeriesError};
pub use stability::{Average, Mode, Stability, by_name, metrics, recommended};
pub use why::Why;
