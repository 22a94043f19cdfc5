//! Raw samples of a run, in three formats of our own: every value with everything that says where it stands.
//!
//! A file of a comparison holds both versions: base is the first set of results that are read, head the last.

mod columns;
pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod parquet;
mod row;
mod rows;
mod sets;

pub use json::{SCHEMA, SCHEMA_NAME};
pub(crate) use row::version;
