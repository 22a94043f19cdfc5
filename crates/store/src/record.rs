//! The records of the store.

use benchwright_model::{
    Comparison, Diagnostic, Instance, Run, RunId, RunKind, Side, Timestamp, Trial, Version,
};

/// Everything about one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// The run: what was measured, where, when and how.
    pub run: Run,
    /// All trials, including failed ones, in the order in which they ended.
    pub trials: Vec<Trial>,
    /// The findings of the comparison. `None` for a run of one version. Its own `run` is not stored, because
    /// [`RunRecord::run`] is.
    pub comparison: Option<Comparison>,
    /// The instances its trials ran on. Empty if all ran on the machine of the run.
    pub instances: Vec<Instance>,
    /// Its builds.
    pub builds: Vec<BuildRecord>,
    /// Diagnostics in addition to those of the comparison.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the run ended before all of it was measured.
    pub is_partial: bool,
}

/// One project of one version, as it was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRecord {
    /// The version.
    pub side: Side,
    /// The harness' name.
    pub harness: String,
    /// The project's directory relative to the repository. Empty for the root.
    pub dir: String,
    /// The build's key in the cache of builds.
    pub key: String,
    /// The tool chain, as it names itself.
    pub toolchain: String,
    /// The executables.
    pub executables: Vec<ExecutableRecord>,
}

/// One executable of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutableRecord {
    /// The package of its benchmarks.
    pub package: String,
    /// Digest of its content.
    pub digest: String,
}

/// One run in a list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its name.
    pub id: RunId,
    /// The kind of run.
    pub kind: RunKind,
    /// The command line, program name first.
    pub command: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended. `None` if it was killed.
    pub ended_at: Option<Timestamp>,
    /// The old version. `None` for a run of one version.
    pub base: Option<Version>,
    /// The new version, or the only one.
    pub head: Version,
    /// Whether the run ended before all of it was measured.
    pub is_partial: bool,
    /// Number of benchmarks that have a trial or a finding.
    pub benchmarks: u32,
    /// Number of trials.
    pub trials: u32,
    /// Number of findings per verdict.
    pub verdicts: VerdictCounts,
}

/// Number of findings per verdict. Findings that are only shown (counts that vary) are not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerdictCounts {
    /// Slower.
    pub slower: u32,
    /// Faster.
    pub faster: u32,
    /// Changed, in a metric without direction.
    pub changed: u32,
    /// Same.
    pub same: u32,
    /// Undecided.
    pub undecided: u32,
    /// Not measured.
    pub not_measured: u32,
    /// Findings, of any verdict, that made the command fail.
    pub failing: u32,
}
