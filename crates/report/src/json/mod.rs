//! The complete comparison, for programs. The schema is published as `docs/schema/comparison.schema.json`.
//! Within `benchwright.comparison/1` fields are only added.

mod wire;

use std::io::{self, Write};

use benchwright_model::{Comparison, Trial};

pub(crate) use wire::{BenchmarkWire, DiagnosticWire, reason_code};

/// The value of the field `schema` in every document.
pub const SCHEMA_NAME: &str = "benchwright.comparison/1";

/// The JSON Schema of the documents.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/comparison.schema.json");

/// Writes the comparison as one JSON document. `trials` are those of its run; they are only used for the
/// results of stop rules. Changes are ratios (head / base, 1.05 for five per cent more), never percentages.
/// Numbers that are not finite are null.
pub fn write(comparison: &Comparison, trials: &[Trial], out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &wire::ComparisonWire::of(comparison, trials))?;
    writeln!(out)
}
