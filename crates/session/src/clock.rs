//! How much of a budget is left.

use std::time::{Duration, Instant};

/// When a command began. A budget is for the whole command: building counts, waiting for others does not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    started: Instant,
    waited: Duration,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { started: Instant::now(), waited: Duration::ZERO }
    }

    /// The same without the time that was spent waiting.
    pub(crate) fn without(self, waited: Duration) -> Clock {
        Clock { waited: self.waited + waited, ..self }
    }

    /// What is left of a budget for the whole command.
    pub(crate) fn left(&self, whole: Option<Duration>) -> Option<Duration> {
        whole.map(|whole| (whole + self.waited).saturating_sub(self.started.elapsed()))
    }
}
