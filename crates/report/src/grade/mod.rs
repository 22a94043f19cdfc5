//! How good a suite is: its extent, how stable it is, which slowdowns it finds, and whether a gate with it works.
//!
//! 1. [`GradeReport`] is everything there is to show, made by the caller from `analysis::grade`; every part may be missing;
//! 2. `words` has the sentences that the formats for people share;
//! 3. `text` and `html` are for people, `json` for programs.

mod html;
mod json;
mod text;
mod words;

use std::io::{self, Write};

use benchwright_analysis::grade::{Cell, Scores, Stability};
use benchwright_model::Diagnostic;

use crate::text::TextOptions;
use crate::{Document, Format};

pub use json::{SCHEMA, SCHEMA_NAME};

/// The formats that a grade can be written in.
pub const FORMATS: [Format; 3] = [Format::Text, Format::Json, Format::Html];

/// What is known of a suite.
#[derive(Debug, Clone, Default)]
pub struct GradeReport {
    /// The version, or the files.
    pub title: String,
    /// How large the suite is.
    pub extent: Option<Extent>,
    /// How stable it is: one table per environment.
    pub stability: Vec<StabilityTable>,
    /// Which slowdowns it finds.
    pub api: Option<Api>,
    /// A choice of benchmarks.
    pub selection: Option<Selection>,
    /// Whether a gate with it works.
    pub gate: Option<GateTrial>,
    /// What went wrong, and doubts.
    pub diagnostics: Vec<Diagnostic>,
    /// Version of benchwright that graded.
    pub tool_version: String,
}

/// How large a suite is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extent {
    /// How many benchmarks there are.
    pub benchmarks: usize,
    /// How many packages they are in.
    pub packages: usize,
    /// How many benchmarks belong to which harness.
    pub harnesses: Vec<(String, usize)>,
    /// Seconds that each run of the suite took.
    pub runs: Vec<f64>,
    /// The benchmarks that take most time, with their share of it.
    pub dearest: Vec<(String, f64)>,
    /// Seconds that a comparison takes: at least, probably, at most. None if it was not predicted.
    pub comparison: Option<[f64; 3]>,
    /// How many benchmarks a comparison decides in so many seconds.
    pub budgets: Vec<(f64, u32)>,
}

/// How stable a suite is in one environment.
#[derive(Debug, Clone, PartialEq)]
pub struct StabilityTable {
    /// Where the values come from.
    pub title: String,
    /// The machine.
    pub environment: String,
    /// How often the suite was run.
    pub runs: usize,
    /// Duets that a comparison can afford for each benchmark.
    pub duets: u32,
    /// The budget they follow from, in seconds.
    pub budget: Option<f64>,
    /// How many benchmarks are in which class.
    pub classes: Vec<(&'static str, usize)>,
    /// The largest spread without the worst twentieth.
    pub spread_95: f64,
    /// Benchmarks with results in all runs, the least stable first.
    pub benchmarks: Vec<(String, Stability)>,
    /// The others, with what is missing.
    pub left_out: Vec<(String, String)>,
}

/// Which slowdowns of the public functions a suite finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Api {
    /// By how much functions were slowed down, as a share of their time.
    pub slowdown: f64,
    /// Why by so much.
    pub slowdown_note: String,
    /// Where the functions come from.
    pub functions_note: String,
    /// The functions, those that are used most first.
    pub functions: Vec<ApiFunction>,
    /// The benchmarks.
    pub benchmarks: Vec<ApiBenchmark>,
    /// One row per function, one cell per benchmark: by benchwright's rule.
    pub cells: Vec<Vec<Cell>>,
    /// The score by benchwright's rule.
    pub scores: Option<Scores>,
    /// The score by the paper's tests.
    pub published_scores: Option<Scores>,
    /// The smallest set of benchmarks that finds as much, by number.
    pub needed: Vec<usize>,
    /// Whether no smaller set does.
    pub is_smallest: bool,
    /// What sets of benchmarks find: seconds of one run, and functions found; cheapest first.
    pub curve: Vec<(f64, usize)>,
    /// How many sets of functions were slowed down at the same time.
    pub groups: usize,
    /// Seconds that were spent on all this.
    pub seconds: f64,
    /// Seconds that running the whole suite twice per function and twice as it is takes.
    pub naive_seconds: f64,
    /// Functions that could not be slowed down, and why.
    pub skipped: Vec<(String, String)>,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ApiFunction {
    /// Its address.
    pub address: String,
    /// Its share of the calls of each client, added up; none if the user named it.
    pub weight: Option<f64>,
    /// Whether a benchmark became slower by benchwright's rule.
    pub is_covered: bool,
    /// The same by the paper's tests.
    pub is_covered_as_published: bool,
    /// What the slowdown became in fact, as a share of the function's time; more for very short functions.
    pub real_slowdown: Option<f64>,
}

/// A benchmark.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ApiBenchmark {
    /// Its name.
    pub name: String,
    /// Its largest spread between runs, if known.
    pub max_spread: Option<f64>,
    /// Seconds of one run of it.
    pub seconds: f64,
}

/// A choice of benchmarks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection {
    /// The goal in words.
    pub goal: String,
    /// Names of those that are kept.
    pub kept: Vec<String>,
    /// Seconds of one run of them, and of all.
    pub seconds: [f64; 2],
    /// Functions that they find or call, and that all of them do.
    pub covered: [usize; 2],
    /// Functions that are lost.
    pub lost: Vec<String>,
    /// Whether no choice is better.
    pub is_best: bool,
}

impl Selection {
    /// The value of `--filter` that chooses exactly these benchmarks.
    pub fn filter(&self) -> String {
        const SPECIAL: &str = r"\.+*?()|[]{}^$#&-~";
        let escaped = |name: &String| {
            let mut text = String::new();
            for letter in name.chars() {
                text.extend(SPECIAL.contains(letter).then_some('\\'));
                text.push(letter);
            }
            text
        };
        format!("^({})$", self.kept.iter().map(escaped).collect::<Vec<_>>().join("|"))
    }
}

/// What became of a gate with slowed and with unchanged code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GateTrial {
    /// The function that was slowed down.
    pub function: String,
    /// Slowdowns that were tried, smallest first.
    pub slowdowns: Vec<TriedSlowdown>,
    /// How often the gate failed with unchanged code, and how often it was tried.
    pub false_alarms: (u32, u32),
    /// How often the gate passed although it could not see, with unchanged or slowed code.
    pub blind: u32,
    /// Seconds of one comparison.
    pub seconds: f64,
    /// What the gate was told to do.
    pub settings: String,
}

/// A slowdown of a gate's trial.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TriedSlowdown {
    /// Its size, as a share of the function's time.
    pub slowdown: f64,
    /// What it became in fact; more for very short functions.
    pub real: Option<f64>,
    /// How often the gate failed.
    pub failed: u32,
    /// How often it was tried.
    pub tried: u32,
}

impl GateTrial {
    /// The smallest slowdown that always made the gate fail, of those from which on all did.
    pub fn smallest_seen(&self) -> Option<f64> {
        let always = self.slowdowns.iter().rev().take_while(|it| it.failed == it.tried && it.tried > 0);
        always.last().map(|it| it.real.unwrap_or(it.slowdown))
    }
}

impl Document for GradeReport {
    const FORMATS: &'static [Format] = &FORMATS;
    const NAME: &'static str = "a grade";

    fn write(&self, format: Format, options: &TextOptions, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Json => json::write(self, out),
            Format::Html => html::write(self, out),
            _ => text::write(self, options, out),
        }
    }
}
