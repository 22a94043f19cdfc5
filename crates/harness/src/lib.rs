//! One module per benchmark tool: recognise, build, list, call, read.
//!
//! A harness is the tool a project's benchmarks are written for. This room knows how such a tool is called and
//! what it prints; it reads the project's files, but it **starts nothing**: whoever uses it hands in a
//! [`StepRunner`], so every module can be tested with captured outputs.
//!
//! 1. [`Harness::recognise`] finds the projects (a Go module, a Cargo workspace) below a directory;
//! 2. [`Harness::toolchain`] names the tool chain, which is part of a build's identity;
//! 3. [`Harness::build`] makes executables, once per version;
//! 4. [`Harness::list`] finds the benchmarks in an executable, parameters included;
//! 5. [`Harness::command`] is the command line of one trial;
//! 6. [`Harness::reader`] turns the trial's output into values;
//! 7. [`Harness::relink`], where it can, links an executable again with its functions in another order;
//! 8. for machines elsewhere, [`Harness::targeting`] builds for another processor, [`Harness::payload`] says what of a program goes
//!    there, and [`Harness::equipper`] makes what programs need where nothing is installed.
//!
//! A new harness is one module, one fixture folder and one line in `HARNESSES`; docs/guide/new-harness.md shows how. Where a
//! project's files cannot say what the benchmarks are, configuration does: [`Definitions`].

mod architecture;
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

pub use architecture::Architecture;
pub use command::{CommandTrial, DRIVER, TrialFileError};
pub use contract::{
    BuildRequest, Built, Executable, Harness, HarnessError, ListRequest, Listing, Missing, Project, Reader,
    Reading, RelinkRequest, Relinked, Step, StepFailure, StepOutput, StepRunner, TrialCommand, TrialRequest,
    TrialShape, TrialTime, no_layouts,
};
pub use equipment::{EquipRequest, Equipper, PartsRequest};
pub use jmh::ScoreUnit;
pub use listed_time::ListedTime;
pub use near_miss::{NearMiss, near_misses};
pub use own_code::OwnCode;
pub use package_filter::PackageFilter;
pub use payload::{Payload, PayloadRequest};
pub use stop::{Stop, StopBy, Stopping};
pub use usual::Usual;

pub use definitions::{CommandDefinition, DefinitionError, Definitions, Parameter, ShimDefinition};

/// Makes a harness, one that knows nothing of what configuration defines.
type Make = fn() -> Box<dyn Harness>;

/// Every harness by name, in the order in which projects are looked for.
const HARNESSES: &[(&str, Make)] = &[
    ("cargo", || Box::<cargo::Cargo>::default()),
    ("command", || Box::<command::Commands>::default()),
    ("go", || Box::<go::Go>::default()),
    ("googlebench", || Box::new(googlebench::GoogleBenchmark)),
    ("javascript", || Box::new(javascript::JavaScript)),
    ("jmh", || Box::new(jmh::Jmh)),
    ("python", || Box::new(python::Python)),
    ("shim", || Box::<shim::Shims>::default()),
];

/// Every harness, in the order in which projects are looked for. Enough to list and run what was built.
pub fn all() -> Vec<Box<dyn Harness>> {
    HARNESSES.iter().map(|(_, make)| make()).collect()
}

/// Every harness, knowing what configuration defines for it: what finding and building projects takes.
pub fn configured(definitions: &Definitions) -> Vec<Box<dyn Harness>> {
    let mut all = all();
    all.iter_mut().for_each(|harness| harness.configure(definitions));
    all
}

/// The names of all harnesses, in the same order.
pub fn names() -> impl Iterator<Item = &'static str> {
    HARNESSES.iter().map(|(name, _)| *name)
}

/// The harness called `name`.
pub fn by_name(name: &str) -> Option<Box<dyn Harness>> {
    HARNESSES.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
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
