//! The shim protocol: one line of text per fact on standard output.
//!
//! A line that begins with [`PREFIX`] holds one JSON object with one key, a [`Message`]; all other lines are the program's
//! own. docs/guide/shim-protocol.md is the one page that authors of shims read.
//!
//! 1. [`parse`] turns a line into a message or says where it stops making sense, [`Message::line`] does the reverse;
//! 2. `SampleReader` collects the samples of one benchmark while its trial runs;
//! 3. `listing` makes a list of benchmarks from what a program printed;
//! 4. [`plain`] is what people see of a line.

mod listing;
mod message;
mod reader;

pub(crate) use listing::listing;
pub use message::{Message, PREFIX, ProtocolError, Sample, VERSION, parse, plain};
pub(crate) use reader::SampleReader;

#[cfg(test)]
mod tests;
