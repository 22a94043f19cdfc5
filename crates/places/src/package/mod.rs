//! Packages of programs for other machines.
//!
//! A [`Package`] is one executable of one version with the files its trials may read, as an archive whose
//! address depends on its contents. The same program and the same files make the same package, whenever and
//! wherever it is made. So it is sent once, and unpacked once per instance.
//!
//! 1. [`elf`] finds out what a program needs of the machine it runs on, and [`misfits`](elf::Facts::misfits)
//!    what a [`Runtime`] lacks;
//! 2. [`contents()`] finds the files that belong to it;
//! 3. [`pack()`] makes the archive.
//!
//! The runtime image that programs of a harness need (for JMH a Java runtime) is a separate package, which
//! both versions share.
//!
//! Sources, tool chains and build caches are not sent.

pub mod elf;

mod archive;
mod contents;

pub use archive::{Package, PackageError, pack};
pub use benchwright_harness::Architecture;
pub use contents::{Wanted, contents, equipment_contents};
pub use elf::Runtime;

/// The directory in an archive that becomes the version's root.
pub const ROOT: &str = "root";
/// The directory in an archive that becomes the build's directory.
pub const OUT: &str = "out";
/// The directory in an archive that becomes the runtime image of programs.
pub const EQUIPMENT: &str = "equipment";
