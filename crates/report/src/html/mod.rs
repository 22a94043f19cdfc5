//! One page with everything: no other file, no network, and readable without its script.
//!
//! 1. `frame` begins and ends every page with the same style and script, `page` lays out heading, controls, effects, counts, failures and conditions;
//! 2. `axis` turns logarithms of ratios into positions;
//! 3. `effect` draws a benchmark's line in the list of effects, `detail` what opens below it: its duets, the values
//!    of its trials, its numbers.
//!
//! Horizontal positions in drawings are percentages, so that they fit any screen without being redrawn.

mod axis;
mod detail;
mod effect;
pub(crate) mod frame;
mod page;

pub use page::write;
