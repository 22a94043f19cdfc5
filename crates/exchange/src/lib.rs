//! Result files of other tools in, measurements out.
//!
//! 1. [`read_path`] opens a file (or a folder of Criterion), [`read`] takes bytes; gzip, byte order marks and UTF-16 are undone
//!    while reading;
//! 2. the beginning decides which [`Format`] it is, never the file's name;
//! 3. the format's reader streams through the rest with bounded memory and gives one [`Imported`] per set of results that belong
//!    together: one for most files, one per commit for files that hold a history. [`Limits`] say how much is read.
//!
//! Values are normalised (seconds, bytes) and keep their structure: processes, and iterations within a process. What is not
//! understood is a diagnostic with line and column, and the rest is still read.
//!
//! Recorded processes with the labels of others come in folders of tables, which [`warmup`] reads through [`parquet`].
//!
//! This room knows no store, no project and no statistics, and starts nothing.

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
