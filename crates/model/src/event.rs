//! Events that the runner reports.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{BenchmarkId, Diagnostic, Finding, Run, Side, TimeRange, Trial, Version};

/// Why a trial is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// To find out which benchmarks are the same and which are suspects. Includes all duets of a fixed-sample
    /// rule.
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

/// How far a budget gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enough {
    /// The available time.
    pub budget: Duration,
    /// Number of benchmarks that it will decide.
    pub benchmarks: u32,
}

/// Something that happened in a run. Reporters, progress bar and store receive events, and the runner does
/// not depend on them.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A version's files are being built.
    Building {
        /// The side. A run of one version has only head.
        side: Side,
        /// The version.
        version: Box<Version>,
    },
    /// A step of building or listing began.
    Step {
        /// The side.
        side: Side,
        /// The purpose of the step, e.g. `build package encoding/json`.
        purpose: String,
    },
    /// A version is ready to run.
    Built {
        /// The side.
        side: Side,
        /// Number of its benchmarks.
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
        /// Predicted time for all of them, whatever the budget. `None` if nothing is known.
        predicted: Option<TimeRange>,
        /// How far the budget gets, if there is one and it may not be enough for all.
        enough: Option<Enough>,
    },
    /// A phase began.
    PhaseStarted {
        /// The phase.
        phase: Phase,
        /// Number of benchmarks in it.
        benchmarks: u32,
    },
    /// The processes of a duet, or of one repetition, are about to start.
    Measuring {
        /// The benchmark.
        benchmark: BenchmarkId,
        /// Number of the duet or repetition, from 0.
        index: u32,
    },
    /// A trial ended, successfully or not. It is already in the journal.
    TrialFinished(Box<Trial>),
    /// A benchmark left the schedule.
    Decided(Box<Finding>),
    /// The progress of the run, sent after every duet.
    Progress {
        /// Number of benchmarks that left the schedule; in a run of one version, number of processes that
        /// were measured.
        decided: u32,
        /// Number of benchmarks of the run; in a run of one version, of its processes.
        benchmarks: u32,
        /// Number of suspects among those still in the schedule.
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
