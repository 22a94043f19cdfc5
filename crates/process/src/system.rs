//! The system calls that the standard library does not offer. All unsafe code of this crate is in this file.

use std::io;
use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::Usage;

/// Limits the calling thread, and everything it starts from now on, to these cores.
#[cfg(target_os = "linux")]
pub(crate) fn pin(cores: &[usize]) -> io::Result<()> {
    let set = core_set(cores)?;
    // SAFETY: the pointer is to a live set of the size given; 0 means the calling thread.
    let answer = unsafe { libc::sched_setaffinity(0, mem::size_of::<libc::cpu_set_t>(), &set) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// This system cannot pin.
#[cfg(not(target_os = "linux"))]
pub(crate) fn pin(_cores: &[usize]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Changes the niceness of a process. 0 means the caller: the thread on Linux, the process elsewhere.
pub(crate) fn set_niceness(pid: u32, niceness: i32) -> io::Result<()> {
    // SAFETY: setpriority takes no pointers.
    let answer = unsafe { libc::setpriority(libc::PRIO_PROCESS, pid, niceness) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(target_os = "linux")]
fn core_set(cores: &[usize]) -> io::Result<libc::cpu_set_t> {
    // SAFETY: cpu_set_t is a plain bit array, for which all zeroes is the empty set.
    let mut set: libc::cpu_set_t = unsafe { mem::zeroed() };
    for core in cores {
        if *core >= 8 * mem::size_of::<libc::cpu_set_t>() {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        // SAFETY: `set` is a valid set, and the core was just checked to be within it.
        unsafe { libc::CPU_SET(*core, &mut set) };
    }
    Ok(set)
}

/// The cores that the calling thread may use, in ascending order. `None` if the system does not report them.
#[cfg(target_os = "linux")]
pub fn usable_cores() -> Option<Vec<usize>> {
    // SAFETY: cpu_set_t is a plain bit array, for which all zeroes is the empty set.
    let mut set: libc::cpu_set_t = unsafe { mem::zeroed() };
    // SAFETY: the pointer is to a live set of the size given; 0 means the calling thread.
    let answer = unsafe { libc::sched_getaffinity(0, mem::size_of::<libc::cpu_set_t>(), &mut set) };
    let count = 8 * mem::size_of::<libc::cpu_set_t>();
    // SAFETY: every core asked about is within the set.
    (answer == 0).then(|| (0..count).filter(|core| unsafe { libc::CPU_ISSET(*core, &set) }).collect())
}

/// The cores that the calling thread may use. This system does not report them.
#[cfg(not(target_os = "linux"))]
pub fn usable_cores() -> Option<Vec<usize>> {
    None
}

/// A descriptor that becomes readable when the process ends. `None` if the system does not support this.
/// `pid` must be a child that has not been waited for.
#[cfg(target_os = "linux")]
pub(crate) fn exit_descriptor(pid: i32) -> Option<OwnedFd> {
    use std::os::fd::{FromRawFd, RawFd};
    // SAFETY: pidfd_open takes two integers and no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = RawFd::try_from(fd).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: the kernel has just returned this descriptor, and nothing else owns it.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A descriptor that becomes readable when the process ends. This system has none.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exit_descriptor(_pid: i32) -> Option<OwnedFd> {
    None
}

/// An entry for [`poll`] that waits for input or for the end of the other side. Without a descriptor it never
/// becomes ready.
pub(crate) fn pollable(fd: Option<BorrowedFd<'_>>) -> libc::pollfd {
    use std::os::fd::AsRawFd;
    libc::pollfd { fd: fd.map_or(-1, |fd| fd.as_raw_fd()), events: libc::POLLIN, revents: 0 }
}

/// Whether [`poll`] found something on the entry.
pub(crate) fn is_ready(entry: &libc::pollfd) -> bool {
    entry.revents != 0
}

/// If the kernel refuses to wait for this long, polling fails.
const REFUSING: Duration = Duration::from_secs(1);

/// Waits until an entry is ready, a signal arrives, or the time is over. The error is the system's error
/// number if the kernel cannot wait.
pub(crate) fn poll(entries: &mut [libc::pollfd], timeout: Option<Duration>) -> Result<(), i32> {
    // Rounded up, so that a wait for a deadline does not return just before it.
    let millis = timeout
        .map_or(-1, |timeout| i32::try_from(timeout.as_millis().saturating_add(1)).unwrap_or(i32::MAX));
    let count = libc::nfds_t::try_from(entries.len()).expect("a handful of entries");
    let began = Instant::now();
    loop {
        // SAFETY: pointer and count describe one live, exclusively borrowed slice.
        if unsafe { libc::poll(entries.as_mut_ptr(), count, millis) } >= 0 {
            return Ok(());
        }
        entries.iter_mut().for_each(|entry| entry.revents = 0);
        let error = io::Error::last_os_error();
        if error.kind() == io::ErrorKind::Interrupted {
            return Ok(());
        }
        if began.elapsed() > REFUSING {
            return Err(error.raw_os_error().unwrap_or_default());
        }
        // The kernel is out of memory. Tries again, without using a core all the time.
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Kills every process of the group. `group` must be a child that has not been waited for, so that its number
/// cannot have been reused.
pub(crate) fn kill_group(group: i32) {
    // SAFETY: kill takes no pointers. It fails only if no process is left, which is fine.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Kills one process. This fails only if the process has ended, which is fine.
#[cfg(target_os = "linux")]
pub(crate) fn kill(pid: i32) {
    // SAFETY: kill takes no pointers.
    unsafe { libc::kill(pid, libc::SIGKILL) };
}

/// Waits for a child if it has ended. Returns true if there is nothing left to wait for.
#[cfg(target_os = "linux")]
pub(crate) fn reap_if_ended(pid: i32) -> bool {
    // SAFETY: no status is asked for, so that there is no pointer.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) != 0 }
}

/// The process group of benchwright itself.
#[cfg(target_os = "linux")]
pub(crate) fn own_group() -> i32 {
    // SAFETY: getpgrp takes nothing and never fails.
    unsafe { libc::getpgrp() }
}

/// From now on, descendants of this process that lose their parent become its children.
#[cfg(target_os = "linux")]
pub(crate) fn become_subreaper() {
    // SAFETY: this option takes only integers. If it fails, processes that leave their group cannot be found.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// This system has no subreapers.
#[cfg(not(target_os = "linux"))]
pub(crate) fn become_subreaper() {}

/// A file without a name or a disk.
#[cfg(target_os = "linux")]
pub(crate) fn memory_file() -> io::Result<std::fs::File> {
    use std::os::fd::FromRawFd;
    // SAFETY: the name is a live string that ends with a zero.
    let fd = unsafe { libc::memfd_create(c"benchwright-ledger".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just returned this descriptor, and nothing else owns it.
    Ok(unsafe { std::fs::File::from_raw_fd(fd) })
}

/// This system has no files without a disk.
#[cfg(not(target_os = "linux"))]
pub(crate) fn memory_file() -> io::Result<std::fs::File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the child has ended. It must still be waited for.
pub(crate) fn has_ended(pid: i32) -> bool {
    let id = libc::id_t::try_from(pid).expect("process ids are positive");
    // SAFETY: siginfo_t is plain data, for which all zeroes is valid.
    let mut info: libc::siginfo_t = unsafe { mem::zeroed() };
    // SAFETY: the pointer is to a live siginfo_t.
    let answer =
        unsafe { libc::waitid(libc::P_PID, id, &mut info, libc::WEXITED | libc::WNOHANG | libc::WNOWAIT) };
    // The number of the signal stays 0 as long as the child runs.
    answer == 0 && info.si_signo != 0
}

/// How a process ended by itself.
pub(crate) enum Status {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

/// Waits for the child's end. The usage's wall time is left at zero.
pub(crate) fn reap(pid: i32) -> (Status, Usage) {
    let mut status = 0;
    // SAFETY: rusage is plain data, for which all zeroes is valid.
    let mut cost: libc::rusage = unsafe { mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live values of the right types.
        let answer = unsafe { libc::wait4(pid, &mut status, 0, &mut cost) };
        if answer == pid {
            break;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            // Other code waited for this child: it has ended, but its status is lost.
            return (Status::Signalled(0), Usage::default());
        }
    }
    let ended = if libc::WIFEXITED(status) {
        Status::Exited(libc::WEXITSTATUS(status))
    } else {
        Status::Signalled(libc::WTERMSIG(status))
    };
    let max_rss = u64::try_from(cost.ru_maxrss).unwrap_or(0);
    let usage = Usage {
        wall: Duration::ZERO,
        user: duration(cost.ru_utime),
        system: duration(cost.ru_stime),
        max_rss_bytes: if cfg!(target_os = "macos") { max_rss } else { max_rss * 1024 },
    };
    (ended, usage)
}

fn duration(time: libc::timeval) -> Duration {
    let secs = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u32::try_from(time.tv_usec).unwrap_or(0);
    Duration::new(secs, micros * 1000)
}

/// Calls `handler` at the first of each of the signals. From the second one on, the system's default applies.
pub(crate) fn handle_signals_once(signals: &[libc::c_int], handler: extern "C" fn(libc::c_int)) {
    for signal in signals {
        // SAFETY: sigaction is plain data, for which all zeroes is valid: no flags, nothing masked.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART | libc::SA_RESETHAND;
        // SAFETY: the action is live and its handler has the signature of a plain handler (no SA_SIGINFO). A
        // signal that the parent process ignores (nohup) stays ignored.
        unsafe {
            let mut before: libc::sigaction = mem::zeroed();
            libc::sigaction(*signal, std::ptr::null(), &mut before);
            if before.sa_sigaction != libc::SIG_IGN {
                libc::sigaction(*signal, &action, std::ptr::null_mut());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_cannot_wait_is_an_error_and_no_endless_wait() {
        // Polling more entries than the process may have open files is refused. If the limit is very large,
        // this would take too much memory.
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the pointer is to a live structure.
        assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) }, 0);
        if limit.rlim_cur > 1 << 21 {
            return;
        }
        let mut entries = vec![pollable(None); limit.rlim_cur as usize + 1];
        assert_eq!(poll(&mut entries, None), Err(libc::EINVAL));
        assert_eq!(poll(&mut entries[..1], Some(Duration::ZERO)), Ok(()));
    }
}
