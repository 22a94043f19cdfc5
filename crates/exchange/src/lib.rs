//! Reads result files of other tools.
//!
//! 1. [`read_path`] opens a file (or a folder of Criterion), [`read`] takes bytes. Gzip, byte order marks and UTF-16 are decoded
//!    while reading;
//! 2. the beginning of the content decides which [`Format`] it is, never the file's name;
//! 3. the format's reader streams through the rest in bounded memory. It gives one [`Imported`] per set of results: one for most
//!    files, one per commit for files that hold a history. [`Limits`] bound how much is read.
//!
//! Values are converted to seconds and bytes and keep their structure: processes, and iterations within a process. Text that is
//! not understood becomes a diagnostic with line and column, and the rest is still read.
//!
//! Recorded processes with labels of others come in folders of tables, which [`warmup`] reads through [`parquet`].
//!
//! This crate uses no store, no project and no statistics, and starts no process.

mod collect;
mod columns;
mod diagnostics;
mod encoding;
mod error;
mod format;
mod formats;
mod head;
mod imported;
mod index;
mod input;
mod json;
mod limits;
mod number;
pub mod parquet;
mod read;
mod separated;
mod units;
pub mod warmup;

#[cfg(test)]
mod test_bad_input;
#[cfg(test)]
mod test_damage;
#[cfg(test)]
mod test_fixtures;
#[cfg(test)]
mod test_reading;

pub use error::ExchangeError;
pub use format::{Format, formats};
pub use imported::{Imported, ImportedBenchmark, ImportedSummary};
pub use limits::Limits;
pub use read::{read, read_path};
