//! Results on disk: the journal of a run while it goes on, and the store of all runs that ended.
//!
//! 1. [`prepare_directory`] makes the results directory, which git ignores;
//! 2. a [`Journal`] writes every trial when it ends, before the next one starts. After a crash
//!    [`Journal::reopen`] returns all finished trials;
//! 3. when the run ends, [`Store::save`] stores everything in one transaction, and [`Journal::discard`]
//!    removes the journal. [`left_over_journals`] finds the journals of interrupted runs;
//! 4. [`Store::runs`], [`Store::comparison`] and [`Store::load`] read the data back, with floats bit for bit.
//!
//! This crate computes no statistics: derived numbers are stored as they are given, with the version of the
//! program that computed them. It uses no harness, process or output format, and is the only crate with SQL.
//! The journal holds records of `benchwright-model` as JSON, the store in columns.

mod checksum;
mod columns;
mod directory;
mod error;
mod exact;
mod journal;
mod list;
mod load;
mod record;
mod save;
mod schema;
mod store;
mod text;

#[cfg(test)]
mod arbitrary;

pub use directory::{journal_path, left_over_journals, prepare_directory};
pub use error::StoreError;
pub use journal::{Journal, JournalContent, JournalError, JournalHeader};
pub use record::{BuildRecord, ExecutableRecord, RunRecord, RunRow, VerdictCounts};
pub use store::Store;
