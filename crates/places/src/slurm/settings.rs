//! The settings of a cluster.

use std::time::Duration;

/// How jobs are submitted and monitored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlurmSettings {
    /// The partition. `None` means the cluster's default.
    pub partition: Option<String>,
    /// Whether a task has its node to itself. Otherwise it is pinned to `cpus_per_task` cores and shares the
    /// node.
    pub exclusive: bool,
    /// Cores of a task.
    pub cpus_per_task: u32,
    /// Tasks at a time.
    pub parallel: u32,
    /// Duets of one benchmark per task.
    pub repeats: u32,
    /// Time limit of one task. `None` computes it from the limits of its trials.
    pub time_limit: Option<Duration>,
    /// More arguments for `sbatch`.
    pub extra: Vec<String>,
    /// The pause between two checks of the directory.
    pub poll: Duration,
    /// The pause between two questions to the controller.
    pub ask: Duration,
    /// How long to wait for a controller that does not answer.
    pub patience: Duration,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        SlurmSettings {
            partition: None,
            exclusive: true,
            cpus_per_task: 2,
            parallel: 32,
            repeats: 3,
            time_limit: None,
            extra: Vec::new(),
            poll: Duration::from_millis(200),
            ask: Duration::from_secs(5),
            patience: Duration::from_secs(600),
        }
    }
}
