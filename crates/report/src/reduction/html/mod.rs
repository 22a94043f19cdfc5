//! One page: what is saved, benchmark by benchmark, and the reasons for the choices.
//!
//! 1. `page` writes heading, benchmarks, unstable benchmarks, notes and conditions;
//! 2. `bars` draws times before and after;
//! 3. `curve` draws stability by the size of the configuration, with the threshold and the choice.

mod bars;
mod curve;
mod page;

pub(super) use page::write;
