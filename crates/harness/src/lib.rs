//! One module per benchmark tool: recognise, build, list, call, read.
//!
//! A harness is the tool that a project's benchmarks are written for. A module of this crate handles the
//! command line and the output of one tool. It reads files of the project, but it **starts no process**: the
//! caller passes in a [`StepRunner`], so every module can be tested with captured output.
//!
//! 1. [`Harness::recognise`] finds the projects (a Go module, a Cargo workspace) below a directory;
//! 2. [`Harness::toolchain`] names the tool chain, which is part of a build's identity;
//! 3. [`Harness::build`] makes executables, once per version;
//! 4. [`Harness::list`] finds the benchmarks in an executable, with their parameters;
//! 5. [`Harness::command`] gives the command line of one trial;
//! 6. [`Harness::reader`] turns the trial's output into values.
//!
//! Everything else is optional, with one trait per feature: [`Relinking`] links an executable again with its
//! functions in another order, [`Portability`] runs programs on other machines, [`Warmup`] lets stop rules
//! end trials, and there are [`TrialLength`], [`PackageSelection`], [`CodeLookup`] and [`WorkingFiles`].
//!
//! A new harness is one module, one folder of fixtures and one line in `HARNESSES`; see
//! docs/guide/new-harness.md. Benchmarks that cannot be found in a project's files are defined in the
//! configuration: [`Definitions`].

mod architecture;
mod capabilities;
mod cargo;
mod command;
mod compilers;
mod contract;
mod definitions;
mod document;
mod equipment;
mod function_order;
mod go;
mod googlebench;
mod javascript;
mod jmh;
mod listed_time;
mod near_miss;
mod own_code;
mod package_filter;
mod payload;
pub mod protocol;
mod python;
mod shell;
mod shim;
mod steps;
mod stop;
#[cfg(test)]
mod test_files;
#[cfg(test)]
mod test_steps;
mod usual;
mod words;

use std::sync::{PoisonError, RwLock};

pub use architecture::Architecture;
pub use capabilities::{
    CodeLookup, PackageSelection, Portability, Relinking, TrialLength, Warmup, WorkingFiles, no_layouts,
};
pub use command::{CommandTrial, DRIVER, TrialFileError};
pub use contract::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Missing, Project, Reader,
    Reading, RelinkRequest, Relinked, Step, StepFailure, StepOutput, StepRunner, TrialCommand, TrialRequest,
    TrialShape, TrialTime,
};
pub use equipment::{EquipRequest, Equipper, PartsRequest};
pub use listed_time::ListedTime;
pub use near_miss::{NearMiss, near_misses};
pub use own_code::OwnCode;
pub use package_filter::PackageFilter;
pub use payload::{Payload, PayloadRequest};
pub use stop::{Stop, StopBy, Stopping};
pub use usual::Usual;

pub use definitions::{CommandDefinition, DefinitionError, Definitions, Parameter, ShimDefinition};

/// Makes a harness with its definitions in the configuration.
pub type Make = fn(&Definitions) -> Box<dyn Harness>;

/// Every harness by name, in the order in which projects are searched for.
const HARNESSES: &[(&str, Make)] = &[
    ("cargo", |_| Box::<cargo::Cargo>::default()),
    ("command", |definitions| Box::new(command::Commands::of(definitions))),
    ("go", |_| Box::<go::Go>::default()),
    ("googlebench", |_| Box::new(googlebench::GoogleBenchmark)),
    ("javascript", |_| Box::new(javascript::JavaScript)),
    ("jmh", |_| Box::new(jmh::Jmh)),
    ("python", |_| Box::new(python::Python)),
    ("shim", |definitions| Box::new(shim::Shims::of(definitions))),
];

/// The registered harnesses, in this order.
static REGISTERED: RwLock<Vec<(&str, Make)>> = RwLock::new(Vec::new());

/// Adds a harness to those of benchwright, for programs that embed it and for tests. From then on it is used
/// wherever harnesses are listed: settings, workers, predictions. This has to be called before any of these
/// are used.
pub fn register(name: &'static str, make: Make) {
    REGISTERED.write().unwrap_or_else(PoisonError::into_inner).push((name, make));
}

fn known() -> impl Iterator<Item = (&'static str, Make)> {
    let registered = REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone();
    HARNESSES.iter().copied().chain(registered)
}

/// Every harness, in the order in which projects are searched for. This is enough to list and run builds.
pub fn all() -> Vec<Box<dyn Harness>> {
    configured(&Definitions::default())
}

/// Every harness with its definitions in the configuration, which are needed to find and build projects.
pub fn configured(definitions: &Definitions) -> Vec<Box<dyn Harness>> {
    known().map(|(_, make)| make(definitions)).collect()
}

/// The names of all harnesses, in the same order.
pub fn names() -> impl Iterator<Item = &'static str> {
    known().map(|(name, _)| name)
}

/// The harness called `name`.
pub fn by_name(name: &str) -> Option<Box<dyn Harness>> {
    known().find(|(known, _)| *known == name).map(|(_, make)| make(&Definitions::default()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_harness_is_registered_under_its_own_name() {
        let own: Vec<&str> = super::all().iter().map(|harness| harness.name()).collect();
        assert_eq!(own, super::names().collect::<Vec<_>>());
    }

    #[test]
    fn programs_of_these_harnesses_travel() {
        let all = super::all();
        let travelling = all.iter().filter(|harness| harness.stays().is_none()).map(|harness| harness.name());
        let expected = ["cargo", "command", "go", "googlebench", "jmh"];
        assert_eq!(travelling.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_harness_says_what_it_looks_for() {
        for harness in super::all() {
            assert!(!harness.looks_for().is_empty(), "{}", harness.name());
        }
    }
}
