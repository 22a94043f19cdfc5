//! Runtime images: what programs need on a machine where nothing is installed.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Executable, HarnessError, StepRunner};

/// Makes a runtime image for programs of a harness: a directory with the parts of the tool chain that they
/// need to run. Both versions of a comparison share one, so that they differ in nothing else.
pub trait Equipper {
    /// The parts that a program needs.
    fn parts(
        &self,
        request: &PartsRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<BTreeSet<String>, HarnessError>;

    /// Makes the directory.
    fn make(&self, request: &EquipRequest<'_>, run: &mut dyn StepRunner) -> Result<(), HarnessError>;

    /// Files in the directory that every program loads, if they exist. Whatever libraries they lack, all
    /// programs lack.
    fn loaded(&self) -> &'static [&'static str];

    /// The executable in the form in which it runs if the runtime image is in `dir`.
    fn equipped(&self, executable: &Executable, dir: &str) -> Executable;
}

/// A request for the parts that a program needs.
#[derive(Debug, Clone)]
pub struct PartsRequest<'a> {
    /// The build's directory.
    pub out: &'a Path,
    /// The program.
    pub executable: &'a Executable,
}

/// A request to make a runtime image.
#[derive(Debug, Clone)]
pub struct EquipRequest<'a> {
    /// One of the programs; all are of the same tool chain.
    pub executable: &'a Executable,
    /// The parts that they need.
    pub parts: &'a BTreeSet<String>,
    /// The directory. It does not exist yet, but its parent does.
    pub target: &'a Path,
}
