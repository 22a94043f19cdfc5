//! Builds: a version's executables and the benchmarks in them, made once and remembered.
//!
//! 1. every harness looks for its projects in the check-out;
//! 2. tree, tool chain, arguments and environment of a project make its key, and what is already in the cache under that
//!    key is taken from there;
//! 3. otherwise the harness builds it, under a lock, into the key's directory; the manifest written last makes the
//!    entry valid;
//! 4. the benchmarks of each executable are listed and remembered beside it;
//! 5. [`identical()`] says of which benchmarks the two versions have the very same code and data;
//! 6. [`BuildRelinker`] makes an executable again with its functions in another order, when a duet asks for it;
//! 7. for other machines, programs are built for their processor (`foreign`), and [`equip()`] makes what they need beside themselves.
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
