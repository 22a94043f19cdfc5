//! What the numbers mean: from duets to verdicts.
//!
//! This is the only room where nouns (`benchwright-model`) and statistics (`benchwright-stats`) meet. It is pure:
//! data in, findings out; no file, process or clock.
//!
//! 1. [`value`] makes one number of a process: the median of its iterations after warm-up;
//! 2. [`Judge`] is fed duets, says which benchmarks need more of them, and in the end has a finding for each
//!    metric; it carries out the paired rule (`METHODOLOGY.md`) or, by name, a paper's [`FixedRule`];
//! 3. [`ThresholdRules`] says from which change on a metric of a benchmark counts;
//! 4. [`replay`] decides a recorded run again;
//! 5. [`compare_apart`] compares processes that were measured apart, in files for example, where there are no duets;
//! 6. [`predict`] says beforehand how long that will take;
//! 7. [`instance_noise`] says how much of the noise lies between the instances that a run was spread over;
//! 8. [`mod@reduce`] finds the smallest configuration per benchmark that still tells the truth;
//! 9. [`agree`] says whether two runs of the same comparison found the same;
//! 10. [`stops`] says what stop rules saved, and why they stopped.
//!
//! The same `Judge` decides while measuring and when a recorded run is read again: the same duets in the same order
//! always give the same verdicts.

pub mod agree;
mod apart;
mod evidence;
mod exact;
mod fixed;
mod hypothesis;
mod instances;
mod judge;
mod paired;
pub mod predict;
pub mod reduce;
mod replay;
mod shifts;
mod stops;
mod summary;
mod threshold;
pub mod value;

pub use apart::{
    Apart, ApartBenchmark, ApartRule, ApartSettings, ApartSide, FALSE_ALARMS_OF_ONE_PROCESS, compare_apart,
};
pub use fixed::FixedRule;
pub use instances::{InstanceNoise, instance_noise};
pub use judge::{DuetLimits, Judge, JudgeSettings, Round, Rule};
pub use paired::{Confirm, PairedSettings};
pub use replay::{replay, replay_limited};
pub use stops::{StopSummary, stops};
pub use threshold::ThresholdRules;
