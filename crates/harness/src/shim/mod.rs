//! Programs that use the shim protocol: a harness for any language, written in that language.
//!
//! `[[shim]]` tables name the programs. Building a version runs the shim's `build` and writes a small script
//! that starts the program, the "executable". It is called with `list` or `run NAME …`, and answers both in
//! lines of the protocol (docs/guide/shim-protocol.md), which are read as they appear.

mod build;
mod harness;

pub(crate) use harness::Shims;
