//! Checks of clock, power, hardware threads and other properties that do not change during a run.

use super::check::{Check, State};
use super::processor;
use super::system_files::SystemFiles;

/// Checks whether hardware threads share cores.
pub(super) fn hardware_threads(files: &SystemFiles) -> Check {
    const NAME: &str = "hardware threads";
    let active = files.number("/sys/devices/system/cpu/smt/active").map(|active| active != 0.0);
    let cores = processor::cores(files);
    let counted = cores.logical.zip(cores.physical).map(|(logical, physical)| logical > physical);
    match active.or(counted) {
        None => Check::unknown(NAME, "Whether two processes can share a core cannot be seen."),
        Some(false) => Check::new(NAME, State::Good, "one per core", "No process shares its core with another."),
        Some(true) => Check::new(
            NAME,
            State::Doubtful,
            "two or more per core",
            "A process is slower while another runs on the same core, which matters on a busy machine.",
        )
        .advice("echo off | sudo tee /sys/devices/system/cpu/smt/control, or pin trials with --cores to separate cores"),
    }
}

/// Checks whether reading the clock is fast and takes a constant time.
pub(super) fn clock(files: &SystemFiles) -> Check {
    const NAME: &str = "clock source";
    const GOOD: [&str; 4] = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page"];
    const SLOW: [&str; 4] = ["hpet", "acpi_pm", "jiffies", "refined-jiffies"];
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    match files.text(path) {
        None => Check::unknown(NAME, "Which clock the system reads cannot be seen."),
        Some(name) if GOOD.contains(&name.as_str()) => {
            Check::new(NAME, State::Good, name, "Reading the clock takes some nanoseconds.")
        }
        Some(name) => {
            let state = if SLOW.contains(&name.as_str()) { State::Bad } else { State::Doubtful };
            let meaning =
                "Reading the clock may take a microsecond or a system call, which short iterations contain.";
            Check::new(NAME, state, name, meaning).advice(
                "boot with clocksource=tsc if the processor has a steady counter (constant_tsc, nonstop_tsc)",
            )
        }
    }
}

/// Checks whether the machine runs on its battery.
pub(super) fn battery(files: &SystemFiles) -> Check {
    const NAME: &str = "battery";
    const DIRECTORY: &str = "/sys/class/power_supply";
    let Some(supplies) = files.names(DIRECTORY) else {
        return Check::unknown(NAME, "Whether the machine runs on a battery cannot be seen.");
    };
    let of_kind = |kind: &'static str| {
        let is_kind = move |name: &&String| {
            files.text(&format!("{DIRECTORY}/{name}/type")).is_some_and(|found| found == kind)
        };
        supplies.iter().filter(is_kind)
    };
    let is_discharging = of_kind("Battery").any(|name| {
        // A wireless mouse has a battery too. Batteries of the machine have the scope `System` or no scope.
        let scope = files.text(&format!("{DIRECTORY}/{name}/scope"));
        let status = files.text(&format!("{DIRECTORY}/{name}/status"));
        scope.is_none_or(|scope| scope == "System") && status.is_some_and(|status| status == "Discharging")
    });
    let is_unplugged = of_kind("Mains").count() > 0
        && of_kind("Mains").all(|name| files.number(&format!("{DIRECTORY}/{name}/online")) == Some(0.0));
    if is_discharging || is_unplugged {
        return Check::new(NAME, State::Bad, "in use", "On its battery a machine slows down to save power.")
            .advice("plug the machine in");
    }
    Check::new(NAME, State::Good, "not in use", "The machine does not save power because of its battery.")
}

/// Checks whether every process gets other addresses.
pub(super) fn address_randomisation(files: &SystemFiles) -> Check {
    const NAME: &str = "address randomisation";
    match files.number("/proc/sys/kernel/randomize_va_space") {
        None => Check::unknown(NAME, "Whether processes get random addresses cannot be seen."),
        Some(0.0) => Check::new(
            NAME,
            State::Doubtful,
            "off",
            "All processes have the same addresses, so an accidental advantage of one layout never averages out.",
        )
        .advice("sudo sysctl kernel.randomize_va_space=2"),
        Some(_) => Check::new(
            NAME,
            State::Good,
            "on",
            "Every process has other addresses, so the luck of one layout averages out over duets.",
        ),
    }
}

/// Checks for cores that the scheduler does not use.
pub(super) fn isolated_cores(files: &SystemFiles) -> Check {
    const NAME: &str = "isolated cores";
    if !files.exists("/sys/devices/system/cpu/isolated") {
        return Check::unknown(NAME, "Whether cores are reserved cannot be seen.");
    }
    match files.text("/sys/devices/system/cpu/isolated") {
        None => Check::new(
            NAME,
            State::Good,
            "none",
            "Trials share all cores with the rest of the system, as usual.",
        )
        .advice("for the least noise boot with isolcpus=… and pin trials there with --cores"),
        Some(list) => Check::new(NAME, State::Good, list.clone(), "Nothing else runs on these cores.")
            .advice(format!("pin trials there: --cores {list}")),
    }
}

/// Checks whether there is a hypervisor.
pub(super) fn virtualised(files: &SystemFiles) -> Check {
    const NAME: &str = "virtualisation";
    if !files.exists("/proc/cpuinfo") {
        return Check::unknown(NAME, "Whether this is a virtual machine cannot be seen.");
    }
    match processor::virtualisation(files) {
        None => Check::new(NAME, State::Good, "none seen", "The system runs on the hardware itself."),
        Some(found) if found.starts_with("container") => {
            Check::new(NAME, State::Good, found, "A container alone does not slow processes down; its limits may.")
        }
        Some(found) => Check::new(
            NAME,
            State::Doubtful,
            found,
            "Other machines share the hardware and are not visible here; only duets side by side are comparable.",
        )
        .advice("compare versions within one run, never with numbers of an earlier day"),
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
    fn hardware_threads_are_told_or_counted() {
        let active = "sys/devices/system/cpu/smt/active";
        assert_eq!(state(hardware_threads, &[(active, "1")]), State::Doubtful);
        assert_eq!(state(hardware_threads, &[(active, "0")]), State::Good);
        let siblings = "sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
        let online = "sys/devices/system/cpu/online";
        assert_eq!(state(hardware_threads, &[(siblings, "0-1"), (online, "0-1")]), State::Doubtful);
        assert_eq!(state(hardware_threads, &[(siblings, "0"), (online, "0")]), State::Good);
        assert_eq!(state(hardware_threads, &[]), State::Unknown);
    }

    #[test]
    fn slow_clocks_are_bad_and_unheard_of_ones_doubtful() {
        let check = |name: &str, expected: State| {
            let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
            assert_eq!(state(clock, &[(path, name)]), expected, "{name}");
        };
        check("tsc\n", State::Good);
        check("kvm-clock\n", State::Good);
        check("hpet\n", State::Bad);
        check("xen\n", State::Doubtful);
        assert_eq!(state(clock, &[]), State::Unknown);
    }

    #[test]
    fn only_the_machines_own_battery_counts() {
        let file = |supply: &str, name: &str| format!("sys/class/power_supply/{supply}/{name}");
        let battery_with = |status: &str, scope: &str| {
            let (kind, state_of, scope_of) =
                (file("BAT0", "type"), file("BAT0", "status"), file("BAT0", "scope"));
            state(battery, &[(&kind, "Battery\n"), (&state_of, status), (&scope_of, scope)])
        };
        assert_eq!(battery_with("Discharging\n", ""), State::Bad);
        assert_eq!(battery_with("Discharging\n", "System\n"), State::Bad);
        assert_eq!(battery_with("Discharging\n", "Device\n"), State::Good);
        assert_eq!(battery_with("Charging\n", ""), State::Good);
        let mains = |online: &str| {
            state(battery, &[(&file("AC", "type"), "Mains\n"), (&file("AC", "online"), online)])
        };
        assert_eq!(mains("0\n"), State::Bad);
        assert_eq!(mains("1\n"), State::Good);
        assert_eq!(state(battery, &[]), State::Unknown);
    }

    #[test]
    fn fixed_addresses_are_doubtful() {
        let path = "proc/sys/kernel/randomize_va_space";
        assert_eq!(state(address_randomisation, &[(path, "2\n")]), State::Good);
        assert_eq!(state(address_randomisation, &[(path, "0\n")]), State::Doubtful);
        assert_eq!(state(address_randomisation, &[]), State::Unknown);
    }

    #[test]
    fn isolated_cores_are_offered_for_pinning() {
        let check = |text: &str, found: &str| {
            let machine = TestMachine::new(&[("sys/devices/system/cpu/isolated", text)]);
            let check = isolated_cores(&machine.files);
            assert_eq!((check.state, check.found.as_str()), (State::Good, found));
            check.advice
        };
        assert_eq!(check("2-3\n", "2-3"), "pin trials there: --cores 2-3");
        check("\n", "none");
        assert_eq!(state(isolated_cores, &[]), State::Unknown);
    }

    #[test]
    fn a_virtual_machine_is_doubtful_and_a_container_alone_is_not() {
        let cpu = "proc/cpuinfo";
        assert_eq!(state(virtualised, &[(cpu, "flags: hypervisor\n")]), State::Doubtful);
        assert_eq!(state(virtualised, &[(cpu, "flags: fpu\n"), (".dockerenv", "")]), State::Good);
        assert_eq!(state(virtualised, &[(cpu, "flags: fpu\n")]), State::Good);
        assert_eq!(state(virtualised, &[]), State::Unknown);
    }
}
