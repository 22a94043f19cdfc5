//! Any executable as a benchmark.
//!
//! `[[command]]` tables, or `--command`, define the benchmarks; every combination of a command's parameters is one. Building a
//! version runs the command's `build` and `setup` and writes what is left to do into a file, the "executable". A trial is
//! several runs of the command in a row, each a fresh process: benchwright itself is started as the driver ([`DRIVER`]),
//! reads the file, runs the command and prints one line of the shim protocol per run. So the worker needs to know nothing
//! about commands, and the driver's own start is not measured.
//!
//! Left to other modules: how processes are started and timed; the driver is in the crate `worker`.

mod build;
mod combination;
mod harness;
mod payload;
mod record;

pub(crate) use harness::Commands;
pub use record::{CommandTrial, TrialFileError};

/// The first argument that makes benchwright the driver of a trial. After it: the file, the version's root, the
/// benchmark's name, the trial's iterations, its time in seconds, and further arguments for the command.
pub const DRIVER: &str = "drive-command";
