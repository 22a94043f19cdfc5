//! A plan for the processes of one benchmark: each process gets a rule, and after each the plan decides
//! whether another one is needed.

use crate::{Cut, StopRule};

/// Stop rules for all processes of one benchmark, and the number of processes.
///
/// A plan stores what rules learn from earlier processes, and passes it to the rules it makes.
pub trait StopPlan: Send {
    /// A rule for the next process.
    fn rule(&self) -> Box<dyn StopRule>;

    /// Takes the measurement of a process. Returns whether another one is needed.
    fn ended(&mut self, process: EndedProcess<'_>) -> Processes;
}

/// A process that ran to its stop.
#[derive(Debug, Clone, Copy)]
pub struct EndedProcess<'a> {
    /// Every value it measured, warm-up first.
    pub values: &'a [f64],
    /// Where warm-up ended.
    pub cut: Cut,
}

impl<'a> EndedProcess<'a> {
    /// The values after warm-up.
    pub fn measured(&self) -> &'a [f64] {
        self.values.get(self.cut.warmup as usize..).unwrap_or_default()
    }
}

/// Whether a benchmark needs another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Processes {
    /// It does.
    Another,
    /// It does not, for the reason in the text.
    Enough(String),
}

/// The same rule for every process, and a fixed number of processes.
#[derive(Debug, Clone)]
pub struct SameForEach<R> {
    rule: R,
    most: Option<u32>,
    ended: u32,
}

impl<R> SameForEach<R> {
    /// Clones `rule` for every process. `most` is the number of processes; `None` means no limit.
    pub fn new(rule: R, most: Option<u32>) -> Self {
        SameForEach { rule, most, ended: 0 }
    }
}

impl<R: StopRule + Clone + 'static> StopPlan for SameForEach<R> {
    fn rule(&self) -> Box<dyn StopRule> {
        Box::new(self.rule.clone())
    }

    fn ended(&mut self, _: EndedProcess<'_>) -> Processes {
        self.ended = self.ended.saturating_add(1);
        match self.most {
            Some(most) if self.ended >= most => Processes::Enough(format!("{most} processes were asked for")),
            _ => Processes::Another,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, WhyCut, WindowMedians};
    use std::time::Duration;

    #[test]
    fn a_fixed_number_of_processes_ends_there() {
        let rule = WindowMedians::new(Limits::new(Duration::from_secs(1), 1));
        let process = EndedProcess { values: &[1.0, 2.0], cut: Cut { warmup: 1, why: WhyCut::Steady } };
        assert_eq!(process.measured(), [2.0]);
        let mut two = SameForEach::new(rule.clone(), Some(2));
        assert_eq!(two.ended(process), Processes::Another);
        assert_eq!(two.ended(process), Processes::Enough("2 processes were asked for".into()));
        let mut endless = SameForEach::new(rule, None);
        assert!((0..100).all(|_| endless.ended(process) == Processes::Another));
    }

    #[test]
    fn a_cut_beyond_the_end_measures_nothing() {
        let process = EndedProcess { values: &[1.0], cut: Cut { warmup: 5, why: WhyCut::Unsteady } };
        assert!(process.measured().is_empty());
    }
}
