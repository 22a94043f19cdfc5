//! The cheapest plan that still finds a wanted change: `reduce --for compare`.
//!
//! A stability metric asks how much values vary; a comparison asks whether *our rule* would find a change of a wanted size. The
//! two differ, since the rule's unit is the process: iterations within one cannot replace another one.
//!
//! 1. [`Noise`] splits the variance of logarithms by level: above the process, between processes, within one;
//! 2. [`Costs`] says what a process costs: start, warm-up, iterations;
//! 3. [`power`] predicts how often the rule finds the change with so many processes of so many iterations, and how many duets an
//!    unchanged benchmark takes;
//! 4. [`for_compare`] takes the cheapest plan that reaches the wanted power, or says what can be reached;
//! 5. [`for_suite`] spreads a given time over a suite so that the most changes are found.
//!
//! Three rules can be planned for ([`Design`]): duets under the paired rule, processes measured apart under a rank test, and few processes
//! measured apart whose spread is known.

mod budget;
mod choose;
mod costs;
mod duets;
mod noise;
mod plan;
pub mod power;

pub use budget::{Sharing, for_suite, within_budget};
pub use choose::{candidates, for_compare, for_noise};
pub use costs::Costs;
pub use noise::{Component, Noise, process_level};
pub use plan::{ComparePlan, Design, Reach, WORTH, Wanted};

#[cfg(test)]
mod tests;
