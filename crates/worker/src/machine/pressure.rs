//! Checks of other load on the machine at this moment.

use super::check::{Check, State};
use super::control_group;
use super::processor;
use super::system_files::{SystemFiles, field};

/// Checks how many processes want to run, per core.
pub(super) fn load(files: &SystemFiles) -> Check {
    const NAME: &str = "load";
    let average = files.text("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let Some((average, cores)) = average.zip(processor::cores(files).logical) else {
        return Check::unknown(NAME, "How busy the machine is cannot be seen.");
    };
    let found = format!("{average:.2} over the last minute, {cores} cores");
    let per_core = average / cores as f64;
    // An own run that has just ended, or the shell, accounts for a tenth of a core.
    if per_core < 0.15 {
        return Check::new(NAME, State::Good, found, "The machine has nothing else to do.");
    }
    let state = if per_core < 0.6 { State::Doubtful } else { State::Bad };
    let meaning = "Other processes take cores, caches and memory bandwidth from the benchmarks.";
    Check::new(NAME, state, found, meaning).advice("see with `top` what runs, and end or postpone it")
}

/// Checks the share of time that the hypervisor gave to other machines, from two readings of `/proc/stat`.
pub(super) fn steal(before: Option<&str>, after: Option<&str>) -> Check {
    const NAME: &str = "steal time";
    let share = before.zip(after).and_then(|(before, after)| stolen_share(before, after));
    let Some(share) = share else {
        return Check::unknown(NAME, "Whether a hypervisor takes time away cannot be seen.");
    };
    let found = format!("{:.1} %", share * 100.0);
    if share < 0.005 {
        return Check::new(NAME, State::Good, found, "No hypervisor takes time away at this moment.");
    }
    let state = if share < 0.03 { State::Doubtful } else { State::Bad };
    let meaning = "The hypervisor runs other machines in the middle of iterations.";
    Check::new(NAME, state, found, meaning)
        .advice("use a machine with dedicated cores, or measure at another time")
}

/// Stolen time divided by all time between two readings. `None` if no time passed or the kernel does not
/// count it.
fn stolen_share(before: &str, after: &str) -> Option<f64> {
    let times = |text: &str| -> Option<Vec<f64>> {
        let line = text.lines().find(|line| line.starts_with("cpu "))?;
        line.split_whitespace().skip(1).map(|number| number.parse().ok()).collect()
    };
    let (before, after) = (times(before)?, times(after)?);
    // user nice system idle iowait irq softirq steal; guest times are part of user and nice already.
    const STEAL: usize = 7;
    let passed = |i: usize| Some((after.get(i)? - before.get(i)?).max(0.0));
    let total: f64 = (0..=STEAL).map(passed).sum::<Option<f64>>()?;
    (total > 0.0).then_some(passed(STEAL)? / total)
}

/// Bytes of memory that processes can allocate on this machine now, including the limits of its control
/// group. `None` if the system does not report it.
pub fn available_memory() -> Option<u64> {
    available_memory_of(&SystemFiles::here())
}

fn available_memory_of(files: &SystemFiles) -> Option<u64> {
    let free = files.field("/proc/meminfo", "MemAvailable")?;
    let free = free.split_whitespace().next()?.parse::<f64>().ok()? * 1024.0;
    Some(control_group::memory_left(files).map_or(free, |left| left.min(free)) as u64)
}

/// Checks whether memory is short.
pub(super) fn memory(files: &SystemFiles) -> Check {
    const NAME: &str = "memory";
    let Some(text) = files.text("/proc/meminfo") else {
        return Check::unknown(NAME, "How much memory is free cannot be seen.");
    };
    let kibibytes =
        |key: &str| field(&text, key).and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok());
    let Some((total, free)) =
        kibibytes("MemTotal").zip(kibibytes("MemAvailable")).filter(|(total, _)| *total > 0.0)
    else {
        return Check::unknown(NAME, "How much memory is free cannot be seen.");
    };
    let swap_total = kibibytes("SwapTotal").unwrap_or(0.0);
    let swapped = swap_total - kibibytes("SwapFree").unwrap_or(swap_total);
    let waiting = waiting_share(files).unwrap_or(0.0);
    let found = format!(
        "{:.0} % free, {:.1} GiB swapped out, {:.1} % of the time waiting for memory",
        free / total * 100.0,
        swapped / f64::from(1 << 20),
        waiting * 100.0
    );
    if free / total < 0.1 || waiting > 0.01 {
        let meaning = "Processes wait for memory, in the middle of iterations.";
        return Check::new(NAME, State::Bad, found, meaning).advice("end programs that hold memory");
    }
    if swapped > 0.1 * swap_total && swapped > 0.0 {
        let meaning = "Parts of programs were moved to disk and must be read back when they are used.";
        return Check::new(NAME, State::Doubtful, found, meaning)
            .advice("end programs that hold memory, then `sudo swapoff -a && sudo swapon -a`");
    }
    Check::new(NAME, State::Good, found, "There is enough memory.")
}

/// Share of the last ten seconds in which some process waited for memory.
fn waiting_share(files: &SystemFiles) -> Option<f64> {
    let text = files.text("/proc/pressure/memory")?;
    let line = text.lines().find(|line| line.starts_with("some"))?;
    let average = line.split_whitespace().find_map(|part| part.strip_prefix("avg10="))?;
    Some(average.parse::<f64>().ok()? / 100.0)
}

#[cfg(test)]
mod tests {
    use super::super::test_machine::TestMachine;
    use super::*;

    #[test]
    fn load_counts_per_core() {
        let check = |average: &str, cores: &str, expected: State| {
            let files = [("proc/loadavg", average), ("sys/devices/system/cpu/online", cores)];
            assert_eq!(load(&TestMachine::new(&files).files).state, expected, "{average} on {cores}");
        };
        check("0.10 0.2 0.3 1/100 5\n", "0-1", State::Good);
        check("1.00 0.2 0.3 1/100 5\n", "0-7", State::Good);
        check("1.00 0.2 0.3 1/100 5\n", "0-1", State::Doubtful);
        check("3.00 0.2 0.3 1/100 5\n", "0-3", State::Bad);
        assert_eq!(load(&TestMachine::new(&[]).files).state, State::Unknown);
    }

    #[test]
    fn steal_is_the_share_between_two_readings() {
        let before = "cpu  100 0 50 800 10 0 0 5 0 0\ncpu0 1 2 3\n";
        let check = |after: &str, share: Option<f64>, expected: State| {
            assert_eq!(stolen_share(before, after), share);
            assert_eq!(steal(Some(before), Some(after)).state, expected);
        };
        // 40 ticks passed, 10 of them stolen.
        check("cpu  110 0 60 810 10 0 0 15 0 0\n", Some(0.25), State::Bad);
        // 50 ticks passed, 1 of them stolen.
        check("cpu  110 0 50 839 10 0 0 6 0 0\n", Some(0.02), State::Doubtful);
        check("cpu  150 0 50 800 10 0 0 5 0 0\n", Some(0.0), State::Good);
        check(before, None, State::Unknown);
        check("cpu  1 2 3\n", None, State::Unknown);
        assert_eq!(steal(None, None).state, State::Unknown);
    }

    #[test]
    fn a_control_group_may_leave_less_memory_than_the_machine() {
        let check = |more: &[(&str, &str)], expected: Option<u64>| {
            let files = [&[("proc/meminfo", "MemTotal: 9 kB\nMemAvailable: 4 kB\n")], more].concat();
            assert_eq!(available_memory_of(&TestMachine::new(&files).files), expected, "{more:?}");
        };
        check(&[], Some(4096));
        let second = |max: &'static str| {
            [
                ("proc/self/cgroup", "0::/a/b\n"),
                ("sys/fs/cgroup/a/memory.max", max),
                ("sys/fs/cgroup/a/memory.current", "900"),
                ("sys/fs/cgroup/a/memory.stat", "anon 800\ninactive_file 100\n"),
            ]
        };
        check(&second("max"), Some(4096));
        check(&second("1000"), Some(200));
        check(&second("100000"), Some(4096));
        let first = [
            ("proc/self/cgroup", "5:memory:/x\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "900"),
        ];
        check(&first, Some(100));
        assert_eq!(available_memory_of(&TestMachine::new(&[]).files), None);
    }

    #[test]
    fn short_memory_is_bad_and_swapped_memory_doubtful() {
        let check = |free: u32, swap_free: u32, pressure: &str, expected: State| {
            let info = format!(
                "MemTotal: 1000 kB\nMemAvailable: {free} kB\nSwapTotal: 500 kB\nSwapFree: {swap_free} kB\n"
            );
            let files = [("proc/meminfo", info.as_str()), ("proc/pressure/memory", pressure)];
            assert_eq!(memory(&TestMachine::new(&files).files).state, expected);
        };
        check(500, 500, "", State::Good);
        check(500, 490, "", State::Good);
        check(500, 300, "", State::Doubtful);
        check(50, 500, "", State::Bad);
        check(500, 500, "some avg10=2.50 avg60=0 avg300=0 total=9\n", State::Bad);
        check(500, 500, "some avg10=0.50 avg60=9 avg300=0 total=9\n", State::Good);
        assert_eq!(memory(&TestMachine::new(&[]).files).state, State::Unknown);
    }
}
