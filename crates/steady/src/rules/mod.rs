//! The rules of the literature, by name.
//!
//! - [`Fixed`]: as many iterations as configured: the developers of a suite, or JMH by default.
//! - [`Georges`]: a window whose coefficient of variation is small.
//! - [`Dynamic`] and [`DynamicPlan`]: iterations, and processes, until a statistic of everything so far stops changing.
//!
//! `grouping` makes longer iterations of shorter ones, `stability` watches a statistic settle, `divergence` compares two samples by
//! their densities, [`catalogue`] lists all rules by name.

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
