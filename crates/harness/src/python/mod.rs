//! Harness `python`: tests with the fixture of pytest-benchmark, and scripts for pyperf.
//!
//! 1. `recognise` finds projects by their manifests and the files with benchmarks in them (`source`);
//! 2. `build` makes a virtual environment per version: `manifest` reads what the project says it needs, `requirements`
//!    chooses from it, `constraints` makes all versions take the same dependencies, `environment` calls pip;
//! 3. every file with benchmarks is one "executable": a `description` that a small launcher (`shims/python`) starts;
//! 4. `list` asks the launcher for the names;
//! 5. `pytest` and `pyperf` each hold one tool's command line and its reader.
//!
//! Trials use the installed copy of the version, not the check-out, so that compiled parts are measured as users get
//! them. Hashes of text are random per process, as Python does it by default: a fixed seed would be the same luck in
//! every trial. `PYTHONHASHSEED` set by the user stays. Byte code of the check-out is kept with the build.
//!
//! Left to others: versions, duets, verdicts. It starts nothing itself.

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
