//! Events that the runner reports.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{BenchmarkId, Diagnostic, Finding, Run, Side, TimeRange, Trial, Version};

/// Why a trial is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Finding out which benchmarks are the same and which are suspects; all duets of a fixed-sample rule.
    Screening,
    /// Fresh duets for suspects.
    Confirmation,
    /// A repetition of a run of one version.
    Levels,
}

impl Phase {
    /// The word in messages and files.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Screening => "screening",
            Phase::Confirmation => "confirmation",
            Phase::Levels => "levels",
        }
    }
}

/// The benchmarks for which a budget is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enough {
    /// The time there is.
    pub budget: Duration,
    /// How many benchmarks it will decide.
    pub benchmarks: u32,
}

/// Something that happened in a run. Reporters, progress bar and store are consumers of these; the runner depends on
/// none of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A version's files are being built.
    Building {
        /// Which side; a run of one version has only head.
        side: Side,
        /// What is built.
        version: Box<Version>,
    },
    /// A step of building or listing began.
    Step {
        /// Which side.
        side: Side,
        /// What is done, e.g. `build package encoding/json`.
        purpose: String,
    },
    /// A version is ready to run.
    Built {
        /// Which side.
        side: Side,
        /// How many benchmarks it has.
        benchmarks: u32,
        /// Whether everything came from the cache.
        cached: bool,
        /// How long it took.
        took: Duration,
    },
    /// Measuring begins.
    Started {
        /// The run.
        run: Box<Run>,
        /// Benchmarks to measure.
        benchmarks: u32,
        /// Predicted time for all of them, whatever the budget; none if nothing is known.
        predicted: Option<TimeRange>,
        /// What the budget is expected to suffice for, where there is one and it may not suffice for all.
        enough: Option<Enough>,
    },
    /// A phase began.
    PhaseStarted {
        /// Which.
        phase: Phase,
        /// How many benchmarks take part.
        benchmarks: u32,
    },
    /// The processes of a duet, or of one repetition, are about to start.
    Measuring {
        /// Of which benchmark.
        benchmark: BenchmarkId,
        /// Number of the duet or repetition, from 0.
        index: u32,
    },
    /// A trial ended, well or badly. It is in the journal already.
    TrialFinished(Box<Trial>),
    /// A benchmark left the schedule.
    Decided(Box<Finding>),
    /// How far the run is; sent after every duet.
    Progress {
        /// Benchmarks that left the schedule; of a run of one version, processes that were measured.
        decided: u32,
        /// Benchmarks of the run; of a run of one version, its processes.
        benchmarks: u32,
        /// Suspects among those that are still in it.
        suspects: u32,
        /// Predicted time to the end.
        left: Duration,
    },
    /// A diagnostic that does not stop the run.
    Noticed(Diagnostic),
    /// The last event.
    Finished {
        /// Whether it was interrupted or ran out of budget.
        is_partial: bool,
    },
}
