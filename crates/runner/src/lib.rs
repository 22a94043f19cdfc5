//! Versions, builds, and the measurement of a plan, call by call.
//!
//! 1. [`Repository`] finds versions; [`Cache`] checks them out, outside the repository;
//! 2. [`prepare`] builds a version and lists its benchmarks, or takes both from the cache;
//! 3. [`compare`] compares two versions duet by duet, as the judge asks; [`levels`] measures one version with
//!    its repetitions;
//! 4. a [`RunListener`] receives every trial and writes it to a journal before anything is decided from it.
//!    Every random choice is a function of the seed. So an interrupted run can be resumed with the same
//!    result.
//!
//! This crate reads no settings and prints nothing: it takes finished plans and reports what happens as events.

mod budget;
mod builds;
mod compare;
mod error;
mod failures;
mod layouts;
mod learned;
mod lengths;
mod levels;
mod listener;
mod lock;
mod noticed;
mod operations;
mod order;
mod outlook;
mod overruled;
mod pace;
mod schedule;
mod setup;
mod shapes;
mod spend;
mod steps;
mod stopping;
mod turns;
mod versions;
mod warmups;

pub use builds::{
    Arguments, Build, BuildError, BuildRelinker, BuiltExecutable, EquipOrder, Equipment, Passed,
    PrepareRequest, ProjectError, Unequipped, equip, identical, prepare, project_title,
};
pub use compare::{ComparePlan, Compared, compare};
pub use error::RunError;
pub use failures::failures;
pub use layouts::{Layout, NoLayout, Relinker};
pub use levels::{LevelCounts, LevelsPlan, Measured, levels};
pub use listener::{NotKept, RunListener};
pub use lock::{Holder, LockError, MachineLock, RepositoryLock};
pub use outlook::pending;
pub use shapes::{FIRST_DUETS, Shapes};
pub use steps::{ProcessSteps, common_environment};
pub use versions::{
    Cache, CacheError, Checkout, EditedFile, GitError, Pair, Pruned, Repository, Snapshot, TreeFile,
    VersionError, short_hash, surroundings,
};
