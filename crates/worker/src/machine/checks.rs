//! All checks.

use std::thread::sleep;
use std::time::Duration;

use super::check::Check;
use super::system_files::SystemFiles;
use super::{control_group, frequency, platform, pressure};

/// How long stolen time is counted: thirty ticks of a hundredth of a second.
const STEAL_TIME: Duration = Duration::from_millis(300);

/// Checks this machine. Takes about 0.3 s.
pub fn checks() -> Vec<Check> {
    checks_of(&SystemFiles::here(), || sleep(STEAL_TIME))
}

/// Checks the machine that these files describe. `pause` waits between two readings of its counters.
pub fn checks_of(files: &SystemFiles, pause: impl FnOnce()) -> Vec<Check> {
    // The load is read first, so that the work of benchwright does not count.
    let load = pressure::load(files);
    let before = files.text("/proc/stat");
    if before.is_some() {
        pause();
    }
    let after = files.text("/proc/stat");
    vec![
        load,
        pressure::steal(before.as_deref(), after.as_deref()),
        pressure::memory(files),
        control_group::check(files),
        frequency::governor(files),
        frequency::boost(files),
        frequency::spread(files),
        frequency::heat(files),
        platform::hardware_threads(files),
        platform::isolated_cores(files),
        platform::clock(files),
        platform::battery(files),
        platform::address_randomisation(files),
        platform::virtualised(files),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::check::State;
    use super::super::test_machine::TestMachine;
    use super::*;

    #[test]
    fn a_system_without_such_files_is_unknown_in_every_respect() {
        let all = checks_of(&TestMachine::new(&[]).files, || panic!("nothing to wait for"));
        assert_eq!(all.len(), 14);
        for check in &all {
            assert_eq!(check.state, State::Unknown, "{}", check.name);
            assert!(check.meaning.ends_with('.'), "{}", check.name);
        }
        let names: BTreeSet<&str> = all.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn whatever_is_bad_or_doubtful_on_this_machine_has_advice() {
        for check in checks_of(&SystemFiles::here(), || ()) {
            let needs_advice = matches!(check.state, State::Bad | State::Doubtful);
            assert!(!needs_advice || !check.advice.is_empty(), "{check:?}");
        }
    }
}
