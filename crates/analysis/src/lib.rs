//! From duets to verdicts.
//!
//! This is the only crate that uses both the data types (`benchwright-model`) and the statistics (`benchwright-stats`).
//! It is pure: no files, processes or clocks.
//!
//! 1. [`value`] computes one number per process: the median of its iterations after warm-up, or for short slices their
//!    lower decile or median;
//! 2. [`Judge`] takes duets, answers which benchmarks need more of them, and in the end gives a finding for each
//!    metric; it applies one of the [`rules`]: the paired rule (`METHODOLOGY.md`) or that of a paper;
//! 3. [`ThresholdRules`] gives the smallest change that counts for a metric of a benchmark;
//! 4. [`replay`] decides a recorded run again;
//! 5. [`compare_apart`] compares processes that are not duets, such as those in two files;
//! 6. [`predict`] predicts how long a comparison takes;
//! 7. [`instance_noise`] computes how much of the noise is between the instances of a run;
//! 8. [`mod@reduce`] finds the smallest configuration per benchmark that is still accurate;
//! 9. [`agree`] checks whether two runs of the same comparison found the same changes;
//! 10. [`stops`] sums up what stop rules saved, and why they stopped;
//! 11. [`grade`] says how stable a suite is, which slowdowns it finds, and which benchmarks it needs for that.
//!
//! The same `Judge` decides while measuring and when a recorded run is read again: the same duets in the same order
//! always give the same verdicts.

pub mod agree;
mod apart;
mod evidence;
mod exact;
pub mod grade;
mod hypothesis;
mod instances;
mod judge;
pub mod predict;
pub mod reduce;
mod replay;
pub mod rules;
mod shifts;
mod stops;
mod summary;
mod threshold;
pub mod value;

pub use apart::{
    Apart, ApartBenchmark, ApartRule, ApartSettings, ApartSide, FALSE_ALARMS_OF_ONE_PROCESS, compare_apart,
};
pub use instances::{InstanceNoise, instance_noise};
pub use judge::{Judge, JudgeSettings, Round};
pub use replay::{replay, replay_limited};
pub use rules::{Confirm, DecisionRule, DuetLimits, FixedRule, FixedSample, PairedSettings, Rule};
pub use stops::{StopSummary, stops};
pub use threshold::ThresholdRules;
