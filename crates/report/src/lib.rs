//! Shows what a comparison found, one file per format.
//!
//! Every format is a function from a [`Comparison`](benchwright_model::Comparison) (and, where raw values are
//! wanted, the run's trials) to text in a writer it is given:
//!
//! 1. [`Format`] names the formats and calls the right one;
//! 2. `overview` counts and sorts once what the formats for people share: changed findings first, the rest after;
//! 3. [`scale`] is the only place where a number becomes text for people, `escape` the only one where a name
//!    becomes part of XML, HTML, Markdown or a terminal line;
//! 4. [`text`], [`markdown`], [`html`] are for people; [`json`], [`csv`], [`junit`] for programs; [`benchfmt`]
//!    hands raw values to Go's tools; [`levels`] shows a run of one version, [`reduction`] what a suite can
//!    do without, [`compare_plan`] how it is best compared, [`agreement`] whether two runs say the same;
//! 5. [`export`] hands a run to other programs: raw samples, and summaries for dashboards;
//! 6. [`steady`] draws the series of single processes with their steady part.
//!
//! The room does not know where its output goes: it opens no file, prints nothing and asks no terminal for its
//! width or colours; both come as parameters. It decides nothing either: verdicts, intervals and what fails come
//! from analysis as they are, and numbers here are only medians for display.

mod basis;
mod escape;
mod format;
mod legend;
mod overview;
mod stops;

pub mod agreement;
pub mod benchfmt;
pub mod compare_plan;
pub mod csv;
pub mod evaluation;
pub mod export;
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
pub use format::{Format, UnknownFormat};
pub use overview::{cause_in, summary_line};
