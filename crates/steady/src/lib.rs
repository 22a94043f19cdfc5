//! Decides for one series when warm-up is over and when enough is measured.
//!
//! A process is slow at first: code is loaded, interpreted and compiled, and caches are cold. This crate gets
//! the time of each iteration of a process and decides when that is over. While the process runs:
//!
//! 1. the caller has a [`StopPlan`] for the benchmark (or a single rule) and gets a [`StopRule`] from it for
//!    each process;
//! 2. it passes in one value per iteration, with the time that has passed, and follows the [`Decision`];
//! 3. it stores the [`Cut`] (where warm-up ended, and why) with the values, and asks the plan whether another
//!    process is needed.
//!
//! A rule has a floor and a cap and takes microseconds, so it can be called between two iterations. [`rules`]
//! has the rules of the literature, [`classify`] the trained ones. [`replay()`] runs the same code on
//! recorded series.
//!
//! [`labels`] divides a complete series into segments and computes from which iteration it was steady. This
//! needs the whole series, so it cannot be done while measuring.
//!
//! This crate uses only the numbers and durations that are passed in: no clock, process, file or benchmark.
//! The same rule gives the same result for the same numbers, so rules can be compared on recorded series.

mod bytes;
pub mod classify;
pub mod labels;
pub mod nets;
mod plan;
mod replay;
mod rule;
pub mod rules;
mod window_medians;

pub use benchwright_stats::in_parallel;
pub use bytes::WeightsError;
pub use plan::{EndedProcess, Processes, SameForEach, StopPlan};
pub use replay::{Stop, iteration_wall, replay, replay_benchmark};
pub use rule::{Cut, Decision, Limits, StopRule, WhyCut, cut_at_the_end};
pub use window_medians::WindowMedians;
