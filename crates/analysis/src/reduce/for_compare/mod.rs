//! The cheapest plan that still finds a given change: `reduce --for compare`.
//!
//! A stability metric tells how much values vary. A comparison needs to know whether *our rule* would find a
//! change of a given size. These differ, because the unit of the rule is the process, and iterations within
//! one process cannot replace another process.
//!
//! 1. [`Noise`] splits the variance of logarithms by level: above the process, between processes, within a
//!    process;
//! 2. [`Costs`] has the cost of a process: start, warm-up, iterations;
//! 3. [`power`] predicts how often the rule finds the change with given numbers of processes and iterations,
//!    and how many duets an unchanged benchmark takes;
//! 4. [`for_compare`] chooses the cheapest plan with the wanted power, or reports what can be reached;
//! 5. [`for_suite`] distributes a given time over a suite so that as many changes as possible are found.
//!
//! There are three designs ([`Design`]): duets under the paired rule, processes measured apart under a rank
//! test, and few processes measured apart whose spread is known.

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
