//! The interface of stop rules.

use std::time::Duration;

/// Decides, value by value, when a process has warmed up and when it has measured enough.
///
/// A rule is made for one process, sees each value once and keeps what it needs. It is asked between two iterations, so it
/// must not cost more than microseconds; where one does, its documentation says how much.
pub trait StopRule: Send {
    /// Takes the value of the next iteration. `elapsed` is the time since the first iteration began, this one included.
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision;

    /// Where warm-up ends, judging by what was seen so far. For a process that ended before the rule had enough: at
    /// least one iteration always counts.
    fn cut(&self) -> Cut;

    /// Why the cut is there, in words that go on after "warm-up ended: ".
    fn reason(&self) -> String;
}

/// What to do with the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Let it run.
    GoOn,
    /// End it: enough is measured.
    Stop(Cut),
}

/// Where warm-up ended, and why there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Leading iterations that are warm-up. May lie before the iteration at which it was decided: a rule that looks at a
    /// window can find that the window was steady already.
    pub warmup: u32,
    /// What ended it.
    pub why: WhyCut,
}

/// The reason for the end of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyCut {
    /// The values were steady.
    Steady,
    /// They were not, but the longest time for it had passed, or the process had ended.
    Unsteady,
    /// Nothing was checked: the configured number of iterations had passed.
    Fixed,
}

/// Between which bounds a rule works, whatever it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Warm-up takes at least this long.
    pub floor: Duration,
    /// After this time warm-up is over even if nothing is steady.
    pub cap: Duration,
    /// Iterations that are measured after warm-up, at least 1.
    pub iterations: u32,
}

impl Limits {
    /// A process gets at least a second: compilers at work show only after some time.
    pub const FLOOR: Duration = Duration::from_secs(1);

    /// The usual floor, or the cap if that is less.
    pub fn new(cap: Duration, iterations: u32) -> Self {
        Limits { floor: Limits::FLOOR.min(cap), cap, iterations: iterations.max(1) }
    }
}

/// The cut of a process that ended after `seen` iterations, where the rule decided on `cut` or had not decided yet: at least
/// one iteration counts, and the last `iterations` where none was measured.
pub fn cut_at_the_end(cut: Option<Cut>, seen: u32, iterations: u32) -> Cut {
    match cut {
        Some(cut) if cut.warmup < seen => cut,
        Some(cut) => Cut { warmup: seen.saturating_sub(iterations.max(1)), ..cut },
        None => Cut { warmup: seen.saturating_sub(iterations.max(1)), why: WhyCut::Unsteady },
    }
}
