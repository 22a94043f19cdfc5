//! The shim protocol: one line of text per fact on standard output.
//!
//! A line that begins with [`PREFIX`] contains one JSON object with one key, a [`Message`]. All other lines
//! are ordinary output of the program. docs/guide/shim-protocol.md is the documentation for authors of shims.
//!
//! 1. [`parse`] turns a line into a message or reports the position of the error, [`Message::line`] does the
//!    reverse;
//! 2. `SampleReader` collects the samples of one benchmark while its trial runs;
//! 3. `listing` makes a list of benchmarks from the output of a program;
//! 4. [`plain`] is the readable part of a line.

mod listing;
mod message;
mod reader;

pub(crate) use listing::listing;
pub use message::{Message, PREFIX, ProtocolError, Sample, VERSION, parse, plain};
pub(crate) use reader::SampleReader;

#[cfg(test)]
mod tests;
