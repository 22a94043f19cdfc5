//! What tests of several rooms share.
//!
//! 1. [`duet`], [`trial`], [`failed_trial`] and [`finding`] make model values in which only what a test is about needs
//!    to be said;
//! 2. [`fixture`] reads a captured output, [`data`] finds recorded measurements and [`tool`] an installed program; a test
//!    that lacks one of the latter two is skipped, as is one that calls [`skip`]: said on standard error and counted;
//! 3. [`arbitrary`] has strategies for model values of every kind, for property tests;
//! 4. [`redact`] replaces times, paths and run names by fixed words, so that output can be compared as text.
//!
//! Only ever a dev-dependency: it panics where a test should.

pub mod arbitrary;
mod builders;
mod places;
mod redact;
mod skip;

pub use builders::{benchmark, duet, failed_trial, finding, trial};
pub use places::{data, fixture, repository, tool};
pub use redact::redact;
pub use skip::skip;
