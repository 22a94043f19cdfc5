//! Data types and events of benchwright: plain data and their invariants.
//!
//! All other crates use these types; GLOSSARY.md explains the terms. This crate uses no files, processes,
//! clocks or databases. Types are stored and sent through serde, so the names of fields and variants are a
//! file format: new fields get a default, and existing ones never change their meaning. Statistics are in
//! `benchwright-stats`, verdicts in `benchwright-analysis`.
//!
//! How these types are used:
//!
//! 1. a [`Version`] of the repository is built, and its [`BenchmarkId`]s are found;
//! 2. a [`Trial`] is one fresh process of one benchmark of one version, with its raw [`Series`];
//! 3. two trials, one per [`Side`], make a duet; the runner reports both as [`Event`]s;
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
