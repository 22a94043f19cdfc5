//! Harness `python`: tests with the fixture of pytest-benchmark, and scripts for pyperf.
//!
//! 1. `recognise` finds projects by their manifests and the files with benchmarks in them (`source`);
//! 2. `build` makes a virtual environment per version: `manifest` reads the requirements of the project,
//!    `requirements` chooses from them, `constraints` makes all versions use the same dependencies,
//!    `environment` calls pip;
//! 3. every file with benchmarks is one "executable": a `description` that a small launcher (`shims/python`)
//!    starts;
//! 4. `list` asks the launcher for the names;
//! 5. `pytest` and `pyperf` have the command line of one tool and the reader of its output.
//!
//! Trials use the installed copy of the version, not the check-out, so that compiled parts are measured as
//! users get them. Hashes of text are random per process, as is Python's default: a fixed seed would have the
//! same effect in every trial. `PYTHONHASHSEED` is kept if the user sets it. Byte code of the check-out is
//! kept with the build.
//!
//! This module does not use versions, duets or verdicts, and starts no process itself.

mod build;
mod constraints;
mod description;
mod environment;
mod harness;
mod ini;
mod interpreter;
mod list;
mod lock_file;
mod manifest;
mod poetry;
mod pyperf;
mod pytest;
mod recognise;
mod requirement;
mod requirement_file;
mod requirements;
mod result_file;
mod source;
mod steps;

pub(crate) use harness::Python;
