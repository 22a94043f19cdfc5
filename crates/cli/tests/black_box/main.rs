//! The binary `benchwright` from outside: real repositories, real tool chains, real processes.
//!
//! 1. [`suite`] is a Rust suite without dependencies whose benchmarks do what a script says;
//! 2. [`sandbox`] is a repository with two versions of it, and runs benchwright there;
//! 3. [`document`] reads what benchwright says;
//! 4. the other modules are the tests, by what they are about.
//!
//! Nothing here depends on how long anything takes: the times are scripted, or differ by far more than any machine's noise.

mod accept;
mod agree;
mod bad_benchmarks;
mod command;
mod cpp;
mod damage;
mod document;
mod exchange;
mod exit_codes;
mod faults;
mod flags;
mod formats;
mod gate;
mod go;
mod grade;
mod interrupted_builds;
mod interruption;
mod java;
mod javascript;
#[cfg(feature = "lambda")]
mod lambda;
#[cfg(feature = "lambda")]
mod lambda_faults;
#[cfg(feature = "lambda")]
mod lambda_packages;
mod layouts;
mod listing;
mod locks;
mod names;
mod numbers;
mod plan;
mod python;
mod reduce;
mod results;
mod sandbox;
mod schedule;
mod shim;
mod slurm;
mod steady;
mod steady_bad_input;
#[cfg(feature = "lambda")]
mod stub;
mod suite;
mod verdicts;
mod versions;
