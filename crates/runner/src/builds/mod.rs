//! Builds: the executables of a version and the benchmarks in them, made once and then cached.
//!
//! 1. every harness looks for its projects in the check-out;
//! 2. tree, tool chain, arguments and environment of a project determine its key. If the cache has a build
//!    with that key, it is used;
//! 3. otherwise the harness builds into the directory of the key, under a lock. The manifest is written last
//!    and makes the entry valid;
//! 4. the benchmarks of each executable are listed, and the list is cached beside it;
//! 5. [`identical()`] finds the benchmarks that have the same code and data in two versions;
//! 6. [`BuildRelinker`] makes an executable again with its functions in another order, when a duet asks for
//!    it;
//! 7. for other machines, programs are built for their processor (`foreign`), and [`equip()`] makes the
//!    runtime images they need.
//!
//! Nothing damaged or incomplete in the cache is ever used: it is made again.

mod build;
mod digest;
mod equip;
mod error;
mod foreign;
mod identical;
mod key;
mod manifest;
mod prepare;
mod project;
mod record;
mod relink;
mod workshop;

pub use build::{Arguments, Build, BuiltExecutable, PrepareRequest};
pub use equip::{EquipOrder, Equipment, Unequipped, equip};
pub use error::{BuildError, Passed, ProjectError};
pub use identical::identical;
pub use prepare::{prepare, project_title};
pub use relink::BuildRelinker;
