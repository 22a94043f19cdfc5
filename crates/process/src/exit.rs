//! How a process ended, and the resources it used.

use std::time::Duration;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal, sent by itself or another process.
    Signalled(i32),
    /// Killed at [`Limits::wall`](crate::Limits::wall).
    TimedOut,
    /// Killed at [`Limits::output_bytes`](crate::Limits::output_bytes).
    TooMuchOutput,
    /// Killed at [`Limits::memory_bytes`](crate::Limits::memory_bytes).
    TooMuchMemory,
    /// Killed because its output could not be read, with the system's error number. The rest of the output is
    /// missing, so the status is meaningless.
    Unread(i32),
    /// Killed because the closure returned [`Flow::Stop`](crate::Flow::Stop).
    Stopped,
    /// Killed, or not even started, because of the [`Interrupt`](crate::Interrupt).
    Interrupted,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// How it ended.
    pub ending: Ending,
    /// The resources it used.
    pub usage: Usage,
    /// Time from start to the first byte of output; `None` if there was none.
    pub first_output: Option<Duration>,
    /// How many processes had left its group and were ended with it.
    pub escaped: u32,
}

impl Exit {
    /// Whether it ended by itself with status 0.
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}

/// Resources that a process used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// From start to exit.
    pub wall: Duration,
    /// CPU time in user mode, including children it waited for.
    pub user: Duration,
    /// CPU time in the kernel, including children it waited for.
    pub system: Duration,
    /// Largest resident set of the process or of one of those children, bytes. Linux includes the time
    /// between fork and exec, so it is never less than benchwright's own resident memory at the start.
    pub max_rss_bytes: u64,
}
