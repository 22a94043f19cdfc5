//! Any executable as a benchmark.
//!
//! `[[command]]` tables, or `--command`, define the benchmarks. Every combination of a command's parameters
//! is one. Building a version runs the command's `build` and `setup` and writes the rest of the definition
//! into a file, the "executable". A trial is several runs of the command in a row, each a fresh process:
//! benchwright itself is started as the driver ([`DRIVER`]), reads the file, runs the command and prints one
//! line of the shim protocol per run. So the worker does not handle commands, and the driver's own start is
//! not measured.
//!
//! This module does not start or time processes; the driver is in the crate `worker`.

mod build;
mod combination;
mod harness;
mod payload;
mod record;

pub(crate) use harness::Commands;
pub use record::{CommandTrial, TrialFileError};

/// The first argument that makes benchwright the driver of a trial. It is followed by the file, the version's
/// root, the benchmark's name, the trial's iterations, its time in seconds, and further arguments for the
/// command.
pub const DRIVER: &str = "drive-command";
