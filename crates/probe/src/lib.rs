//! Source text in, changed source text out: finds the functions of Go, Java and Rust files and edits them so that the
//! program counts their calls or becomes slower in them.
//!
//! 1. [`index`] lists the functions of a file with addresses that people can type, and says which of them cannot be
//!    edited, and why; [`find`] looks an address up;
//! 2. [`edit`] inserts into the bodies of some of them what a [`Change`] asks for. Insertions stand on existing lines,
//!    so that line numbers in messages and profiles stay right, and editing again changes nothing;
//! 3. [`support`] gives the code that the insertions call, one per program, and where it has to be put;
//! 4. the program writes its counters into the directory in [`DIRECTORY_VARIABLE`], one file per process, which
//!    [`read_records`] reads and [`sum`] adds up.
//!
//! This crate reads and writes no files, starts no process and does not know which files belong to a program: its
//! caller walks the directories, numbers the functions, writes the edited files somewhere and builds them. It does not
//! resolve names or types. Which functions are worth slowing down is decided elsewhere, too.

mod edit;
mod find;
mod function;
mod go;
mod index;
mod insertion;
mod java;
mod language;
mod left_alone;
mod record;
mod rust;
mod support;
mod syntax;

pub use edit::{Change, EditError, Edited, Skipped, edit};
pub use find::{FindError, find};
pub use function::{Container, Function};
pub use index::{Index, index};
pub use language::{Language, Target};
pub use record::{Record, RecordError, read_records, sum};
pub use support::{DIRECTORY_VARIABLE, Support, SupportFile, support};
