//! Packages of programs for other machines.
//!
//! A [`Package`] is one executable of one version with the files its trials may read, as an archive under the address of its own
//! contents: the same program and the same files make the same package, whenever and wherever it is made, so that it is sent once
//! and unpacked once per instance.
//!
//! 1. [`elf`] says what a program needs of the machine it runs on, and [`misfits`](elf::Facts::misfits) what a [`Runtime`] lacks;
//! 2. [`contents()`] says which files belong to it;
//! 3. [`pack()`] makes the archive.
//!
//! The runtime image that programs of a harness need (for JMH a Java runtime) is a separate package, which those of both versions
//! have in common.
//!
//! Sources, tool chains and build caches stay at home.

pub mod elf;

mod archive;
mod contents;

pub use archive::{Package, PackageError, pack};
pub use benchwright_harness::Architecture;
pub use contents::{Wanted, contents, equipment_contents};
pub use elf::Runtime;

/// The part of an archive that is the version's root when it is unpacked.
pub const ROOT: &str = "root";
/// The part of an archive that is the build's directory.
pub const OUT: &str = "out";
/// The part of an archive that is the runtime image of programs.
pub const EQUIPMENT: &str = "equipment";
