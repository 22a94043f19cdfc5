//! Trials of the product's verdicts on suites that we did not write; `docs/design/0002-verdict-trials.md` says why so.
//!
//! 1. `prepare` makes a git repository of each suite: Go modules, Go's standard library, Rust crates, examples;
//! 2. `same` compares every suite with itself, on an idle and on a loaded machine: whatever is flagged is a false alarm;
//! 3. `slower` slows functions of real code down by a calibrated share and sees whether the product finds it;
//! 4. `moved` moves code of real suites without changing it and counts what is flagged, with and without random layouts;
//! 5. `report` prints the tables from what 2 to 4 appended to their files.
//!
//! Every result is on disk before the next is measured, so that a trial that was interrupted goes on where it stopped. The
//! product is used as a user does: its program, its options, its JSON; only the times of processes come from its store.

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
