//! A flag that ends running processes.

use std::fmt;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::system;

/// A shared flag that can be set once and ends every [`run`](crate::run()) that waits for it. Clones share
/// the flag.
#[derive(Clone)]
pub struct Interrupt(Arc<Shared>);

struct Shared {
    is_set: AtomicBool,
    /// Contains one unread byte once the flag is set, so that every poll on it returns at once. Without a
    /// pipe (no descriptors left), running calls check the flag from time to time.
    pipe: Option<(PipeReader, PipeWriter)>,
}

impl Interrupt {
    /// A flag that is not set.
    pub fn new() -> Self {
        Interrupt(Arc::new(Shared { is_set: AtomicBool::new(false), pipe: io::pipe().ok() }))
    }

    /// Sets the flag and wakes all waiting runs. Setting it again has no effect.
    pub fn set(&self) {
        // This is also called from a signal handler, so nothing here may allocate or lock.
        if !self.0.is_set.swap(true, Ordering::SeqCst)
            && let Some((_, writer)) = &self.0.pipe
        {
            // Writing one byte into an empty pipe cannot block, and a failure does not matter.
            let _ = (&mut &*writer).write(&[1]);
        }
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }

    /// Sets the flag when the process receives SIGINT, SIGTERM or SIGHUP. A second such signal ends the
    /// process as by default. Only the first call in a process has an effect; later calls return `false`.
    pub fn listen_for_signals(&self) -> bool {
        if LISTENING.set(self.clone()).is_err() {
            return false;
        }
        system::handle_signals_once(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP], on_signal);
        true
    }

    /// The descriptor to poll. `None` if the flag has to be checked from time to time.
    pub(crate) fn waker(&self) -> Option<BorrowedFd<'_>> {
        self.0.pipe.as_ref().map(|(reader, _)| reader.as_fd())
    }
}

static LISTENING: OnceLock<Interrupt> = OnceLock::new();

extern "C" fn on_signal(_signal: libc::c_int) {
    if let Some(interrupt) = LISTENING.get() {
        interrupt.set();
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Interrupt::new()
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.is_set()).finish()
    }
}
