//! JavaScript: Benchmark.js, tinybench and vitest's `bench`, under node.
//!
//! A project is a package (or a workspace of packages). Its build is a copy of the whole version with
//! `node_modules` installed from the lock file. No version can resolve modules of another one, links from
//! packages back into the workspace work as usual, and installed and generated files are not among the
//! version's own files.
//!
//! An "executable" is one benchmark file. It is started with a preloaded [`shim`] that lists its benchmarks,
//! or runs exactly one of them and prints every timed batch as a line of standard output
//! ([`crate::protocol`]).

mod build;
#[cfg(test)]
mod captured;
mod command;
mod description;
mod documents;
mod harness;
mod imports;
mod install;
mod list;
mod lock_file;
mod manager;
mod package;
mod recognise;
mod release;
mod scripts;
mod shim;
mod steps;
mod toolchain;
mod tree;
mod workspace;

pub(crate) use harness::JavaScript;
