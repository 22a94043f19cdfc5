//! Runtime images: what programs need on a machine where nothing is installed.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{Executable, HarnessError, StepRunner};

/// Makes a runtime image for programs of a harness: a directory with the parts of the tool chain that they need to run. Those of
/// both versions of a comparison have one in common, so that what differs between them is the versions alone.
pub trait Equipper {
    /// The parts that a program needs.
    fn parts(
        &self,
        request: &PartsRequest<'_>,
        run: &mut dyn StepRunner,
    ) -> Result<BTreeSet<String>, HarnessError>;

    /// Makes the directory.
    fn make(&self, request: &EquipRequest<'_>, run: &mut dyn StepRunner) -> Result<(), HarnessError>;

    /// Files in the directory that every program loads, as far as they are there: what they lack, all lack.
    fn loaded(&self) -> &'static [&'static str];

    /// The executable as it has to be run if the runtime image is in `dir`.
    fn equipped(&self, executable: &Executable, dir: &str) -> Executable;
}

/// Which program's parts to name.
#[derive(Debug, Clone)]
pub struct PartsRequest<'a> {
    /// The build's directory.
    pub out: &'a Path,
    /// The program.
    pub executable: &'a Executable,
}

/// What to make.
#[derive(Debug, Clone)]
pub struct EquipRequest<'a> {
    /// One of the programs; all are of the same tool chain.
    pub executable: &'a Executable,
    /// The parts that they need.
    pub parts: &'a BTreeSet<String>,
    /// The directory, which does not exist yet; the one above it does.
    pub target: &'a Path,
}
