//! Versions: from a revision that the user types to a directory with exactly its files.
//!
//! 1. [`Repository::discover`] finds the repository around a directory;
//! 2. [`Repository::resolve`] and [`Repository::resolve_pair`] turn revisions into [`Version`]s, and
//!    [`Repository::snapshot`] does the same for the working tree with its uncommitted changes;
//! 3. [`Cache::checkout`] puts a version's files into the user's cache directory, including submodules and
//!    Git LFS files.
//!
//! The user's repository is read and never written: no worktree, no index refresh, no object, no ref. The
//! objects of a snapshot are stored in the cache. Everything uses the real `git` program, so that attributes,
//! ignore rules and filters have their usual meaning.
//!
//! [`Version`]: benchwright_model::Version

mod cache;
mod checkout;
mod edited;
mod error;
mod git;
mod lfs;
mod listing;
mod made;
mod names;
mod repository;
mod resolve;
mod snapshot;
mod submodules;
mod surroundings;

pub use cache::short_hash;
pub use cache::{Cache, CacheError, Pruned};
pub(crate) use cache::{beside, mark_used};
pub use checkout::Checkout;
pub use edited::EditedFile;
pub use error::{GitError, VersionError};
pub use listing::TreeFile;
pub(crate) use listing::read as read_listing;
pub(crate) use made::{are_there, keep_made};
pub use repository::Repository;
pub use resolve::Pair;
pub use snapshot::Snapshot;
pub use surroundings::surroundings;
pub(crate) use surroundings::{go_work_outside, outer_configuration};
