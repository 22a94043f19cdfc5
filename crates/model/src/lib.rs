//! Nouns and events of benchwright: plain data and their invariants.
//!
//! Every other crate uses these words (GLOSSARY.md explains them). The crate knows no file, process,
//! clock or database: a type here is built by whoever measured or read something and is handed on as it is. What is kept
//! or sent is written by serde, and the names of its fields and variants are a file format: fields are added with a default,
//! and never change their meaning. Statistics live in `benchwright-stats`, their meaning in `benchwright-analysis`.
//!
//! The way of the data through these types:
//!
//! 1. a [`Version`] of the repository is built; its [`BenchmarkId`]s are found;
//! 2. a [`Trial`] is one fresh process of one benchmark of one version, with its raw [`Series`];
//! 3. two trials, one per [`Side`], make a duet; the runner tells of both as [`Event`]s;
//! 4. analysis turns the duets of a benchmark into a [`Finding`] with a [`Verdict`] and its [`Reason`];
//! 5. all findings of a [`Run`] are a [`Comparison`], which reports show.

mod benchmark;
mod comparison;
mod diagnostic;
mod event;
mod finding;
mod instance;
mod metric;
mod run;
mod sample_kind;
mod stopped;
mod time_range;
mod trial;
mod version;
pub mod wire;

pub use benchmark::BenchmarkId;
pub use comparison::{Comparison, FailureSummary};
pub use diagnostic::{Diagnostic, Severity, TextPosition};
pub use event::{Enough, Event, Phase};
pub use finding::{Effect, Finding, Reason, Summary, Thresholds, Verdict};
pub use instance::{Instance, InstanceId, TrialInstance};
pub use metric::{Direction, Metric, Nature, Unit};
pub use run::{Environment, Run, RunId, RunKind, Timestamp};
pub use sample_kind::SampleKind;
pub use stopped::{Configured, Stopped, WarmupEnd};
pub use time_range::TimeRange;
pub use trial::{Failure, FailureKind, Measurement, Outcome, Position, Series, Trial, Usage};
pub use version::{Side, Version};
