//! Tables in Parquet files. It supports the parts of the format that recorded measurements and raw samples
//! use.
//!
//! 1. `File::open` reads the end of a file, which has the positions of its columns;
//! 2. `Group::columns` reads the wanted columns, a group of rows at a time; [`Table::read`] reads all rows of
//!    a file;
//! 3. `thrift` reads and writes headers; `page` decodes compression, levels and dictionaries, and makes pages
//!    of values.
//!
//! This is written by hand, because the crate for all of Parquet panics on some damaged files
//! (docs/design/0019-house.md). It reads flat columns of texts, flags, whole and floating-point numbers, and
//! lists of numbers, in pages of the first version, without compression or with Snappy, gzip or zstd. Other
//! features are refused by name. Sizes stated in a file are trusted only if the file is large enough for
//! them.

mod file;
pub(crate) mod page;
mod table;
pub(crate) mod thrift;

#[cfg(test)]
mod tests;

pub(crate) use file::{Column, File, Group};
pub use table::{ParquetError, Table};
