//! Chooses the smallest configuration per benchmark that is still accurate.
//!
//! 1. [`crate::leveled`] reads files and stored runs with their levels; [`warmup`] cuts the beginning of
//!    processes;
//! 2. [`stability`] chooses by how much values vary, [`comparing`] by what a comparison has to find. Both use
//!    [`work`] to run on several threads. [`evaluate`] compares ways to choose on the same data;
//! 3. [`plan`] writes the choices to a file. [`refresh`] finds the part of a plan that is out of date, and
//!    [`renew`] makes new choices for it.

pub mod comparing;
pub mod evaluate;
pub mod plan;
pub mod refresh;
pub mod renew;
pub mod stability;
pub mod warmup;
pub mod work;

/// The default seed of all resamples. The 42 of the authors' program would mean nothing here, because the
/// random generator is another one.
pub const SEED: u64 = 1;
