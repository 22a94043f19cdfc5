//! The common parts of readers.

pub(crate) mod collect;
pub(crate) mod columns;
pub(crate) mod diagnostics;
pub(crate) mod encoding;
mod finish;
pub(crate) mod head;
pub(crate) mod index;
pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod limits;
pub(crate) mod number;
pub(crate) mod statistics;
pub(crate) mod units;

pub(crate) use finish::{NOT_UTF_8, finish_json, finish_text, gather, in_memory, lines, object_in_memory};
