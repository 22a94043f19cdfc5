//! A description of this machine, and how well it can measure.
//!
//! 1. [`environment`] has the processor, cores, memory and system: the facts stored with every run;
//! 2. [`checks`] examines what can make measurements noisy or wrong (frequencies, load, limits, clocks) and
//!    reports what was found, what it means and what to do;
//! 3. [`noise_floor`] times a fixed computation repeatedly and reports which differences this machine cannot
//!    show at this moment.
//!
//! Everything is read from files below a root, [`SystemFiles`], so that tests can use simulated machines.
//! What a system does not show is unknown; nothing here fails.

mod check;
mod checks;
mod control_group;
mod environment;
mod frequency;
mod noise;
mod platform;
mod pressure;
mod processor;
mod system_files;

#[cfg(test)]
mod test_machine;

pub use check::{Check, State};
pub use checks::{checks, checks_of};
pub use environment::{environment, environment_of};
pub use noise::{NoiseFloor, noise_floor};
pub use pressure::available_memory;
pub use system_files::SystemFiles;
