//! Tables in Parquet files: as much of the format as recorded measurements and raw samples use.
//!
//! 1. `File::open` reads the end of a file, which says where its columns are;
//! 2. `Group::columns` reads those that are wanted, some rows at a time; [`Table::read`] reads all rows of a file;
//! 3. `thrift` reads the headers, `page` undoes compression, levels and dictionaries.
//!
//! Read by hand for the reason it is written by hand in `report`: the crate for all of Parquet costs more to build than this crate. Flat columns
//! of texts, flags, whole and floating-point numbers, and lists of numbers; pages of the first version; not compressed, gzip or zstd.
//! Whatever else there is is refused with its name. What a file claims is believed only as far as the file could hold it.

mod file;
mod page;
mod table;
mod thrift;

#[cfg(test)]
mod tests;

pub(crate) use file::{Column, File, Group};
pub use table::{ParquetError, Table};
