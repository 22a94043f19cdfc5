//! Reads `benchwright.toml`, environment variables and flags, and makes validated settings.
//!
//! Every setting has one name. In the file it is a key (`min-duets = 5`), in the environment a variable
//! (`BENCHWRIGHT_MIN_DUETS=5`), on the command line a flag (`--min-duets 5`).
//!
//! 1. [`find_file`] searches for the file from a directory upwards to the root of the repository;
//! 2. [`read_file`] and [`read_text`] turn it into a [`Layer`], which contains only the settings in the file.
//!    Unknown keys (with the nearest known one) and wrong values become a [`FileError`] that shows each of
//!    them in its line;
//! 3. [`read_environment`] makes a layer from variables, and [`Layer::set`] one from flags;
//! 4. [`Layer::over`] combines layers, and [`Settings::resolve`] adds the defaults.
//!
//! This crate does not parse the command line and does not read the environment or the current directory
//! itself: the caller passes them in. Durations, shares and sizes (`1h30m`, `3%`, `16MiB`) are parsed here,
//! also for flags.

mod accepted;
mod decision;
mod definitions;
mod duets;
mod durations;
mod environment;
mod file;
mod files;
mod harness_arguments;
mod lambda;
mod layer;
mod levels;
mod nearest;
mod numbers;
mod output;
mod plan;
mod problem;
mod quoted;
mod schedule;
mod selection;
mod setting;
mod settings;
mod slurm;
mod table;
mod thresholds;
mod trial;
mod value;

pub use accepted::{
    ACCEPTED_FILE_NAME, Accepted, AcceptedError, AcceptedSlowdowns, read_accepted, read_accepted_text,
};
pub use decision::{DecisionSettings, FailOn};
pub use duets::DuetSettings;
pub use durations::{format_duration, parse_duration};
pub use environment::{EnvironmentError, read_environment};
pub use file::{FILE_NAME, FileError, find_file, read_file, read_text};
pub use files::FileSettings;
pub use harness_arguments::HarnessArguments;
pub use lambda::{FunctionArchitecture, LambdaSettings, MemoryRule};
pub use layer::{GivenNumbers, Layer, SettingError};
pub use levels::Levels;
pub use numbers::{parse_ratio, parse_size};
pub use output::Colour;
pub use plan::{
    DuetRange, Goal, PLAN_FILE_NAME, PLAN_FORMAT, Plan, PlanError, PlanSource, PlannedBenchmark, find_plan,
    read_plan, read_plan_text,
};
pub use problem::Problem;
pub use schedule::{Pairing, ScheduleSettings};
pub use selection::SelectionSettings;
pub use setting::{keys, variable_name};
pub use settings::{ConflictError, Settings, default_file, initial_file};
pub use slurm::SlurmSettings;
pub use thresholds::{ThresholdRule, ThresholdTable};
pub use trial::{StopName, TrialSettings};
