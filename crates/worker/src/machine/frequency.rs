//! Checks whether the processor keeps its speed.

use super::check::{Check, State};
use super::system_files::SystemFiles;

/// Checks who chooses the frequency.
pub(super) fn governor(files: &SystemFiles) -> Check {
    const NAME: &str = "cpu governor";
    let mut names = files.of_every_processor("cpufreq/scaling_governor");
    names.sort();
    names.dedup();
    let found = names.join(", ");
    match names.as_slice() {
        [] => Check::unknown(NAME, "A virtual machine or container does not show who chooses the frequency."),
        [name] if name == "performance" => {
            Check::new(NAME, State::Good, found, "The processor does not save power between iterations.")
        }
        _ => Check::new(
            NAME,
            State::Doubtful,
            found,
            "The processor slows down when idle and needs time to speed up, which short benchmarks see.",
        )
        .advice("sudo cpupower frequency-set --governor performance"),
    }
}

/// Checks whether the processor runs faster as long as its temperature permits.
pub(super) fn boost(files: &SystemFiles) -> Check {
    const NAME: &str = "turbo";
    const INTEL: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const OTHERS: &str = "/sys/devices/system/cpu/cpufreq/boost";
    let intel = files.number(INTEL).map(|off| (off == 0.0, format!("echo 1 | sudo tee {INTEL}")));
    let others = files.number(OTHERS).map(|on| (on != 0.0, format!("echo 0 | sudo tee {OTHERS}")));
    match intel.or(others) {
        None => {
            Check::unknown(NAME, "Whether the frequency depends on heat and on other cores cannot be seen.")
        }
        Some((false, _)) => Check::new(NAME, State::Good, "off", "The frequency does not depend on heat."),
        Some((true, command)) => Check::new(
            NAME,
            State::Doubtful,
            "on",
            "The frequency depends on heat and on what other cores do; duets cancel most of that.",
        )
        .advice(command),
    }
}

/// Checks whether all cores run at about the same frequency now and can reach the same one.
pub(super) fn spread(files: &SystemFiles) -> Check {
    const NAME: &str = "frequencies";
    let numbers = |texts: Vec<String>| -> Vec<f64> {
        texts.iter().filter_map(|text| text.parse().ok()).filter(|number| *number > 0.0).collect()
    };
    let most = numbers(files.of_every_processor("cpufreq/cpuinfo_max_freq"));
    if let Some(range) = relative_range(&most).filter(|range| *range > 0.02) {
        return Check::new(
            NAME,
            State::Doubtful,
            format!("cores of different speed, up to {:.0} % apart", range * 100.0),
            "A process is faster or slower depending on the core it happens to run on.",
        )
        .advice("pin trials to cores of one kind with --cores");
    }
    // cpufreq uses kHz and cpuinfo MHz, but only ratios matter here.
    let mut now = numbers(files.of_every_processor("cpufreq/scaling_cur_freq"));
    if now.is_empty() {
        now = megahertz(files);
    }
    match relative_range(&now) {
        None => Check::unknown(NAME, "The frequencies of the cores cannot be seen."),
        Some(range) if range < 0.05 => {
            Check::new(NAME, State::Good, "alike", "All cores run at about the same frequency.")
        }
        Some(range) => Check::new(
            NAME,
            State::Doubtful,
            format!("up to {:.0} % apart", range * 100.0),
            "The cores run at different frequencies at this moment, so speed depends on the core.",
        )
        .advice("set the governor to performance, and leave the machine alone while it measures"),
    }
}

fn megahertz(files: &SystemFiles) -> Vec<f64> {
    let text = files.text("/proc/cpuinfo").unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("cpu MHz"));
    lines
        .filter_map(|line| line.split_once(':')?.1.trim().parse().ok())
        .filter(|number| *number > 0.0)
        .collect()
}

/// (largest - smallest) / largest. `None` without numbers.
fn relative_range(numbers: &[f64]) -> Option<f64> {
    let largest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    (!numbers.is_empty()).then(|| (largest - smallest) / largest)
}

/// Checks whether cores were slowed down because of heat since the machine started.
pub(super) fn heat(files: &SystemFiles) -> Check {
    const NAME: &str = "heat";
    let counts = files.of_every_processor("thermal_throttle/core_throttle_count");
    let total: f64 = counts.iter().filter_map(|text| text.parse::<f64>().ok()).sum();
    match (counts.is_empty(), total > 0.0) {
        (true, _) => Check::unknown(NAME, "Whether cores were slowed down because of heat cannot be seen."),
        (_, false) => {
            Check::new(NAME, State::Good, "never too hot", "No core was slowed down because of heat.")
        }
        (_, true) => Check::new(
            NAME,
            State::Doubtful,
            format!("slowed down {total:.0} times since the start"),
            "A hot core is slowed down, most likely in the middle of a long run.",
        )
        .advice("cool the machine better, or switch turbo off"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_machine::TestMachine;
    use super::*;

    fn state(judge: fn(&SystemFiles) -> Check, files: &[(&str, &str)]) -> State {
        judge(&TestMachine::new(files).files).state
    }

    #[test]
    fn only_performance_on_every_core_is_a_good_governor() {
        let first = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
        let second = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
        assert_eq!(state(governor, &[(first, "performance\n"), (second, "performance\n")]), State::Good);
        assert_eq!(state(governor, &[(first, "performance\n"), (second, "powersave\n")]), State::Doubtful);
        assert_eq!(state(governor, &[]), State::Unknown);
    }

    #[test]
    fn both_ways_to_write_turbo_are_understood() {
        let intel = "sys/devices/system/cpu/intel_pstate/no_turbo";
        let others = "sys/devices/system/cpu/cpufreq/boost";
        assert_eq!(state(boost, &[(intel, "0\n")]), State::Doubtful);
        assert_eq!(state(boost, &[(intel, "1\n")]), State::Good);
        assert_eq!(state(boost, &[(others, "1\n")]), State::Doubtful);
        assert_eq!(state(boost, &[(others, "0\n")]), State::Good);
        assert_eq!(state(boost, &[]), State::Unknown);
    }

    #[test]
    fn frequencies_are_compared_over_the_cores() {
        let most = |n: u32| format!("sys/devices/system/cpu/cpu{n}/cpufreq/cpuinfo_max_freq");
        let now = |n: u32| format!("sys/devices/system/cpu/cpu{n}/cpufreq/scaling_cur_freq");
        assert_eq!(state(spread, &[(&most(0), "5000000"), (&most(1), "3800000")]), State::Doubtful);
        assert_eq!(state(spread, &[(&now(0), "3000000"), (&now(1), "2990000")]), State::Good);
        assert_eq!(state(spread, &[(&now(0), "3000000"), (&now(1), "1200000")]), State::Doubtful);
        assert_eq!(state(spread, &[("proc/cpuinfo", "cpu MHz : 2400.1\ncpu MHz : 2400.1\n")]), State::Good);
        assert_eq!(state(spread, &[("proc/cpuinfo", "cpu MHz : 0\n")]), State::Unknown);
    }

    #[test]
    fn throttle_counts_are_added_up() {
        let count = |n: u32| format!("sys/devices/system/cpu/cpu{n}/thermal_throttle/core_throttle_count");
        assert_eq!(state(heat, &[(&count(0), "0"), (&count(1), "0")]), State::Good);
        assert_eq!(state(heat, &[(&count(0), "0"), (&count(1), "7")]), State::Doubtful);
        assert_eq!(state(heat, &[]), State::Unknown);
    }
}
