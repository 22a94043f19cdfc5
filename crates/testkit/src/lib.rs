//! Shared by the tests of several crates.
//!
//! 1. [`duet`], [`trial`], [`failed_trial`] and [`finding`] make values of the model with defaults for
//!    everything that a test does not set;
//! 2. [`fixture`] reads captured output, [`data`] finds recorded measurements and [`tool`] an installed
//!    program. A test that lacks one of the latter two is skipped, like one that calls [`skip`]. Skipped
//!    tests are printed on standard error and counted;
//! 3. [`arbitrary`] has strategies for model values of every kind, for property tests;
//! 4. [`redact`] replaces times, paths and run names by fixed words, so that output can be compared as text.
//!
//! A dev-dependency only: it panics on failure.

pub mod arbitrary;
mod builders;
mod places;
mod redact;
mod skip;

pub use builders::{benchmark, duet, failed_trial, finding, trial};
pub use places::{data, fixture, repository, tool};
pub use redact::redact;
pub use skip::skip;
