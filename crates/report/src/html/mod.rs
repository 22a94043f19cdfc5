//! A single self-contained page: it needs no other file and no network, and is readable without its script.
//!
//! 1. `frame` writes the beginning and the end of every page with the same style and script, `page` writes
//!    heading, controls, effects, counts, failures and conditions;
//! 2. `axis` converts logarithms of ratios to positions;
//! 3. `effect` draws a benchmark's line in the list of effects, `detail` the part that opens below it: its
//!    duets, the values of its trials, its numbers.
//!
//! Horizontal positions in drawings are percentages, so that they fit any screen without being drawn again.

mod axis;
mod detail;
mod effect;
pub(crate) mod frame;
mod page;

pub use page::write;
