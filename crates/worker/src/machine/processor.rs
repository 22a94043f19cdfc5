//! The processor and its cores.

use std::collections::BTreeSet;

use super::system_files::{SystemFiles, field, parse_list};

/// The numbers of cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cores {
    /// Number of hardware threads, which the system schedules on.
    pub(super) logical: Option<usize>,
    /// Number of physical cores.
    pub(super) physical: Option<usize>,
    /// Number of logical cores that this process may use.
    pub(super) allowed: Option<usize>,
}

/// The processor's name.
pub(super) fn model(files: &SystemFiles) -> Option<String> {
    let text = files.text("/proc/cpuinfo")?;
    // Arm machines have no model name; their implementer and part numbers identify them.
    let arm = || Some(format!("{} {}", field(&text, "CPU implementer")?, field(&text, "CPU part")?));
    let name = field(&text, "model name").or_else(|| field(&text, "Model")).or_else(arm)?;
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Counts the cores.
pub(super) fn cores(files: &SystemFiles) -> Cores {
    let listed = files.text("/sys/devices/system/cpu/online").map(|text| parse_list(&text).len());
    let described = || {
        let text = files.text("/proc/cpuinfo")?;
        Some(text.lines().filter(|line| line.starts_with("processor")).count())
    };
    let allowed = files.field("/proc/self/status", "Cpus_allowed_list").map(|text| parse_list(&text).len());
    let positive = |count: &usize| *count > 0;
    Cores {
        logical: listed.filter(positive).or_else(described).filter(positive),
        physical: physical(files),
        allowed: allowed.filter(positive),
    }
}

/// The number of sets of hardware threads that share a core.
fn physical(files: &SystemFiles) -> Option<usize> {
    let siblings: BTreeSet<Vec<u32>> = files
        .of_every_processor("topology/thread_siblings_list")
        .iter()
        .map(|text| parse_list(text))
        .filter(|siblings| !siblings.is_empty())
        .collect();
    (!siblings.is_empty()).then_some(siblings.len())
}

/// The hypervisor and the container around this process, if they can be detected.
pub(super) fn virtualisation(files: &SystemFiles) -> Option<String> {
    let cpu = files.text("/proc/cpuinfo");
    let has_hypervisor = cpu
        .as_deref()
        .and_then(|text| field(text, "flags"))
        .is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    let vendor = ["sys_vendor", "product_name"]
        .iter()
        .filter_map(|file| files.text(&format!("/sys/class/dmi/id/{file}")))
        .collect::<Vec<_>>()
        .join(" ");
    const KNOWN: [&str; 10] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "Xen",
        "Hyper-V",
        "Virtual Machine",
        "Amazon EC2",
        "Google Compute",
        "Parallels",
    ];
    // Bare-metal instances have the vendor's name too, but no hypervisor flag.
    let named = KNOWN.iter().any(|name| vendor.contains(name)) && !vendor.contains("metal");
    let kernel = files.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut parts = Vec::new();
    if kernel.to_lowercase().contains("microsoft") {
        parts.push("WSL".to_string());
    } else if has_hypervisor || (named && cpu.as_deref().is_some_and(|text| field(text, "flags").is_none())) {
        parts.push(match vendor.as_str() {
            "" => "virtual machine".to_string(),
            vendor => format!("virtual machine ({vendor})"),
        });
    }
    if let Some(container) = container(files) {
        parts.push(format!("container ({container})"));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn container(files: &SystemFiles) -> Option<&'static str> {
    let groups = files.text("/proc/1/cgroup").unwrap_or_default();
    if files.exists("/.dockerenv") || groups.contains("docker") {
        Some("docker")
    } else if files.exists("/run/.containerenv") {
        Some("podman")
    } else if groups.contains("kubepods") {
        Some("kubernetes")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_machine::TestMachine;
    use super::*;

    #[test]
    fn cores_are_counted_as_threads_cores_and_what_is_allowed() {
        let machine = TestMachine::new(&[
            ("sys/devices/system/cpu/online", "0-3"),
            ("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3"),
            ("sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "0,2"),
            ("sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3"),
            ("sys/devices/system/cpu/cpufreq/topology/thread_siblings_list", "9"),
            ("proc/self/status", "Name:\tx\nCpus_allowed_list:\t1-2\n"),
        ]);
        let expected = Cores { logical: Some(4), physical: Some(2), allowed: Some(2) };
        assert_eq!(cores(&machine.files), expected);
        assert_eq!(cores(&TestMachine::new(&[]).files), Cores::default());
    }

    #[test]
    fn the_processors_name_comes_from_whatever_the_architecture_writes() {
        let check = |text: &str, expected: Option<&str>| {
            let machine = TestMachine::new(&[("proc/cpuinfo", text)]);
            assert_eq!(model(&machine.files).as_deref(), expected);
        };
        check("processor: 0\nmodel name\t: Fast(R)  CPU   9\n", Some("Fast(R) CPU 9"));
        check("processor: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", Some("0x41 0xd0c"));
        check("nothing here", None);
    }

    #[test]
    fn hypervisors_and_containers_show() {
        let check = |files: &[(&str, &str)], expected: Option<&str>| {
            assert_eq!(virtualisation(&TestMachine::new(files).files).as_deref(), expected);
        };
        check(&[("proc/cpuinfo", "flags: fpu sse hypervisor\n")], Some("virtual machine"));
        check(
            &[("proc/cpuinfo", "flags: fpu hypervisor\n"), ("sys/class/dmi/id/sys_vendor", "QEMU")],
            Some("virtual machine (QEMU)"),
        );
        check(
            &[("proc/cpuinfo", "Features: fp\n"), ("sys/class/dmi/id/sys_vendor", "Amazon EC2")],
            Some("virtual machine (Amazon EC2)"),
        );
        check(&[("proc/cpuinfo", "flags: fpu\n"), (".dockerenv", "")], Some("container (docker)"));
        check(&[("proc/sys/kernel/osrelease", "6.1-microsoft-standard-WSL2")], Some("WSL"));
        check(&[("proc/cpuinfo", "flags: fpu sse\n"), ("sys/class/dmi/id/sys_vendor", "Dell Inc.")], None);
    }
}
