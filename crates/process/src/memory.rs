//! How much memory a process and everything it started hold.
//!
//! An address space limit would be simpler, but Go and Java reserve far more addresses than they use. So resident memory
//! is looked at from time to time: rarely while there is much room, more often close to the limit. A look costs about
//! 0.1 ms, and there are at most four in a second unless the room is below 1 GiB.

use std::time::Duration;

use crate::escape::Mark;

/// Bytes in a second that a process is taken to fill at most.
const FASTEST: u64 = 4 << 30;
/// The longest and the shortest time between two looks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(250));

/// When to look again, where so many bytes are left up to the limit.
pub(crate) fn pause(room: u64) -> Duration {
    Duration::from_secs_f64(room as f64 / FASTEST as f64).clamp(PAUSES.0, PAUSES.1)
}

/// Bytes that the process, its descendants and those of them that lost their parent hold, in memory or swapped out. Memory
/// that they share counts once. Pages of files do not count: the system takes them back when it needs them.
#[cfg(target_os = "linux")]
pub(crate) fn of_tree(root: i32, mark: &Mark) -> u64 {
    let mut open = crate::escape::adopted(mark);
    open.push(root);
    let (mut own, mut shared) = (0, 0);
    while let Some(pid) = open.pop() {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        own += field(&status, "RssAnon:") + field(&status, "VmSwap:");
        shared = shared.max(field(&status, "RssShmem:"));
        open.extend(crate::escape::children(pid));
    }
    own + shared
}

/// A field in kilobytes, as bytes; 0 where it is missing, as it is for a process that has ended.
#[cfg(target_os = "linux")]
fn field(status: &str, name: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// This system does not say.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of_tree(_root: i32, _mark: &Mark) -> u64 {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn looks_are_rare_where_there_is_room() {
        assert_eq!(pause(u64::MAX), PAUSES.1);
        assert_eq!(pause(400 << 20).as_millis(), 97);
        assert_eq!(pause(0), PAUSES.0);
    }

    #[test]
    fn own_memory_is_counted_and_that_of_nobody_is_none() {
        let held = std::hint::black_box(vec![1u8; 64 << 20]);
        let pid = i32::try_from(std::process::id()).unwrap();
        assert!(of_tree(pid, &Mark::new()) >= held.len() as u64);
        assert_eq!(of_tree(i32::MAX, &Mark::new()), 0);
    }
}
