//! The settings of a Slurm cluster: the table `[slurm]`.

use std::time::Duration;

use crate::problem::Remark;
use crate::setting::Setting;
use crate::value::Value;

/// All settings of a Slurm cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlurmSettings {
    /// The partition. `None` means the cluster's default.
    pub partition: Option<String>,
    /// Whether a task has its node to itself.
    pub exclusive: bool,
    /// Cores of a task.
    pub cpus_per_task: u32,
    /// Tasks at a time.
    pub parallel: u32,
    /// Duets of one benchmark per task.
    pub repeats: u32,
    /// Time limit of a task. `None` computes it from the limits of its trials.
    pub time_limit: Option<Duration>,
    /// More arguments for `sbatch`.
    pub extra: Vec<String>,
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
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SlurmLayer {
    partition: Option<String>,
    exclusive: Option<bool>,
    cpus_per_task: Option<u32>,
    parallel: Option<u32>,
    repeats: Option<u32>,
    time_limit: Option<Duration>,
    extra: Option<Vec<String>>,
}

impl SlurmLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        SlurmLayer {
            partition: self.partition.or(weaker.partition),
            exclusive: self.exclusive.or(weaker.exclusive),
            cpus_per_task: self.cpus_per_task.or(weaker.cpus_per_task),
            parallel: self.parallel.or(weaker.parallel),
            repeats: self.repeats.or(weaker.repeats),
            time_limit: self.time_limit.or(weaker.time_limit),
            extra: self.extra.or(weaker.extra),
        }
    }

    pub(crate) fn resolve(self) -> SlurmSettings {
        let default = SlurmSettings::default();
        SlurmSettings {
            partition: self.partition,
            exclusive: self.exclusive.unwrap_or(default.exclusive),
            cpus_per_task: self.cpus_per_task.unwrap_or(default.cpus_per_task),
            parallel: self.parallel.unwrap_or(default.parallel),
            repeats: self.repeats.unwrap_or(default.repeats),
            time_limit: self.time_limit,
            extra: self.extra.unwrap_or(default.extra),
        }
    }
}

pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "slurm.partition",
        apply: |layer, value, remarks| {
            layer.slurm.partition = remarks.keep(value.text("the name of a partition in quotes"));
        },
    },
    Setting {
        key: "slurm.exclusive",
        apply: |layer, value, remarks| layer.slurm.exclusive = remarks.keep(flag(value)),
    },
    Setting {
        key: "slurm.cpus-per-task",
        apply: |layer, value, remarks| {
            layer.slurm.cpus_per_task = remarks.keep(value.count("a whole number from 1 to 1024", 1..=1024));
        },
    },
    Setting {
        key: "slurm.parallel",
        apply: |layer, value, remarks| {
            layer.slurm.parallel = remarks.keep(value.count("a whole number from 1 to 10000", 1..=10_000));
        },
    },
    Setting {
        key: "slurm.repeats",
        apply: |layer, value, remarks| {
            layer.slurm.repeats = remarks.keep(value.count("a whole number from 1 to 100", 1..=100));
        },
    },
    Setting {
        key: "slurm.time-limit",
        apply: |layer, value, remarks| {
            let limit = value.duration("a duration of at least a minute", Duration::from_secs(60)..);
            layer.slurm.time_limit = remarks.keep(limit);
        },
    },
    Setting {
        key: "slurm.extra",
        apply: |layer, value, remarks| layer.slurm.extra = remarks.keep(arguments(value)),
    },
];

/// A truth value, or its word in an environment variable.
fn flag(value: &Value) -> Result<bool, Remark> {
    match value.as_text() {
        Some(_) => value.choice(&[("true", true), ("false", false)]),
        None => value.flag(),
    }
}

fn arguments(value: &Value) -> Result<Vec<String>, Remark> {
    const WHAT: &str = "arguments such as `[\"--account=bench\"]`";
    value.list(WHAT, &[' '])?.iter().map(|argument| argument.text(WHAT)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layer, read_text};

    #[test]
    fn every_key_changes_its_own_setting() {
        let text = "[slurm]\npartition = \"bench\"\nexclusive = false\ncpus-per-task = 4\nparallel = 8\n\
                    repeats = 5\ntime-limit = \"10m\"\nextra = [\"--account=x\"]\n";
        let expected = SlurmSettings {
            partition: Some("bench".into()),
            exclusive: false,
            cpus_per_task: 4,
            parallel: 8,
            repeats: 5,
            time_limit: Some(Duration::from_secs(600)),
            extra: vec!["--account=x".into()],
        };
        assert_eq!(read_text("f", text).expect("right").slurm.resolve(), expected);
        assert_eq!(SETTINGS.len(), text.lines().count() - 1);
    }

    #[test]
    fn the_environment_wins_over_the_file_key_by_key() {
        let file = read_text("f", "[slurm]\nparallel = 8\nrepeats = 5\n").expect("right");
        let mut words = Layer::default();
        words.set("slurm.parallel", "2").expect("a number");
        words.set("slurm.exclusive", "false").expect("a truth value");
        words.set("slurm.extra", "--account=x --qos=y").expect("arguments");
        let settings = words.over(file).slurm.resolve();
        assert_eq!((settings.parallel, settings.repeats, settings.exclusive), (2, 5, false));
        assert_eq!(settings.extra, ["--account=x", "--qos=y"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let check =
            |key: &str, value: &str| assert!(Layer::default().set(key, value).is_err(), "{key} {value}");
        check("slurm.parallel", "0");
        check("slurm.time-limit", "5s");
        check("slurm.exclusive", "perhaps");
    }
}
