//! A table for the terminal: changed rows first, the geometric mean last, and every line within the given
//! width.

mod prose;
mod report;
mod table;

pub use report::{TextOptions, write};

pub(crate) use prose::{Lines, Palette, Tone, shorten};
pub(crate) use table::{Align, Cell, Column, Line, Table};
