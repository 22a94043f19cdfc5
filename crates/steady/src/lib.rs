//! One series in, "steady since when, steady now?" out.
//!
//! A process that starts is slow: code is loaded, interpreted, compiled, caches are cold. This room is told what each
//! iteration of a process measured and says when that is over, while the process runs:
//!
//! 1. whoever measures makes a [`StopRule`] for the process, here [`WindowMedians`];
//! 2. feeds it one value per iteration, with the time that has passed, and does what the [`Decision`] says;
//! 3. keeps the [`Cut`], which is where warm-up ended and why, with the values.
//!
//! A rule has a floor and a cap and costs microseconds, so that it can be asked between two iterations. It sees numbers and
//! durations handed in: no clock, no process, no benchmark. The same rule on the same numbers says the same, which is
//! how rules are compared on recorded series.

mod rule;
mod window_medians;

pub use rule::{Cut, Decision, Limits, StopRule, WhyCut};
pub use window_medians::WindowMedians;
