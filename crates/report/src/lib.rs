//! Shows the result of a comparison, with one file per format.
//!
//! Every format is a function that writes a [`Comparison`](benchwright_model::Comparison), and the run's
//! trials if it needs raw values, as text to a given writer:
//!
//! 1. [`Format`] names the formats and calls the right one;
//! 2. `overview` counts and sorts what the formats for people share: changed findings first;
//! 3. [`scale`] is the only place where a number becomes text for people, `escape` the only one where a name
//!    becomes part of XML, HTML, Markdown or a terminal line;
//! 4. [`text`], [`markdown`] and [`html`] are for people; [`json`], [`csv`] and [`junit`] for programs; [`benchfmt`]
//!    writes raw values for Go's tools; [`levels`] shows a run of one version, [`reduction`] a plan for stability,
//!    [`compare_plan`] a plan for comparisons, [`agreement`] whether two runs agree, [`grade`] how good a suite is;
//! 5. [`summaries`] are the numbers that formats of other programs keep; `benchwright-formats` writes those;
//! 6. [`steady`] draws the series of single processes with their steady part.
//!
//! This crate opens no file, prints nothing and does not ask the terminal for its width or colours; both are
//! parameters. It decides nothing: verdicts, intervals and failures come from the analysis, and the numbers
//! computed here are only medians for display.

mod basis;
mod escape;
mod format;
pub mod gate;
mod legend;
mod overview;
mod remarks;
mod stops;
mod summaries;

pub mod agreement;
pub mod benchfmt;
pub mod compare_plan;
pub mod csv;
pub mod evaluation;
pub mod grade;
pub mod html;
pub mod json;
pub mod junit;
pub mod levels;
pub mod markdown;
pub mod reduction;
pub mod scale;
pub mod steady;
pub mod text;

pub use escape::{terminal as visible_line, visible};
pub use format::{Document, Format, UnknownFormat};
pub use overview::{cause_in, summary_line};
pub use summaries::summaries;
