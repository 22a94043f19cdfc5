//! The smallest configuration per benchmark that is still accurate.
//!
//! 1. [`crate::leveled`] reads files and stored runs with their levels; [`warmup`] cuts their beginning;
//! 2. [`stability`] chooses by how much values vary, [`comparing`] by what a comparison has to find; both do the [`work`] on several
//!    threads. [`evaluate`] sets ways to choose against each other on the same data;
//! 3. [`plan`] writes the choices down; [`renew`] makes them for the part of a plan that is out of date, which [`refresh`] finds.

pub mod comparing;
pub mod evaluate;
pub mod plan;
pub mod refresh;
pub mod renew;
pub mod stability;
pub mod warmup;
pub mod work;

/// What all resamples follow from unless something else is asked for. The 42 of the authors' program would mean nothing here: the
/// generator is another.
pub const SEED: u64 = 1;
