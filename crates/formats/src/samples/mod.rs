//! Raw samples of a run, in three formats of benchwright: every value with its complete position.
//!
//! A file of a comparison contains both versions: base is the first set of results, head the last.

mod columns;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod parquet;
mod row;
mod rows;
mod sets;

pub use json::{SCHEMA, SCHEMA_NAME};
pub(crate) use row::version;
