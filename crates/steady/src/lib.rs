//! One series in, "steady since when, steady now?" out.
//!
//! A process that starts is slow: code is loaded, interpreted, compiled, caches are cold. This room is told what each
//! iteration of a process measured and says when that is over. While the process runs:
//!
//! 1. whoever measures has a [`StopPlan`] for the benchmark (or a rule alone) and takes a [`StopRule`] for each process;
//! 2. feeds it one value per iteration, with the time that has passed, and does what the [`Decision`] says;
//! 3. keeps the [`Cut`], which is where warm-up ended and why, with the values, and asks the plan whether another process is needed.
//!
//! A rule has a floor and a cap and costs microseconds, so that it can be asked between two iterations. [`rules`] has those of the
//! literature, [`classify`] the trained ones; [`replay()`] feeds recorded series to the same code.
//!
//! After the fact, [`labels`] divides a whole series into segments and says since when it was steady. It needs the whole: nobody can
//! know while measuring what comes later.
//!
//! The room sees numbers and durations handed in: no clock, no process, no file, no benchmark. The same rule on the same numbers says
//! the same, which is how rules are compared on recorded series.

mod bytes;
pub mod classify;
pub mod labels;
pub mod nets;
mod parallel;
mod plan;
mod replay;
mod rule;
pub mod rules;
mod window_medians;

pub use bytes::WeightsError;
pub use parallel::in_parallel;
pub use plan::{EndedProcess, Processes, SameForEach, StopPlan};
pub use replay::{Stop, iteration_wall, replay, replay_benchmark};
pub use rule::{Cut, Decision, Limits, StopRule, WhyCut, cut_at_the_end};
pub use window_medians::WindowMedians;
