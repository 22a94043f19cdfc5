//! One page: what is saved, benchmark by benchmark, and why each got what it got.
//!
//! 1. `page` lays out heading, benchmarks, what is unstable, notes and conditions;
//! 2. `bars` draws times before and after;
//! 3. `curve` draws stability against the size of the configuration, with the threshold and the choice.

mod bars;
mod curve;
mod page;

pub(super) use page::write;
