//! Measures the memory of a process and its descendants.
//!
//! A limit on the address space would be simpler, but Go and Java reserve far more addresses than they use.
//! So resident memory is checked from time to time: rarely while there is much room, and more often close to
//! the limit. A check costs about 0.1 ms, and there are at most four in a second unless the room is below 1
//! GiB.

use std::time::Duration;

use crate::escape::Mark;

/// The assumed maximum number of bytes that a process can fill in one second.
const FASTEST: u64 = 4 << 30;
/// The shortest and the longest time between two checks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(250));

/// When to check again if this many bytes are left up to the limit.
pub(crate) fn pause(room: u64) -> Duration {
    Duration::from_secs_f64(room as f64 / FASTEST as f64).clamp(PAUSES.0, PAUSES.1)
}

/// Bytes in memory or swapped out that are held by the process and its descendants, including descendants
/// that lost their parent. Shared memory counts once. Pages of files do not count, because the system can
/// reclaim them.
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

/// A field in kilobytes, converted to bytes. 0 if it is missing, as for a process that has ended.
#[cfg(target_os = "linux")]
fn field(status: &str, name: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// This system does not report it.
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
