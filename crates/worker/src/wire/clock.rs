//! The clocks of an instance.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use benchwright_model::Timestamp;

/// The clocks. This is a trait so that tests can make clocks jump.
pub trait Clock {
    /// The wall clock, which may be set.
    fn wall(&self) -> Timestamp;

    /// The time since a fixed moment, by a clock that is never set.
    fn steady(&self) -> Duration;
}

/// The clocks of this machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    since: Instant,
}

impl SystemClock {
    /// Clocks whose steady time begins now.
    pub fn new() -> Self {
        SystemClock { since: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn wall(&self) -> Timestamp {
        now()
    }

    fn steady(&self) -> Duration {
        self.since.elapsed()
    }
}

/// The time by the wall clock of this machine.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
