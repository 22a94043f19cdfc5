//! CPU time, which does not include other programs on the machine.

use std::fs;
use std::time::{Duration, Instant};

/// Does some work and returns the CPU time of this thread, or the wall time if the system does not report CPU
/// time.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (begin, before) = (Instant::now(), on_cpu());
    let done = work();
    let time = match (before, on_cpu()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => begin.elapsed(),
    };
    (done, time)
}

/// The CPU time that Linux has counted for this thread.
fn on_cpu() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_not_counted_where_the_system_tells() {
        if on_cpu().is_none() {
            return;
        }
        let (_, time) = timed(|| std::thread::sleep(Duration::from_millis(50)));
        assert!(time < Duration::from_millis(40), "{time:?}");
    }
}
