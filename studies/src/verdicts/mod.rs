//! Trials of the product's verdicts on suites that we did not write. The reasons for their design are in
//! `docs/design/0002-verdict-trials.md`.
//!
//! 1. `prepare` makes a git repository of each suite: Go modules, Go's standard library, Rust crates,
//!    examples;
//! 2. `same` compares every suite with itself, on an idle and on a loaded machine, so that every flag is a
//!    false alarm;
//! 3. `slower` slows functions of real code down by a calibrated share, and checks whether the product finds
//!    it;
//! 4. `moved` moves code of real suites without changing it, and counts flags with and without random
//!    layouts;
//! 5. `report` prints the tables from the files to which steps 2 to 4 append.
//!
//! Every result is on disk before the next one is measured, so that an interrupted trial can be resumed. The
//! product is used as users do, with its program, options and JSON. Only the times of processes are read from
//! its store.

mod build_constraint;
mod calibrate;
mod candidates;
mod choose;
mod command;
mod criterion;
mod experiment;
mod go_source;
mod go_test;
mod jmh;
mod load;
mod move_code;
mod moved;
mod peer;
mod prepare;
mod product;
mod records;
mod report;
mod same;
mod slow_source;
mod slower;
mod suites;
mod summary;
mod workshop;

pub(crate) use command::verdicts;
pub(crate) use prepare::ORIGINAL;
pub(crate) use product::Product;
