//! The rules of the literature, by name.
//!
//! - [`Fixed`]: as many iterations as configured by the developers of a suite, or by JMH's defaults.
//! - [`Georges`]: a window with a small coefficient of variation.
//! - [`Dynamic`] and [`DynamicPlan`]: iterations, and processes, until a statistic of everything so far stops
//!   changing.
//!
//! `grouping` combines shorter iterations to longer ones, `stability` checks whether a statistic has settled,
//! `divergence` compares two samples by their densities, and [`catalogue`] lists all rules by name.

pub mod catalogue;
mod divergence;
mod dynamic;
mod fixed;
mod georges;
mod grouping;
mod stability;

pub use dynamic::{Dynamic, DynamicOptions, DynamicPlan};
pub use fixed::{Configuration, Fixed};
pub use georges::{Georges, GeorgesOptions};
pub(crate) use grouping::Grouping;
pub use stability::Criterion;
