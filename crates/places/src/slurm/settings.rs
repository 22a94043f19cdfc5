//! How a cluster is used.

use std::time::Duration;

/// How jobs are submitted and followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlurmSettings {
    /// The partition; none: the cluster's default.
    pub partition: Option<String>,
    /// Whether a task has its node to itself. Otherwise it is pinned to `cpus_per_task` cores beside others.
    pub exclusive: bool,
    /// Cores of a task.
    pub cpus_per_task: u32,
    /// Tasks at a time.
    pub parallel: u32,
    /// Duets of one benchmark per task.
    pub repeats: u32,
    /// The longest time of one task; none: what its trials may take at most.
    pub time_limit: Option<Duration>,
    /// More arguments for `sbatch`.
    pub extra: Vec<String>,
    /// The pause between two looks at the directory.
    pub poll: Duration,
    /// The pause between two questions to the controller.
    pub ask: Duration,
    /// How long a controller that does not answer is waited for.
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
