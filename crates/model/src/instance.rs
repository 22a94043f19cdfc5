//! The machine or function instance a trial ran on, if it is not the machine of the run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instance's name: unique among the instances of a run, short, without blanks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstanceId(pub String);

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The facts about an instance, stored once per run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its name.
    pub id: InstanceId,
    /// The kind of place it belongs to: `slurm`, `lambda`.
    pub place: String,
    /// The processor's model. Empty if unknown.
    pub cpu: String,
    /// The architecture: `x86_64`, `aarch64`. Empty if unknown.
    pub arch: String,
    /// Number of cores it may use. 0 if unknown.
    pub cores: u32,
    /// Memory it may use, bytes. 0 if unknown.
    pub memory_bytes: u64,
}

/// The instance on which a trial ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TrialInstance {
    /// The name of the instance.
    pub id: InstanceId,
    /// Whether it belongs to the first call of an instance that had served no request before.
    pub is_cold: bool,
}
