//! Benchmarks of Go's package `testing`.
//!
//! A project is a module. Every package with benchmarks becomes one test executable (`go test -c`), built
//! once per version. Sub-benchmarks exist only while their parent runs, so they are found by running
//! everything for a single operation. A trial selects one benchmark by a pattern in which each `/` part is
//! escaped and anchored, and its output is read line by line as it appears.
//!
//! This module does not start processes, make check-outs, or decide which benchmarks are measured.

mod build;
mod command;
mod flags;
mod harness;
mod list;
mod listing_output;
mod own_code;
mod pattern;
mod reader;
mod recognise;
mod release;
mod relink;
mod source;
mod standard_library;
mod toolchain;

pub(crate) use harness::Go;
