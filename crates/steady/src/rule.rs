//! The interface of stop rules.

use std::time::Duration;

/// Decides, value by value, when a process has warmed up and when it has measured enough.
///
/// A rule is made for one process, gets each value once and stores what it needs. It is called between two
/// iterations, so it should take only microseconds. If a rule takes longer, its documentation states how
/// long.
pub trait StopRule: Send {
    /// Takes the value of the next iteration. `elapsed` is the time since the beginning of the first
    /// iteration, including this one.
    fn sample(&mut self, value: f64, elapsed: Duration) -> Decision;

    /// The end of warm-up according to the values so far, for a process that ended before the rule had
    /// enough. At least one iteration always counts.
    fn cut(&self) -> Cut;

    /// Why the cut is there, as a text that follows "warm-up ended: ".
    fn reason(&self) -> String;
}

/// What to do with the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Let it run.
    GoOn,
    /// End it, because enough is measured.
    Stop(Cut),
}

/// Where warm-up ended, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Number of leading iterations that are warm-up. It may be less than the iteration at which this was
    /// decided, because a rule that uses a window can find that the window was already steady.
    pub warmup: u32,
    /// Why it ended.
    pub why: WhyCut,
}

/// The reason for the end of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhyCut {
    /// The values were steady.
    Steady,
    /// They were not steady, but the longest time for it had passed, or the process had ended.
    Unsteady,
    /// Nothing was checked: the configured number of iterations had passed.
    Fixed,
}

/// The limits of a rule, whatever the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Minimum duration of warm-up.
    pub floor: Duration,
    /// After this time warm-up ends even if nothing is steady.
    pub cap: Duration,
    /// Number of iterations that are measured after warm-up, at least 1.
    pub iterations: u32,
}

impl Limits {
    /// A process gets at least one second, because compilers become active only after some time.
    pub const FLOOR: Duration = Duration::from_secs(1);

    /// The usual floor, or the cap if that is less.
    pub fn new(cap: Duration, iterations: u32) -> Self {
        Limits { floor: Limits::FLOOR.min(cap), cap, iterations: iterations.max(1) }
    }
}

/// The cut of a process that ended after `seen` iterations, given the rule's decision `cut`, if there was
/// one. At least one iteration counts, or the last `iterations` ones if none was measured.
pub fn cut_at_the_end(cut: Option<Cut>, seen: u32, iterations: u32) -> Cut {
    match cut {
        Some(cut) if cut.warmup < seen => cut,
        Some(cut) => Cut { warmup: seen.saturating_sub(iterations.max(1)), ..cut },
        None => Cut { warmup: seen.saturating_sub(iterations.max(1)), why: WhyCut::Unsteady },
    }
}
