//! The complete result of one comparison.

use serde::{Deserialize, Serialize};

use crate::{BenchmarkId, Diagnostic, FailureKind, Finding, Run, Side};

/// The result of `compare`, complete or interrupted.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The run: what was compared, where, when and how.
    pub run: Run,
    /// Name of the decision rule, as given to `--rule`.
    pub rule: String,
    /// One sentence on the rule's unit of data, e.g. `20 % trimmed mean of paired log-ratios of processes`.
    pub rule_note: String,
    /// One finding per benchmark and metric, in the order of the suite.
    pub findings: Vec<Finding>,
    /// Benchmarks only head has.
    pub added: Vec<BenchmarkId>,
    /// Benchmarks only base has.
    pub removed: Vec<BenchmarkId>,
    /// Trials that failed, by benchmark and side.
    pub failures: Vec<FailureSummary>,
    /// Diagnostics about the run as a whole, and about bad input.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the run ended before every benchmark was decided (interrupt, budget).
    pub is_partial: bool,
}

/// Failed trials of one benchmark on one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSummary {
    /// The benchmark.
    pub benchmark: BenchmarkId,
    /// The version.
    pub side: Side,
    /// Number of trials that failed.
    pub trials: u32,
    /// How the last of them failed.
    pub kind: FailureKind,
    /// Its message or the end of its output.
    pub detail: String,
}
