//! The file formats of benchmark tools: one module per format, which reads it and, where benchwright writes it, writes it.
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
//! `reading` holds what readers share: streams with lines and columns, JSON, numbers, units, and the collector of benchmarks.
//!
//! This crate uses no store, no project and no statistics, and starts no process.

mod bencher_metric;
mod benchfmt;
mod benchmark_dot_net;
mod criterion;
mod error;
mod format;
mod github_action;
mod google_benchmark;
mod gungraun;
mod hyperfine;
mod imported;
mod jmh;
mod pa;
pub mod parquet;
mod pyperf;
mod pytest_benchmark;
mod read;
mod reading;
mod samples;
mod uoptime;
pub mod warmup;

#[cfg(test)]
mod test_bad_input;
#[cfg(test)]
mod test_damage;
#[cfg(test)]
mod test_fixtures;
#[cfg(test)]
mod test_reading;

pub use error::ReadError;
pub use format::{Format, formats};
pub use imported::{Imported, ImportedBenchmark, ImportedSummary};
pub use read::{read, read_path};
pub use reading::limits::Limits;
