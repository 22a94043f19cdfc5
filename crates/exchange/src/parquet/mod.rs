//! Tables in Parquet files: as much of the format as recorded measurements use.
//!
//! 1. [`Table::read`] reads a file's footer and the columns that are asked for;
//! 2. `thrift` reads the headers, `page` undoes compression, levels and dictionaries.
//!
//! Read by hand for the reason it is written by hand in `report`: the crate for all of Parquet costs more to build than this room. Flat columns and
//! lists of texts, whole numbers and floating-point numbers; pages of the first version; not compressed, gzip or zstd. Whatever else there is is refused with its name.

mod page;
mod table;
mod thrift;

#[cfg(test)]
mod tests;

pub use table::{ParquetError, Table};
