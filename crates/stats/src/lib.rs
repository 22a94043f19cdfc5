//! Statistics over plain slices of `f64`.
//!
//! This crate has all statistical formulas. The meaning of the numbers is defined elsewhere.
//!
//! 1. [`dispersion`] and [`hodges_lehmann`] describe one sample or the shift between two.
//! 2. [`trimmed`], [`bootstrap`], [`t_test`] and [`proportion`] compute an interval around an estimate.
//! 3. [`rank`] and [`t_test`] test whether samples differ, and by how much.
//! 4. [`sequential`] collects evidence one value at a time, which is valid at every look.
//! 5. [`multiplicity`] corrects a family of p-values; [`sequential::e_bh`] does the same for evidence.
//! 6. [`variance_components`] splits a variance between and within groups, [`nested_variance`] over any
//!    number of levels.
//! 7. [`power`] computes how often a test finds a shift; [`known_spread`] finds one in very few values whose
//!    spread is known.
//! 8. [`in_parallel`] runs a function for many samples on several cores.
//!
//! This crate uses no benchmarks, units, versions, files or clocks. Every function is pure. A random one gets
//! an explicit `u64` seed (xoshiro256++), and the same seed gives the same bits on every machine.
//!
//! # Invalid input
//!
//! Every function returns `Option`, and `None` means that the question has no answer: a sample is too small
//! for the statistic, a value is NaN or infinite, the statistic divides by a spread or mean that is zero, or
//! a parameter is outside its documented range. Nothing is skipped, replaced or clamped silently, and no
//! function panics on any input. Families may be empty: correcting no p-values gives no p-values. Values near
//! the limit of `f64` may overflow.
//!
//! Ratios, probabilities and confidences are shares in \[0, 1\], never percentages.

pub mod bootstrap;
pub mod dispersion;
pub mod hodges_lehmann;
mod hypothesis;
mod interval;
pub mod known_spread;
pub mod multiplicity;
pub mod nested_variance;
mod parallel;
pub mod power;
pub mod proportion;
pub mod rank;
mod reference_distribution;
mod sample;
pub mod sequential;
pub mod t_test;
pub mod trimmed;
pub mod variance_components;

pub use hypothesis::Alternative;
pub use interval::Interval;
pub use parallel::in_parallel;
