//! Series of processes with their segments, their steady part, and the points where stop rules would have
//! ended them.
//!
//! 1. the caller labels each process and makes a [`SeriesView`] of it;
//! 2. [`write_text`] draws one line of blocks per process, [`write_svg`] a picture, [`write_html`] a page of
//!    pictures.
//!
//! Labels and stops are passed as numbers and words, so this crate does not depend on rules.

mod page;
mod picture;
mod sparkline;
mod text;
mod view;

pub use page::write_html;
pub use picture::write_svg;
pub use text::write_text;
pub use view::{BenchmarkClassView, Extent, SeriesView, Steady, StopView};
