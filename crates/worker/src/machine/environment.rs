//! The facts stored with every run.

use std::collections::BTreeMap;

use benchwright_model::Environment;

use super::control_group;
use super::processor;
use super::system_files::SystemFiles;

/// The facts about this machine. There is no host name, because runs may be published.
pub fn environment() -> Environment {
    let mut environment = environment_of(&SystemFiles::here());
    // On systems without `/proc`, this much is available without unsafe code, which only the crate `process`
    // may have.
    if let Ok(count) = std::thread::available_parallelism() {
        for name in ["allowed cores", "cores"] {
            environment.facts.entry(name.into()).or_insert(count.to_string());
        }
    }
    environment
}

/// The facts about the machine that these files describe. Facts that the files do not contain are missing.
pub fn environment_of(files: &SystemFiles) -> Environment {
    let mut facts = BTreeMap::new();
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name.to_string(), value);
        }
    };
    let cores = processor::cores(files);
    fact("os", Some(std::env::consts::OS.into()));
    fact("arch", Some(std::env::consts::ARCH.into()));
    fact("distribution", distribution(files));
    fact("kernel", files.text("/proc/sys/kernel/osrelease"));
    fact("cpu", processor::model(files));
    fact("cores", cores.logical.map(|count| count.to_string()));
    fact("physical cores", cores.physical.map(|count| count.to_string()));
    fact("allowed cores", cores.allowed.map(|count| count.to_string()));
    fact("cpu limit", control_group::limits(files).cpus.map(|cpus| format!("{cpus:.2}")));
    fact("memory", memory(files));
    fact("virtualisation", processor::virtualisation(files));
    fact("governor", governors(files));
    Environment { facts }
}

/// Total memory in whole GiB. A kernel update changes it by some pages, and the machine must still count as
/// the same.
fn memory(files: &SystemFiles) -> Option<String> {
    let kibibytes: f64 = files.field("/proc/meminfo", "MemTotal")?.split_whitespace().next()?.parse().ok()?;
    Some(format!("{:.0} GiB", (kibibytes / f64::from(1 << 20)).ceil()))
}

fn distribution(files: &SystemFiles) -> Option<String> {
    let text = files.text("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_string())
}

/// All governors in use, usually one.
fn governors(files: &SystemFiles) -> Option<String> {
    let mut names = files.of_every_processor("cpufreq/scaling_governor");
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::test_machine::TestMachine;
    use super::*;

    #[test]
    fn a_described_machine_has_its_facts_and_no_others() {
        let machine = TestMachine::new(&[
            ("proc/cpuinfo", "processor: 0\nmodel name: Fast CPU\nflags: fpu\nprocessor: 1\n"),
            ("proc/meminfo", "MemTotal:       16303428 kB\nMemFree: 1 kB\n"),
            ("proc/sys/kernel/osrelease", "6.1.0-9\n"),
            ("etc/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 12\"\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
        ]);
        let facts = environment_of(&machine.files).facts;
        let found: Vec<(&str, &str)> =
            facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            found,
            [
                ("arch", std::env::consts::ARCH),
                ("cores", "2"),
                ("cpu", "Fast CPU"),
                ("distribution", "Some Linux 12"),
                ("governor", "powersave"),
                ("kernel", "6.1.0-9"),
                ("memory", "16 GiB"),
                ("os", std::env::consts::OS),
            ]
        );
    }

    #[test]
    fn this_machine_has_a_fingerprint() {
        assert!(environment().fingerprint().contains(std::env::consts::ARCH));
    }
}
