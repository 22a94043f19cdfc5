//! The reduction of a suite: for each benchmark the time before and after, the chosen levels, and the reason.
//!
//! 1. [`ReductionReport`] has all the data, which the caller computes with `analysis::reduce`;
//! 2. `words` has the sentences and numbers that the formats for people share;
//! 3. `text`, `markdown`, `html` are for people, `json` and `csv` for programs; [`Document::write`] calls the right one.

mod csv;
mod html;
mod json;
mod markdown;
mod text;
mod words;

use std::io::{self, Write};

use benchwright_analysis::reduce::{Evaluated, Forecast, Level, Options, Reduction, Why};
use benchwright_model::{BenchmarkId, Diagnostic};

use crate::text::TextOptions;
use crate::{Document, Format};

pub use csv::COLUMNS;
pub use json::{SCHEMA, SCHEMA_NAME};

/// The supported formats.
pub const FORMATS: [Format; 5] = [Format::Text, Format::Csv, Format::Json, Format::Html, Format::Markdown];

/// A reduction of one or several sets of results.
#[derive(Debug, Clone)]
pub struct ReductionReport {
    /// The sources of the values.
    pub sources: Vec<Source>,
    /// The settings of the choice.
    pub options: Options,
    /// Which metric is used, and why: `RMAD, since the code is compiled beforehand`.
    pub metric_note: String,
    /// The reduced benchmarks, in the order of the sources.
    pub benchmarks: Vec<ReducedBenchmark>,
    /// Benchmarks that could not be reduced, and doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// Version of benchwright that reduced.
    pub tool_version: String,
}

/// A set of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The title for people: the file, or the version and run.
    pub title: String,
    /// The name for programs: the file's name without the parts that all such files share, or the run's id.
    pub project: String,
    /// The run's id, if it is a stored one.
    pub run: Option<String>,
}

/// One benchmark.
#[derive(Debug, Clone)]
pub struct ReducedBenchmark {
    /// Its place among the sources.
    pub source: usize,
    /// Its identity.
    pub id: BenchmarkId,
    /// Its name as the source writes it.
    pub name: String,
    /// The metric's name in capitals.
    pub metric: &'static str,
    /// The levels of repetition used for the choice, outermost first.
    pub levels: Vec<Level>,
    /// The choice.
    pub reduction: Reduction,
    /// Why this one.
    pub why: Why,
    /// How many repetitions would be enough, if all were too few.
    pub forecast: Option<Forecast>,
    /// Configurations with their stability, cheapest first. Empty if not requested.
    pub curve: Vec<Evaluated>,
}

impl Document for ReductionReport {
    const FORMATS: &'static [Format] = &FORMATS;
    const NAME: &'static str = "a reduction";

    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Csv => csv::write(self, out),
            Format::Json => json::write(self, out),
            Format::Html => html::write(self, out),
            Format::Markdown => markdown::write(self, out),
            Format::Text | Format::Benchfmt | Format::Junit => text::write(self, options, out),
        }
    }
}

impl ReducedBenchmark {
    /// The repetitions of the levels that may be reduced: `1/3/1`.
    pub fn chosen_levels(&self) -> String {
        self.free(&self.reduction.chosen.configuration.0)
    }

    /// The same for the full configuration.
    pub fn full_levels(&self) -> String {
        self.free(&self.reduction.full.configuration.0)
    }

    fn free(&self, sizes: &[u32]) -> String {
        let free = sizes.iter().zip(&self.levels).filter(|(_, level)| !level.is_kept);
        free.map(|(size, _)| size.to_string()).collect::<Vec<_>>().join("/")
    }

    /// The names of these levels.
    fn level_names(&self) -> String {
        let free = self.levels.iter().filter(|level| !level.is_kept);
        free.map(|level| level.name.as_str()).collect::<Vec<_>>().join("/")
    }

    /// Number of repetitions, one after the other, of the full configuration.
    fn full_repetitions(&self) -> u64 {
        self.reduction.full.configuration.sequential(&self.levels)
    }
}

/// Sums over all benchmarks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Totals {
    before_seconds: f64,
    after_seconds: f64,
    /// Numbers in the order of [`Why::ALL`].
    counts: [usize; Why::ALL.len()],
}

impl Totals {
    fn of(report: &ReductionReport) -> Totals {
        let mut totals = Totals::default();
        for benchmark in &report.benchmarks {
            totals.before_seconds += benchmark.reduction.full.total_seconds();
            totals.after_seconds += benchmark.reduction.chosen.total_seconds();
            let at = Why::ALL.iter().position(|why| *why == benchmark.why);
            if let Some(count) = at.and_then(|at| totals.counts.get_mut(at)) {
                *count += 1;
            }
        }
        totals
    }

    /// The share of the time that is saved. 0 if the time is zero.
    fn saved(&self) -> f64 {
        saved(self.before_seconds, self.after_seconds)
    }
}

fn saved(before: f64, after: f64) -> f64 {
    if before > 0.0 { (before - after) / before } else { 0.0 }
}
