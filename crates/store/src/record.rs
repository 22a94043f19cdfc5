//! The records of the store.

use benchwright_model::{
    Comparison, Diagnostic, Instance, Run, RunId, RunKind, Side, Timestamp, Trial, Version,
};

/// Everything about one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// What was measured, where, when and how.
    pub run: Run,
    /// All trials, failed ones too, in the order they ended.
    pub trials: Vec<Trial>,
    /// What the comparison found; none for a run of one version. Its own `run` is not kept: [`RunRecord::run`] is.
    pub comparison: Option<Comparison>,
    /// The instances its trials ran on; none where all ran on the machine of the run.
    pub instances: Vec<Instance>,
    /// Its builds.
    pub builds: Vec<BuildRecord>,
    /// Diagnostics besides those of the comparison.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the run ended before all of it was measured.
    pub is_partial: bool,
}

/// One project of one version, as it was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRecord {
    /// Of which version.
    pub side: Side,
    /// The harness' name.
    pub harness: String,
    /// The project's directory relative to the repository; empty for the root.
    pub dir: String,
    /// The build's key in the cache of builds.
    pub key: String,
    /// The tool chain in its own words.
    pub toolchain: String,
    /// The executables.
    pub executables: Vec<ExecutableRecord>,
}

/// One executable of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutableRecord {
    /// The package whose benchmarks it holds.
    pub package: String,
    /// Digest of its content.
    pub digest: String,
}

/// One run in a list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its name.
    pub id: RunId,
    /// Which command made it.
    pub kind: RunKind,
    /// The command line, program name first.
    pub command: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; none where it was killed.
    pub ended_at: Option<Timestamp>,
    /// The old version; none for a run of one version.
    pub base: Option<Version>,
    /// The new version, or the only one.
    pub head: Version,
    /// Whether the run ended before all of it was measured.
    pub is_partial: bool,
    /// How many benchmarks have a trial or a finding.
    pub benchmarks: u32,
    /// How many trials there are.
    pub trials: u32,
    /// How its findings are distributed.
    pub verdicts: VerdictCounts,
}

/// How many findings have which verdict. Findings that are only shown (counts that vary) do not count.
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
