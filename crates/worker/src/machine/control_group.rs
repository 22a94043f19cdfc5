//! The limits of the control group of this process (containers, CI runners).

use super::check::{Check, State};
use super::system_files::SystemFiles;

/// The limits of the control group, and how often they were reached.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Limits {
    /// CPU time per wall time, 1.5 for one and a half cores. `None` if not limited.
    pub(super) cpus: Option<f64>,
    /// How often processes of the group were stopped because they had reached the limit.
    pub(super) throttled: Option<f64>,
    /// Whether any control group with a CPU controller was found.
    pub(super) is_visible: bool,
}

/// Reads the limits of version 2 if it is present, otherwise of version 1.
pub(super) fn limits(files: &SystemFiles) -> Limits {
    let unified = path_of(files, "");
    let legacy = path_of(files, "cpu");
    let second = unified.map(|path| gather(&levels("/sys/fs/cgroup", &path), &|at| version_2(files, at)));
    let first = || {
        let mounts = ["/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu"];
        let mount = mounts.into_iter().find(|mount| files.exists(mount))?;
        Some(gather(&levels(mount, &legacy.unwrap_or("/".into())), &|at| version_1(files, at)))
    };
    second.filter(|limits| limits.is_visible).or_else(first).unwrap_or_default()
}

/// The path of the group that has the controller. An empty name means version 2.
fn path_of(files: &SystemFiles, controller: &str) -> Option<String> {
    let groups = files.text("/proc/self/cgroup")?;
    let mut lines = groups.lines().filter_map(|line| line.splitn(3, ':').collect::<Vec<_>>().try_into().ok());
    let has_it = |[_, controllers, _]: &[&str; 3]| controllers.split(',').any(|name| name == controller);
    lines.find(has_it).map(|[_, _, path]| path.to_string())
}

/// Bytes that processes of the group may still allocate, according to its tightest level. `None` if there is
/// no limit.
pub(super) fn memory_left(files: &SystemFiles) -> Option<f64> {
    let second = levels("/sys/fs/cgroup", &path_of(files, "").unwrap_or_default());
    let first = levels("/sys/fs/cgroup/memory", &path_of(files, "memory").unwrap_or_default());
    let left = |at: &String, [limit, usage, cache]: [&str; 3]| {
        let limit = files.number(&format!("{at}/{limit}"))?;
        let stat = files.text(&format!("{at}/memory.stat"));
        // Cached files count as used, but are dropped if necessary.
        let cached = number_after(stat.as_deref(), cache).unwrap_or(0.0);
        Some((limit - files.number(&format!("{at}/{usage}"))? + cached).max(0.0))
    };
    let second = second.iter().filter_map(|at| left(at, ["memory.max", "memory.current", "inactive_file"]));
    let names = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
    second.chain(first.iter().filter_map(|at| left(at, names))).reduce(f64::min)
}

/// The directories from the group up to the mount point, because every level may have a limit. Inside a
/// container the path is often that of the host and does not exist, so only the mount point is used.
fn levels(mount: &str, path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    (0..=parts.len()).rev().map(|depth| [&[mount], &parts[..depth]].concat().join("/")).collect()
}

/// The tightest limit of all levels, and the throttling of the innermost level that has it.
fn gather(levels: &[String], read: &dyn Fn(&str) -> Limits) -> Limits {
    levels.iter().map(|level| read(level)).fold(Limits::default(), |inner, outer| Limits {
        cpus: match (inner.cpus, outer.cpus) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        throttled: inner.throttled.or(outer.throttled),
        is_visible: inner.is_visible || outer.is_visible,
    })
}

fn version_2(files: &SystemFiles, at: &str) -> Limits {
    let max = files.text(&format!("{at}/cpu.max"));
    let stat = files.text(&format!("{at}/cpu.stat"));
    let cpus = max.as_deref().and_then(|text| {
        let (quota, period) = text.split_once(' ')?;
        quotient(quota.parse().ok()?, period.trim().parse().ok()?)
    });
    Limits { cpus, throttled: throttled(stat.as_deref()), is_visible: max.is_some() || stat.is_some() }
}

fn version_1(files: &SystemFiles, at: &str) -> Limits {
    let quota = files.number(&format!("{at}/cpu.cfs_quota_us"));
    let period = files.number(&format!("{at}/cpu.cfs_period_us"));
    let stat = files.text(&format!("{at}/cpu.stat"));
    let cpus = quota.zip(period).and_then(|(quota, period)| quotient(quota, period));
    Limits { cpus, throttled: throttled(stat.as_deref()), is_visible: quota.is_some() || stat.is_some() }
}

/// Version 1 writes -1 for no limit.
fn quotient(quota: f64, period: f64) -> Option<f64> {
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

fn throttled(stat: Option<&str>) -> Option<f64> {
    number_after(stat, "nr_throttled")
}

fn number_after(stat: Option<&str>, name: &str) -> Option<f64> {
    let mut pairs = stat?.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(key, _)| *key == name).and_then(|(_, value)| value.trim().parse().ok())
}

/// Checks the limits.
pub(super) fn check(files: &SystemFiles) -> Check {
    const NAME: &str = "cpu limit";
    let limits = limits(files);
    let throttled = limits.throttled.filter(|count| *count > 0.0);
    let Some(cpus) = limits.cpus else {
        return match limits.is_visible {
            true => {
                Check::new(NAME, State::Good, "none", "No control group stops processes for using CPU time.")
            }
            false => Check::unknown(NAME, "Whether a container limits CPU time cannot be seen."),
        };
    };
    let state = if cpus < 1.0 { State::Bad } else { State::Doubtful };
    let stops = throttled.map_or(String::new(), |count| format!(", processes stopped {count} times"));
    Check::new(
        NAME,
        state,
        format!("{cpus:.1} cores{stops}"),
        "A process that uses more is stopped for up to 0.1 s at a time, in the middle of an iteration.",
    )
    .advice(
        "run without a CPU quota (docker run without --cpus, Kubernetes without limits.cpu), or use cpusets",
    )
}

#[cfg(test)]
mod tests {
    use super::super::test_machine::TestMachine;
    use super::*;

    #[test]
    fn the_tightest_level_counts_in_both_versions() {
        let check = |files: &[(&str, &str)], cpus: Option<f64>, throttled: Option<f64>, is_visible: bool| {
            assert_eq!(limits(&TestMachine::new(files).files), Limits { cpus, throttled, is_visible });
        };
        check(
            &[
                ("proc/self/cgroup", "0::/a/b\n"),
                ("sys/fs/cgroup/a/b/cpu.max", "max 100000"),
                ("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 4\n"),
                ("sys/fs/cgroup/a/cpu.max", "150000 100000"),
            ],
            Some(1.5),
            Some(4.0),
            true,
        );
        check(
            &[("proc/self/cgroup", "0::/host/only\n"), ("sys/fs/cgroup/cpu.max", "50000 100000")],
            Some(0.5),
            None,
            true,
        );
        check(
            &[
                ("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n0::/x\n"),
                ("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "200000"),
                ("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000"),
            ],
            Some(2.0),
            None,
            true,
        );
        check(
            &[
                ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
                ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"),
            ],
            None,
            None,
            true,
        );
        check(&[], None, None, false);
    }

    #[test]
    fn less_than_a_core_is_bad_and_no_limit_is_good() {
        let state = |max: &str| {
            let files = [("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/cpu.max", max)];
            super::check(&TestMachine::new(&files).files).state
        };
        assert_eq!(state("50000 100000"), State::Bad);
        assert_eq!(state("400000 100000"), State::Doubtful);
        assert_eq!(state("max 100000"), State::Good);
        assert_eq!(super::check(&TestMachine::new(&[]).files).state, State::Unknown);
    }
}
