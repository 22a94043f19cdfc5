//! The file formats of benchmark tools: one module per format, which reads it and, where benchwright writes
//! it, writes it.
//!
//! 1. [`read_path`] opens a file (or a directory of Criterion), and [`read`] takes bytes. Gzip, byte order
//!    marks and UTF-16 are decoded while reading;
//! 2. the beginning of the content determines the [`Format`], never the name of the file;
//! 3. the reader of the format streams through the rest in bounded memory. It returns one [`Imported`] per
//!    set of results: one for most files, or one per commit for files with a history. [`Limits`] limit how
//!    much is read.
//!
//! Values are converted to seconds and bytes and keep their structure: processes, and iterations within a
//! process. Text that is not understood becomes a diagnostic with line and column, and the rest is still
//! read.
//!
//! [`ExportFormat`] names the formats that are written for other programs. A format with one number per
//! metric gets the numbers as [`MetricSummary`], because this crate computes no statistics.
//!
//! Recorded processes with labels of other authors are stored in directories of tables, which [`warmup`]
//! reads through [`parquet`].
//!
//! `reading` has the common parts of readers: streams with lines and columns, JSON, numbers, units, and the
//! collector of benchmarks.
//!
//! This crate uses no store, no project and no statistics, and starts no process.

mod bencher_metric;
pub mod benchfmt;
mod benchmark_dot_net;
pub mod criterion;
mod error;
mod export;
mod format;
mod github_action;
pub mod google_benchmark;
mod gungraun;
mod hidden;
mod hyperfine;
mod imported;
pub mod jmh;
mod moment;
mod pa;
pub mod parquet;
pub mod pyperf;
pub mod pytest_benchmark;
mod read;
mod reading;
mod run_document;
mod samples;
pub mod separated;
mod structure;
mod summary;
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
#[cfg(test)]
mod test_round_trips;

pub use error::ReadError;
pub use export::{ExportFormat, ExportOptions};
pub use format::{Format, formats};
pub use hidden::is_hidden;
pub use imported::{Imported, ImportedBenchmark, ImportedSummary};
pub use moment::moment;
pub use read::{read, read_path};
pub use reading::columns::Columns;
pub use reading::limits::Limits;
pub use reading::units::Scaled;
pub use run_document::RunDocument;
pub use samples::{SCHEMA as SAMPLES_SCHEMA, SCHEMA_NAME as SAMPLES_SCHEMA_NAME};
pub use structure::Structure;
pub use summary::MetricSummary;
