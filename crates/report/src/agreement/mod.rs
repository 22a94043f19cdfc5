//! Whether two runs of the same comparison agree: per benchmark, and in a few numbers.
//!
//! 1. [`AgreementReport`] has all the data, which the caller computes with `analysis::agree`;
//! 2. `words` has the sentences that the formats for people share;
//! 3. `text` and `markdown` are for people, `json` and `csv` for programs; [`Document::write`] calls the right one.

mod csv;
mod json;
mod markdown;
mod text;
mod words;

use std::io::{self, Write};

use benchwright_analysis::agree::{Repeats, TwoRuns};
use benchwright_model::Diagnostic;

use crate::text::TextOptions;
use crate::{Document, Format};

pub use csv::COLUMNS;
pub use json::{SCHEMA, SCHEMA_NAME};

/// The supported formats.
pub const FORMATS: [Format; 4] = [Format::Text, Format::Csv, Format::Json, Format::Markdown];

/// Two runs against each other.
#[derive(Debug, Clone)]
pub struct AgreementReport {
    /// The runs.
    pub runs: [ComparedRun; 2],
    /// How a change is recognised, in one phrase.
    pub by: String,
    /// The findings of the runs.
    pub found: TwoRuns,
    /// The wanted size of intervals.
    pub wanted: WantedInterval,
    /// For each pair of `found`, how many results of the first and of the second run such an interval needs.
    /// `None` if this does not apply.
    pub repeats: Vec<[Option<Repeats>; 2]>,
    /// Whether base and head are the same code in both runs, so that every change found is a false alarm.
    pub is_same_code: bool,
    /// Benchmarks that could not be compared, and doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// The version of benchwright that made the report.
    pub tool_version: String,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedRun {
    /// The title for people: versions and run, or files.
    pub title: String,
    /// The run's id, if it is a stored one.
    pub run: Option<String>,
}

/// The maximum size of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WantedInterval {
    /// That of the first run, if the intervals overlap. It applies to the second run only.
    FirstRun,
    /// This size, as a ratio: upper minus lower end.
    Size(f64),
}

impl Document for AgreementReport {
    const FORMATS: &'static [Format] = &FORMATS;
    const NAME: &'static str = "the agreement of two runs";

    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Csv => csv::write(self, out),
            Format::Json => json::write(self, out),
            Format::Markdown => markdown::write(self, out),
            Format::Text | Format::Html | Format::Benchfmt | Format::Junit => text::write(self, options, out),
        }
    }
}
