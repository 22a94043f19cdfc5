//! Harness `cargo`: Criterion, divan and everything that prints libtest's lines.
//!
//! 1. `recognise` finds workspaces and stand-alone packages by their manifests;
//! 2. `build` asks Cargo for the bench targets, compiles them once and copies the executables away;
//! 3. `flavour` says which library drives an executable, from the executable's own bytes;
//! 4. `list` runs the executable in the way its library lists benchmarks, parameters included;
//! 5. `criterion`, `divan` and `libtest` each hold one library's command line and its reader;
//! 6. `relink` links a program again with its functions in another order;
//! 7. `target` says what to build for where the programs are to run on another machine.
//!
//! It uses no versions, duets or verdicts, and starts no process itself.

mod build;
mod configuration;
mod criterion;
mod divan;
mod flavour;
mod harness;
mod libtest;
mod link_command;
mod list;
mod lock_file;
mod manifest;
mod messages;
mod metadata;
mod number;
mod own_code;
mod programs;
mod recognise;
mod relink;
mod sources;
mod steps;
mod target;
mod toolchain;
mod tree;

pub(crate) use harness::Cargo;
