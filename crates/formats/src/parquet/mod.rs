//! Tables in Parquet files: as much of the format as recorded measurements and raw samples use.
//!
//! 1. `File::open` reads the end of a file, which says where its columns are;
//! 2. `Group::columns` reads those that are wanted, some rows at a time; [`Table::read`] reads all rows of a file;
//! 3. `thrift` reads and writes headers; `page` undoes compression, levels and dictionaries, and makes pages of values.
//!
//! By hand, because the crate for all of Parquet panics on some damaged files (docs/design/0019-house.md). Read are
//! flat columns of texts, flags, whole and floating-point numbers, and lists of numbers; pages of the first version; not compressed, Snappy,
//! gzip or zstd.
//! Whatever else there is is refused with its name. What a file claims is believed only as far as the file could hold it.

mod file;
pub(crate) mod page;
mod table;
pub(crate) mod thrift;

#[cfg(test)]
mod tests;

pub(crate) use file::{Column, File, Group};
pub use table::{ParquetError, Table};
