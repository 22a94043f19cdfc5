//! What was measured, on disk: the journal of a run while it goes on, and the store of all runs that ended.
//!
//! 1. [`prepare_directory`] makes the results directory, which hides itself from git;
//! 2. a [`Journal`] takes every trial as it ends and has it on the disk before the next one starts; after a crash
//!    [`Journal::reopen`] gives back all that was finished;
//! 3. when the run ends, [`Store::save`] takes everything over in one transaction and [`Journal::discard`] removes
//!    the journal; [`left_over_journals`] finds those whose run never got there;
//! 4. [`Store::runs`], [`Store::comparison`] and [`Store::load`] give it back, floats bit for bit.
//!
//! The room computes no statistics: numbers derived from trials are stored as they are given, with the version of
//! the program that made them. It knows no harness, no process and no output format, and only here is SQL spoken.
//! Both files hold the model's own records: as JSON in the journal, in columns in the database.

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
