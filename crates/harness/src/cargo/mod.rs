//! Harness `cargo`: Criterion, divan and everything that prints libtest's lines.
//!
//! 1. `recognise` finds workspaces and stand-alone packages by their manifests;
//! 2. `build` asks Cargo for the bench targets, compiles them once and copies the executables;
//! 3. `flavour` finds out which library an executable uses, from the bytes of the executable;
//! 4. `list` lists the benchmarks of an executable in the way of its library, including parameters;
//! 5. `criterion`, `divan` and `libtest` have the command line of one library and the reader of its output;
//! 6. `relink` links a program again with its functions in another order;
//! 7. `target` chooses what to build for if the programs run on another machine.
//!
//! It does not use versions, duets or verdicts, and starts no process itself.

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
