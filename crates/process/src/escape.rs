//! Finds processes that left their group, and ends them.
//!
//! A daemon with a session of its own does not die with its group. But benchwright is the *subreaper* of all
//! its descendants: a process that loses its parent becomes a child of benchwright. There it is recognised by
//! a mark in its environment. The mark has the same length for every process, because the size of the
//! environment moves the stack.

use std::sync::atomic::{AtomicU32, Ordering};

/// The environment variable with the call that started a process.
pub(crate) const VARIABLE: &str = "BENCHWRIGHT_CALL";

/// The mark of one call.
#[derive(Debug, Clone)]
pub(crate) struct Mark(String);

impl Mark {
    /// A mark that no other call has.
    pub(crate) fn new() -> Mark {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Mark(format!("{}{:08x}", own_prefix(), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The value of the variable.
    pub(crate) fn value(&self) -> &str {
        &self.0
    }
}

/// The prefix of the marks of all calls of this process.
pub(crate) fn own_prefix() -> String {
    format!("{:08x}", std::process::id())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;
    use std::sync::{Mutex, PoisonError, RwLock};
    use std::time::{Duration, Instant};

    use super::{Mark, VARIABLE};
    use crate::system;

    /// How long to wait for the end of killed processes. A process that hangs in the kernel dies when the
    /// kernel call ends.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// How often a process without an environment is checked again. It has none while it starts another
    /// program.
    const LOOKS: u32 = 20;

    /// Held for reading while a process is started and registered below, and for writing while strangers are
    /// searched for, so that a child that is not registered yet never counts as one.
    static STARTING: RwLock<()> = RwLock::new(());
    /// Children that were started here and have not been waited for.
    static OWN: Mutex<Option<HashSet<i32>>> = Mutex::new(None);

    fn own<T>(change: impl FnOnce(&mut HashSet<i32>) -> T) -> T {
        change(OWN.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
    }

    /// Starts a child and registers it, so that it never counts as a stranger. `number` returns its process
    /// number.
    pub(crate) fn entering<T, E>(
        start: impl FnOnce() -> Result<T, E>,
        number: impl FnOnce(&T) -> i32,
    ) -> Result<T, E> {
        let _starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
        let started = start()?;
        let pid = number(&started);
        own(|own| own.insert(pid));
        Ok(started)
    }

    /// Forgets a child that has been waited for.
    pub(crate) fn leaving(pid: i32) {
        own(|own| own.remove(&pid));
    }

    /// Ends all processes that have the mark and have lost their parent. Returns how many of them had left
    /// the group.
    pub(crate) fn sweep(mark: &Mark, group: i32) -> u32 {
        let mut escaped = 0;
        let deadline = Instant::now() + PATIENCE;
        let mut looks = 0;
        // Each of them may leave children when it ends.
        while Instant::now() < deadline {
            let (mut found, unclear) = strangers(mark);
            if found.is_empty() && !unclear.is_empty() {
                looks += 1;
                if looks < LOOKS {
                    std::thread::sleep(Duration::from_millis(1));
                    continue;
                }
                // A process that cleared its environment is identified if there is only one possible call.
                if own(|own| own.len() <= 1) {
                    found = unclear;
                }
            }
            if found.is_empty() {
                break;
            }
            for stranger in found {
                system::kill(stranger.pid);
                while !system::reap_if_ended(stranger.pid) && Instant::now() < deadline {
                    std::thread::sleep(Duration::from_micros(200));
                }
                escaped += u32::from(stranger.group != group);
            }
        }
        escaped
    }

    struct Stranger {
        pid: i32,
        group: i32,
    }

    /// Children that were not started here: those with the mark, and those without an environment. Those that
    /// have already ended are waited for.
    fn strangers(mark: &Mark) -> (Vec<Stranger>, Vec<Stranger>) {
        let _nobody_starts = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        let own_group = system::own_group();
        let (mut found, mut unclear) = (Vec::new(), Vec::new());
        for pid in unentered() {
            let Some((state, group)) = state_and_group(pid) else { continue };
            // Other code in this process may have started it. Such children stay in its group.
            if group == own_group {
                continue;
            }
            if state == 'Z' {
                system::reap_if_ended(pid);
                continue;
            }
            match carries(pid, mark) {
                Some(true) => found.push(Stranger { pid, group }),
                Some(false) => {}
                None => unclear.push(Stranger { pid, group }),
            }
        }
        (found, unclear)
    }

    /// Processes that have the mark and have lost their parent, so that they are children of this process.
    pub(crate) fn adopted(mark: &Mark) -> Vec<i32> {
        unentered().filter(|pid| carries(*pid, mark) == Some(true)).collect()
    }

    /// Children that were not started here.
    fn unentered() -> impl Iterator<Item = i32> {
        let pid = i32::try_from(std::process::id()).expect("process ids fit pid_t");
        children(pid).into_iter().filter(|pid| own(|own| !own.contains(pid)))
    }

    /// Whether a process has the mark. `None` if it has no environment.
    fn carries(pid: i32, mark: &Mark) -> Option<bool> {
        let wanted = format!("{VARIABLE}={}", mark.value());
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        (!environment.is_empty()).then(|| variables.any(|variable| variable == wanted.as_bytes()))
    }

    /// The children of all threads of a process. Empty if the kernel does not list them.
    pub(crate) fn children(pid: i32) -> Vec<i32> {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        lists
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect()
    }

    /// State and group from `/proc/N/stat`, in which the name in parentheses may contain any text.
    fn state_and_group(pid: i32) -> Option<(char, i32)> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.chars().next()?;
        let group = fields.nth(1)?.parse().ok()?;
        Some((state, group))
    }
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{adopted, children, entering, leaving, sweep};

/// Starts a child. This system has no subreapers.
#[cfg(not(target_os = "linux"))]
pub(crate) fn entering<T, E>(
    start: impl FnOnce() -> Result<T, E>,
    _: impl FnOnce(&T) -> i32,
) -> Result<T, E> {
    start()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn leaving(_pid: i32) {}

/// Processes that left their group cannot be found.
#[cfg(not(target_os = "linux"))]
pub(crate) fn sweep(_mark: &Mark, _group: i32) -> u32 {
    0
}
